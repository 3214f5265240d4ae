import test from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import { targetNodeOf } from '../../../src/controllers/daemon-set/daemon-pod.js';
import { setReady, type Harness } from '../harness.js';
import { createDaemonScene, DAEMON, daemonSetDraft, nodesOf, taint, update } from './daemon-sets.js';

const NODES = ['n1', 'n2', 'n3', 'n4', 'n5'];

function imageOf({ spec }: Pod): string {
  return spec.containers[0]?.image ?? '';
}

/** Live pods by image. */
function images(harness: Harness): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const pod of harness.list('Pod')) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    counts[imageOf(pod)] = (counts[imageOf(pod)] ?? 0) + 1;
  }
  return counts;
}

function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') === true;
}

/** The fewest nodes with a ready pod, and the most that wait for a second pod, over all states from now on. */
function watchExtremes({ server }: Harness): { leastReady: number; mostSurging: number } {
  const extremes = { leastReady: NODES.length, mostSurging: 0 };
  server.watch('Pod', {}, () => {
    const live = server.list('Pod', {}).items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const ready = new Set(live.filter(isReady).map(({ spec }) => spec.nodeName));
    extremes.leastReady = Math.min(extremes.leastReady, ready.size);
    const surging = live.filter((pod) => !isReady(pod) && ready.has(pod.spec.nodeName));
    extremes.mostSurging = Math.max(extremes.mostSurging, surging.length);
  });
  return extremes;
}

async function rolledOut(t: { deepEqual(actual: unknown, expected: unknown): void }, rollingUpdate: object) {
  const harness = createDaemonScene(NODES);
  harness.server.create('DaemonSet', daemonSetDraft({ updateStrategy: { rollingUpdate } }));
  await harness.run(1000);
  const extremes = watchExtremes(harness);
  update(harness, 'v2');
  await harness.run(5000);
  t.deepEqual(images(harness), { v2: 5 });
  t.deepEqual(harness.server.get('DaemonSet', DAEMON).status, {
    currentNumberScheduled: 5,
    numberMisscheduled: 0,
    desiredNumberScheduled: 5,
    numberReady: 5,
    observedGeneration: 2,
    updatedNumberScheduled: 5,
    numberAvailable: 5,
  });
  harness.dispose();
  return extremes;
}

test('7.4.4 › without surge as many nodes lack a ready pod as maxUnavailable says, one unless it says otherwise', async (t) => {
  t.deepEqual(await rolledOut(t, {}), { leastReady: 4, mostSurging: 0 });
  t.deepEqual(await rolledOut(t, { maxUnavailable: 3 }), { leastReady: 2, mostSurging: 0 });
});

test('7.4.4 › a percentage of the nodes is rounded up', async (t) => {
  t.deepEqual(await rolledOut(t, { maxUnavailable: '21%' }), { leastReady: 3, mostSurging: 0 });
});

test('7.4.4 › with surge a node gets its new pod beside the old one, and no node is ever without a ready pod', async (t) => {
  t.deepEqual(await rolledOut(t, { maxSurge: 2, maxUnavailable: 0 }), { leastReady: 5, mostSurging: 2 });
});

test('7.4.4 › old pods that are not available are replaced without limit, and hold the others back', async (t) => {
  const harness = createDaemonScene(NODES, { runs: (pod) => imageOf(pod) === 'v1' });
  const { kernel, server } = harness;
  server.create('DaemonSet', daemonSetDraft());
  await harness.run(1000);
  for (const pod of harness.list('Pod').slice(0, 2)) setReady(kernel, server, pod.metadata, false);
  update(harness, 'v2');
  await harness.run(2000);
  t.deepEqual(images(harness), { v1: 3, v2: 2 });
  harness.dispose();
});

test('7.4.4 › with surge a broken old pod gets its replacement at once, and goes when it is available or the old one is not ready', async (t) => {
  const harness = createDaemonScene(NODES, { runs: (pod) => imageOf(pod) === 'v1' });
  const { kernel, server } = harness;
  server.create('DaemonSet', daemonSetDraft({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }));
  await harness.run(1000);
  update(harness, 'v2');
  await harness.run(1000);
  t.deepEqual(images(harness), { v1: 5, v2: 1 });
  const surged = harness.list('Pod').find((pod) => imageOf(pod) === 'v2') as Pod;
  const target = surged.metadata.name;
  const old = harness.list('Pod').filter((pod) => imageOf(pod) === 'v1');
  for (const pod of old.slice(1, 3)) setReady(kernel, server, pod.metadata, false);
  await harness.run(1000);
  t.deepEqual(images(harness), { v1: 3, v2: 3 });
  server.bind({ metadata: { namespace: 'default', name: target }, target: { name: old[0]?.spec.nodeName ?? '' } });
  setReady(kernel, server, surged.metadata, true);
  await harness.run(1000);
  // The first node has finished, so that another one may begin.
  t.deepEqual(images(harness), { v1: 2, v2: 4 });
  harness.dispose();
});

/** A template of pods that go to the nodes of a pool. */
function tolerant(pool: string, image: string): object {
  const tolerations = [{ key: pool, operator: 'Exists' }];
  return { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image }], tolerations } };
}

test('7.4.4 › with surge a set that moves to other nodes keeps its old pods until new ones stand in for them', async (t) => {
  const harness = createDaemonScene(NODES, { runs: (pod) => imageOf(pod) === 'v1' });
  const { kernel, server } = harness;
  const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  for (const name of ['n1', 'n2']) taint(harness, name, 'old', 'NoSchedule');
  for (const name of ['n3', 'n4', 'n5']) taint(harness, name, 'new', 'NoSchedule');
  server.create('DaemonSet', daemonSetDraft({ updateStrategy: strategy, template: tolerant('old', 'v1') }));
  await harness.run(1000);
  t.deepEqual(nodesOf(harness.list('Pod')), ['n1', 'n2']);
  const spec = { template: tolerant('new', 'v2') };
  server.patch('DaemonSet', DAEMON, { type: 'merge', body: { spec } });
  await harness.run(1000);
  t.deepEqual(images(harness), { v1: 2, v2: 3 });
  const [first, ...others] = harness.list('Pod').filter((pod) => imageOf(pod) === 'v2');
  for (const [index, pod] of [first, ...others].entries()) {
    const { namespace, name } = pod?.metadata ?? DAEMON;
    server.bind({ metadata: { namespace, name }, target: { name: `n${3 + index}` } });
  }
  setReady(kernel, server, first?.metadata ?? DAEMON, true);
  await harness.run(1000);
  t.deepEqual(images(harness), { v1: 2, v2: 3 });
  for (const pod of others) setReady(kernel, server, pod.metadata, true);
  await harness.run(1000);
  t.deepEqual(images(harness), { v2: 3 });
  harness.dispose();
});

test('7.4.4 › with surge and minReadySeconds an old pod goes minReadySeconds and one second after its new one became ready', async (t) => {
  const harness = createDaemonScene(['n1', 'n2']);
  const { kernel, server } = harness;
  const updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  server.create('DaemonSet', daemonSetDraft({ minReadySeconds: 10, updateStrategy }));
  await harness.run(20_000);
  const changes: string[] = [];
  const note = (what: string, pod: Pod): void => {
    changes.push(`${Math.round(kernel.clock.now() / 1000)} s ${what} ${imageOf(pod)} ${pod.spec.nodeName}`);
  };
  server.watch('Pod', { resourceVersion: String(server.version) }, (event) => {
    if (event.type === 'BOOKMARK' || event.kind !== 'Pod') return;
    const pod = event.object;
    if (event.type === 'DELETED') note('gone', pod);
    else if (isReady(pod) && pod.metadata.deletionTimestamp === undefined) note('ready', pod);
  });
  update(harness, 'v2');
  await harness.run(60_000);
  t.deepEqual(changes, ['20 s ready v2 n1', '31 s gone v1 n1', '31 s ready v2 n2', '42 s gone v1 n2']);
  t.deepEqual(images(harness), { v2: 2 });
  t.is(server.get('DaemonSet', DAEMON).status.numberAvailable, 2);
  harness.dispose();
});

test('daemon set › with surge no rollout waits for ever for a pod that became ready while another was waited for', async (t) => {
  const harness = createDaemonScene(['n1', 'n2'], { runs: (pod) => imageOf(pod) === 'v1' });
  const { kernel, server } = harness;
  const updateStrategy = { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } };
  server.create('DaemonSet', daemonSetDraft({ minReadySeconds: 10, updateStrategy }));
  await harness.run(20_000);
  update(harness, 'v2');
  await harness.run(1000);
  const surged = harness.list('Pod').filter((pod) => imageOf(pod) === 'v2');
  for (const pod of surged) {
    const { namespace, name } = pod.metadata;
    server.bind({ metadata: { namespace, name }, target: { name: targetNodeOf(pod) ?? '' } });
    setReady(kernel, server, { namespace, name }, true);
    await harness.run(5000);
  }
  await harness.run(60_000);
  t.deepEqual(images(harness), { v2: 2 });
  harness.dispose();
});

test('7.4.4 › OnDelete replaces a pod when a user deletes it, and not before', async (t) => {
  const harness = createDaemonScene(NODES);
  harness.server.create('DaemonSet', daemonSetDraft({ updateStrategy: { type: 'OnDelete' } }));
  await harness.run(1000);
  update(harness, 'v2');
  await harness.run(2000);
  t.deepEqual(images(harness), { v1: 5 });
  t.is(harness.server.get('DaemonSet', DAEMON).status.updatedNumberScheduled, undefined);
  harness.server.delete('Pod', harness.list('Pod')[0]?.metadata ?? DAEMON);
  await harness.run(1000);
  t.deepEqual(images(harness), { v1: 4, v2: 1 });
  harness.dispose();
});

test('7.4.5 › a pod of the present template generation is up to date, whatever its hash', async (t) => {
  const harness = createDaemonScene(['n1']);
  const { server } = harness;
  server.create('DaemonSet', daemonSetDraft());
  await harness.run(1000);
  const [pod] = harness.list('Pod');
  const labels = { 'controller-revision-hash': 'other' };
  server.patch('Pod', pod?.metadata ?? DAEMON, { type: 'merge', body: { metadata: { labels } } });
  await harness.run(1000);
  t.is(harness.list('Pod')[0]?.metadata.uid, pod?.metadata.uid);
  t.is(server.get('DaemonSet', DAEMON).status.updatedNumberScheduled, 1);
  harness.dispose();
});

test('daemon set › however often its controller crashes, a node never has two live pods, and the rollout ends', async (t) => {
  const harness = createDaemonScene(NODES);
  const { manager, server } = harness;
  let most = 0;
  server.watch('Pod', {}, () => {
    const targets = harness
      .list('Pod')
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((pod) => targetNodeOf(pod));
    most = Math.max(most, targets.length - new Set(targets).size);
  });
  server.create('DaemonSet', daemonSetDraft({ updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }));
  for (let round = 0; round < 60; round += 1) {
    await harness.run(1 + ((round * 7) % 13));
    if (round === 20) update(harness, 'v2');
    manager.stop();
    manager.start();
  }
  await harness.run(5000);
  t.deepEqual(images(harness), { v2: 5 });
  t.deepEqual(nodesOf(harness.list('Pod')), NODES);
  t.is(most, 0);
  const revisions = harness.list('ControllerRevision').map(({ revision }) => revision);
  t.deepEqual(
    revisions.sort((left, right) => left - right),
    [1, 2],
  );
  harness.dispose();
});
