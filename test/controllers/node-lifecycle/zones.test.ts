/** How many nodes of a zone lose their pods, and how fast. */
import test from 'ava';
import { DEFAULT_CONTROLLER_SETTINGS } from '../../../src/controllers/runtime/controller-settings.js';
import { EvictionQueue } from '../../../src/controllers/node-lifecycle/eviction-queue.js';
import { evictionRate, zoneStateOf } from '../../../src/controllers/node-lifecycle/zone-state.js';
import { isEvicting, isUnknown, lifecycleScene, taints, type LifecycleScene } from './scene.js';

function names(zone: string, from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `${zone}-${from + index}`);
}

/** Runs until 20.5 s, then lets nodes fall silent: their last renewal was seen at 20 s. */
async function lose(scene: LifecycleScene, lost: readonly string[]): Promise<void> {
  await scene.run(20_500);
  scene.silence(...lost);
}

function state(ready: number, notReady: number): string {
  return zoneStateOf({ ready, notReady }, DEFAULT_CONTROLLER_SETTINGS);
}

async function evictionsOf(scene: LifecycleScene): Promise<number> {
  const samples = await scene.metrics.samples();
  const found = samples.filter(({ name }) => name === 'node_collector_evictions_total');
  return found.reduce((sum, { value }) => sum + value, 0);
}

/** Size of two zones and how many of their nodes are not ready, as metrics. */
function zoneSamples(...zones: readonly (readonly [number, number])[]): Record<string, number> {
  const entries = zones.flatMap(([size, unhealthy], index): [string, number][] => {
    const zone = `:\u0000:${'ab'[index]}`;
    return [
      [`node_collector_zone_size ${zone}`, size],
      [`node_collector_zone_health ${zone}`, size === 0 ? 100 : (100 * (size - unhealthy)) / size],
      [`node_collector_unhealthy_nodes_in_zone ${zone}`, unhealthy],
    ];
  });
  return Object.fromEntries(entries);
}

test('7.6 › a node is queued by the pass that finds it silent', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNode('n');
  scene.addNode('other');
  await lose(scene, ['n']);
  await scene.run(100_000);
  t.deepEqual([scene.firstSeconds(isUnknown), scene.firstSeconds(isEvicting)], [[['n', 70]], [['n', 70]]]);
  t.deepEqual(scene.node('n').spec.taints, [
    { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule', timeAdded: '2030-01-01T00:01:10Z' },
    { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: '2030-01-01T00:01:10Z' },
  ]);
});

test('7.6 › a node whose kubelet says that it is not ready is queued by the next pass', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNode('n');
  scene.addNode('other');
  await scene.run(11_000);
  scene.report('n', 'False');
  await scene.run(10_000);
  t.deepEqual(scene.firstSeconds(isEvicting), [['n', 15]]);
  t.deepEqual(taints(scene.node('n')), ['not-ready:NoSchedule', 'not-ready:NoExecute']);
});

test('7.7 › a zone gives a node every ten seconds, and each zone for itself', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNodes(10, 'a');
  scene.addNodes(10, 'b');
  await lose(scene, [...names('a', 0, 4), ...names('b', 0, 2)]);
  await scene.run(120_000);
  t.deepEqual(scene.firstSeconds(isEvicting), [
    ['a-0', 70],
    ['b-0', 70],
    ['a-1', 80],
    ['b-1', 80],
    ['a-2', 90],
    ['a-3', 100],
  ]);
  t.is(await evictionsOf(scene), 6);
});

test('7.7 › metrics tell of each zone how many nodes it has, and how many of them are well', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNodes(8, 'a');
  scene.addNodes(5, 'b');
  const told = async (): Promise<Record<string, number>> => {
    const samples = await scene.metrics.samples();
    const ofZones = samples.filter(({ name, labels }) => name.startsWith('node_collector_') && 'zone' in labels);
    return Object.fromEntries(ofZones.map(({ name, labels, value }) => [`${name} ${labels['zone']}`, value]));
  };
  await lose(scene, names('a', 0, 2));
  t.deepEqual(await told(), zoneSamples([8, 0], [5, 0]));
  await scene.run(50_000);
  t.deepEqual(await told(), {
    ...zoneSamples([8, 2], [5, 0]),
    'node_collector_evictions_total :\u0000:a': 1,
  });
  for (const name of names('b', 0, 5)) scene.server.delete('Node', { name });
  await scene.run(10_000);
  t.deepEqual(await told(), {
    ...zoneSamples([8, 2], [0, 0]),
    'node_collector_evictions_total :\u0000:a': 2,
  });
});

test('7.7 › a node that is ready again before its turn leaves the queue', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNodes(10, 'a');
  await lose(scene, names('a', 0, 3));
  await scene.run(53_000);
  scene.speak('a-1');
  await scene.run(60_000);
  t.deepEqual(scene.firstSeconds(isEvicting), [
    ['a-0', 70],
    ['a-2', 80],
  ]);
});

test('7.7 › from not-ready to unreachable the taint changes in one write, whatever the rate', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNodes(10, 'a');
  await scene.run(11_000);
  scene.report('a-0', 'False');
  await scene.run(8000);
  scene.silence('a-0', 'a-1', 'a-2');
  await scene.run(80_000);
  const [first, second] = [
    scene.firstSeconds((node) => taints(node).includes('not-ready:NoExecute')),
    scene.firstSeconds((node) => taints(node).includes('unreachable:NoExecute')),
  ];
  t.deepEqual(first, [['a-0', 15]]);
  // The others are Unknown at 60 s, it is at 65 s, and the same pass changes its taint without a token.
  t.deepEqual(second, [
    ['a-1', 60],
    ['a-0', 65],
    ['a-2', 70],
  ]);
  t.deepEqual(taints(scene.node('a-0')).sort(), ['unreachable:NoExecute', 'unreachable:NoSchedule']);
  t.false(
    scene.log.some((event) => {
      if (event.type === 'BOOKMARK' || event.kind !== 'Node') return false;
      const shown = taints(event.object as never);
      return shown.includes('not-ready:NoExecute') && shown.includes('unreachable:NoExecute');
    }),
  );
});

test('7.7 › a taint that is taken away comes back', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNodes(10, 'a');
  await lose(scene, ['a-0']);
  await scene.run(70_000);
  t.true(isEvicting(scene.node('a-0')));
  const atMs = scene.kernel.clock.now();
  scene.server.change('Node', { name: 'a-0' }, ({ spec, ...node }) => ({ ...node, spec: { ...spec, taints: [] } }));
  await scene.run(20_000);
  t.deepEqual(scene.firstSeconds(isEvicting, atMs), [['a-0', 95]]);
});

test('7.8 › ready again: both NoExecute taints are gone in the pass that sees it', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNodes(10, 'a');
  scene.addPod('p', 'a-0');
  await lose(scene, ['a-0']);
  await scene.run(80_000);
  t.deepEqual(taints(scene.node('a-0')), ['unreachable:NoSchedule', 'unreachable:NoExecute']);
  scene.speak('a-0');
  await scene.run(1000);
  t.deepEqual(taints(scene.node('a-0')), ['unreachable:NoExecute']);
  await scene.run(4000);
  t.deepEqual(taints(scene.node('a-0')), []);
  // Only the kubelet says that a pod is ready.
  t.is(scene.pod('p').status.conditions?.[1]?.status, 'False');
});

test('7.9 › the state of a zone follows from its counts', (t) => {
  t.is(state(0, 1), 'FullDisruption');
  t.is(state(0, 0), 'Normal');
  t.is(state(1, 2), 'Normal');
  t.is(state(2, 3), 'PartialDisruption');
  t.is(state(9, 11), 'PartialDisruption');
  t.is(state(46, 54), 'Normal');
  t.is(state(45, 55), 'PartialDisruption');
});

test('7.9 › nodes that are labelled so do not count', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNodes(6, 'a');
  scene.addNodes(1, 'b');
  const label = { 'node.kubernetes.io/exclude-disruption': '' };
  for (const name of names('a', 0, 4)) {
    scene.server.patch('Node', { name }, { type: 'merge', body: { metadata: { labels: label } } });
  }
  await lose(scene, names('a', 0, 4));
  await scene.run(70_000);
  // Four of six would be a partial disruption, in which a small zone stops.
  t.deepEqual(scene.firstSeconds(isEvicting), [
    ['a-0', 70],
    ['a-1', 80],
    ['a-2', 90],
  ]);
});

test('7.10 › the eviction rate goes by the state and the size of a zone', (t) => {
  const settings = DEFAULT_CONTROLLER_SETTINGS;
  t.is(evictionRate('Normal', 100, settings), 0.1);
  t.is(evictionRate('FullDisruption', 3, settings), 0.1);
  t.is(evictionRate('PartialDisruption', 50, settings), 0);
  t.is(evictionRate('PartialDisruption', 51, settings), 0.01);
});

test('7.10 › in a small zone that is partly disrupted no pod is sent away', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNodes(5, 'a');
  scene.addNodes(1, 'b');
  await lose(scene, names('a', 0, 3));
  await scene.run(600_000);
  t.is(scene.firstSeconds(isUnknown).length, 3);
  t.deepEqual(scene.firstSeconds(isEvicting), []);
});

test('7.10 › a large zone that is partly disrupted gives a node every hundred seconds', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNodes(60, 'a');
  await lose(scene, names('a', 0, 40));
  await scene.run(360_000);
  t.deepEqual(scene.firstSeconds(isEvicting), [
    ['a-0', 70],
    ['a-1', 170],
    ['a-10', 270],
    ['a-11', 370],
  ]);
});

test('7.10 › a zone that is all gone goes on at the full rate while another is there', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNodes(3, 'a');
  scene.addNodes(1, 'b');
  await lose(scene, names('a', 0, 3));
  await scene.run(80_000);
  t.deepEqual(scene.firstSeconds(isEvicting), [
    ['a-0', 70],
    ['a-1', 80],
    ['a-2', 90],
  ]);
});

test('7.10 › when every zone is gone the taints go; afterwards all have a fresh grace, and the rates are back', async (t) => {
  const scene = lifecycleScene(t);
  scene.addNodes(4, 'a');
  scene.addNodes(2, 'b');
  await lose(scene, ['a-0']);
  await scene.run(64_000);
  t.deepEqual(taints(scene.node('a-0')), ['unreachable:NoSchedule', 'unreachable:NoExecute']);
  const all = [...names('a', 1, 4), ...names('b', 0, 2)];
  scene.silence(...all);
  await scene.run(60_000);
  t.true([...all, 'a-0'].every((name) => isUnknown(scene.node(name))));
  t.deepEqual(taints(scene.node('a-0')), ['unreachable:NoSchedule']);
  await scene.run(1_000_000);
  const atMs = scene.kernel.clock.now();
  t.deepEqual(
    [...all, 'a-0'].filter((name) => isEvicting(scene.node(name))),
    [],
  );
  // Three are heard of again, and one of them only once: it has the whole grace from the end of the disruption.
  scene.speak('a-1', 'a-2', 'b-0');
  await scene.run(100);
  scene.silence('b-0');
  await scene.run(60_000);
  const second = Math.floor(atMs / 1000);
  t.deepEqual(
    [second, scene.firstSeconds((node) => node.metadata.name === 'b-0' && isUnknown(node), atMs + 1000)],
    [1144, [['b-0', 1195]]],
  );
  // The queues began without a token at the end of the disruption, at 1,145 s.
  t.deepEqual(scene.firstSeconds(isEvicting, atMs), [
    ['a-3', 1155],
    ['b-1', 1155],
    ['a-0', 1165],
    ['b-0', 1195],
  ]);
});

test('7.11 › in a cluster of one zone the loss of all nodes sends no pod away', async (t) => {
  for (const count of [1, 5]) {
    const scene = lifecycleScene(t);
    scene.addNodes(count, 'a');
    await lose(scene, names('a', 0, count));
    await scene.run(1_000_000);
    t.is(scene.firstSeconds(isUnknown).length, count);
    t.deepEqual(scene.firstSeconds(isEvicting), []);
  }
});

test('eviction queue › the token comes back with the time, and a new rate begins where the old one was', (t) => {
  const queue = new EvictionQueue(0.1);
  for (const name of ['a', 'b', 'c']) queue.add(name, 1000);
  t.is(queue.take(1000), 'a');
  t.is(queue.take(10_999), undefined);
  t.is(queue.nextMs(), 11_000);
  queue.setRate(0.01, 5000);
  t.is(queue.nextMs(), 105_000);
  queue.setRate(0, 6000);
  t.is(queue.nextMs(), Infinity);
  t.is(queue.take(200_000), undefined);
  queue.setRate(0.1, 200_000);
  t.is(queue.nextMs(), 210_000);
  t.is(queue.take(210_000), 'b');
  queue.putBack('b', 210_050);
  t.is(queue.take(220_000), 'c');
  queue.remove('b');
  t.is(queue.nextMs(), Infinity);
});
