import test from 'ava';
import { AMOUNTS_SHIFT, TOTAL_CPU, USED_CPU } from '../../../src/scheduler/framework/node-amounts.js';
import { SchedulerCache } from '../../../src/scheduler/cache/scheduler-cache.js';
import { CacheSnapshot } from '../../../src/scheduler/cache/snapshot.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import { testNode, testPod } from '../support/objects.js';

function setUp(...names: readonly string[]): {
  cache: SchedulerCache;
  snapshot: CacheSnapshot;
  readonly cpuOf: (name: string) => number;
} {
  const cache = new SchedulerCache();
  const snapshot = new CacheSnapshot();
  for (const name of names) cache.setNode(testNode(name));
  cache.updateSnapshot(snapshot);
  return {
    cache,
    snapshot,
    cpuOf(name) {
      cache.updateSnapshot(snapshot);
      const slot = snapshot.get(name)?.slot ?? -1;
      return snapshot.columns.arrays.amounts[(slot << AMOUNTS_SHIFT) + USED_CPU] ?? -1;
    },
  };
}

function order(snapshot: CacheSnapshot): string[] {
  return snapshot.nodes.map(({ name }) => name);
}

const web = testPod('web', { requests: { cpu: '1500m' } });
const webOnN1 = { ...web, spec: { ...web.spec, nodeName: 'n1' } };

test('SchedulerCache › an assumed pod counts from the next snapshot on, until it is forgotten', (t) => {
  const { cache, cpuOf } = setUp('n1');
  cache.assumePod(new PodInfo(webOnN1));
  t.true(cache.isAssumedPod(web));
  t.is(cpuOf('n1'), 1500);
  cache.forgetPod(webOnN1);
  t.false(cache.isAssumedPod(web));
  t.is(cpuOf('n1'), 0);
  t.is(cache.podCount, 0);
});

test('SchedulerCache › a confirmed pod is not forgotten', (t) => {
  const { cache, cpuOf } = setUp('n1');
  cache.assumePod(new PodInfo(webOnN1));
  cache.addPod(webOnN1);
  t.false(cache.isAssumedPod(web));
  cache.forgetPod(webOnN1);
  t.is(cpuOf('n1'), 1500);
});

test('SchedulerCache › a pod that was bound elsewhere than assumed moves there', (t) => {
  const { cache, cpuOf } = setUp('n1', 'n2');
  cache.assumePod(new PodInfo(webOnN1));
  cache.addPod({ ...web, spec: { ...web.spec, nodeName: 'n2' } });
  t.deepEqual([cpuOf('n1'), cpuOf('n2')], [0, 1500]);
});

test('SchedulerCache › assuming a pod that is on a node is a mistake of the program', (t) => {
  const { cache } = setUp('n1');
  cache.addPod(webOnN1);
  t.throws(() => cache.assumePod(new PodInfo(webOnN1)), { message: /on a node already/u });
});

test('SchedulerCache › a pod of a node that is not known yet counts once the node comes', (t) => {
  const { cache, snapshot, cpuOf } = setUp();
  cache.addPod(webOnN1);
  cache.updateSnapshot(snapshot);
  t.is(snapshot.size, 0);
  cache.setNode(testNode('n1'));
  t.is(cpuOf('n1'), 1500);
});

test('SchedulerCache › a node that is gone leaves the snapshot, its slot is used again', (t) => {
  const { cache, snapshot } = setUp('n1', 'n2', 'n3');
  cache.removeNode('n2');
  cache.updateSnapshot(snapshot);
  t.deepEqual(order(snapshot), ['n1', 'n3']);
  t.is(snapshot.get('n2'), undefined);
  cache.setNode(testNode('n4'));
  cache.updateSnapshot(snapshot);
  t.deepEqual(order(snapshot), ['n1', 'n3', 'n4']);
  t.is(snapshot.get('n4')?.slot, 1);
});

test('SchedulerCache › a node that left and came back between two snapshots keeps its place and shows its new state', (t) => {
  const { cache, snapshot, cpuOf } = setUp('n1', 'n2');
  cache.addPod(webOnN1);
  t.is(cpuOf('n1'), 1500);
  cache.removePod(webOnN1);
  cache.removeNode('n1');
  cache.setNode(testNode('n1', { allocatable: { cpu: '7', pods: '1' } }));
  t.is(cpuOf('n1'), 0);
  t.deepEqual(order(snapshot), ['n1', 'n2']);
  const slot = snapshot.get('n1')?.slot ?? -1;
  t.is(snapshot.columns.arrays.amounts[(slot << AMOUNTS_SHIFT) + TOTAL_CPU], 7000);
});

test('SchedulerCache › a zone relabel does not reorder before the set of nodes changes', (t) => {
  const cache = new SchedulerCache();
  const snapshot = new CacheSnapshot();
  for (const [name, zone] of [
    ['a1', 'a'],
    ['a2', 'a'],
    ['b1', 'b'],
  ] as const)
    cache.setNode(testNode(name, { zone }));
  cache.updateSnapshot(snapshot);
  t.deepEqual(order(snapshot), ['a1', 'b1', 'a2']);
  cache.setNode(testNode('a1', { zone: 'b' }));
  cache.updateSnapshot(snapshot);
  t.deepEqual(order(snapshot), ['a1', 'b1', 'a2']);
  cache.setNode(testNode('b2', { zone: 'b' }));
  cache.updateSnapshot(snapshot);
  t.deepEqual(order(snapshot), ['a2', 'b1', 'a1', 'b2']);
});

test('SchedulerCache › columns grow with the number of nodes', (t) => {
  const names = Array.from({ length: 300 }, (_, index) => `n${index}`);
  const { snapshot, cache } = setUp(...names);
  t.is(snapshot.size, 300);
  t.deepEqual(order(snapshot), names);
  cache.setNode(testNode('last', { labels: { disk: 'ssd' } }));
  cache.updateSnapshot(snapshot);
  const { arrays, tables } = snapshot.columns;
  t.is(tables.labelSets[arrays.labelSet[snapshot.get('last')?.slot ?? -1] ?? 0]?.['disk'], 'ssd');
});

test('SchedulerCache › only changed nodes are written again', (t) => {
  const { cache, snapshot } = setUp('n1', 'n2');
  const before = [...snapshot.columns.arrays.version.subarray(0, 2)];
  cache.addPod(webOnN1);
  cache.updateSnapshot(snapshot);
  t.deepEqual([...snapshot.columns.arrays.version.subarray(0, 2)], [(before[0] ?? 0) + 1, before[1]]);
  // A status that weighs nothing leaves the columns alone.
  cache.updatePod({ ...webOnN1, status: { phase: 'Running' } });
  cache.updateSnapshot(snapshot);
  t.is(snapshot.columns.arrays.version[0], (before[0] ?? 0) + 1);
  t.is(snapshot.get('n1')?.pods[0]?.pod.status.phase, 'Running');
});

test('image states › the number of nodes that have an image is frozen until the node changes', (t) => {
  const images = [{ names: ['app:1'], sizeBytes: 100 }];
  const cache = new SchedulerCache();
  const snapshot = new CacheSnapshot();
  const countOn = (name: string): number | undefined => snapshot.get(name)?.imageStates.get('app:1')?.nodeCount;
  cache.setNode(testNode('n1', { images }));
  cache.updateSnapshot(snapshot);
  cache.setNode(testNode('n2', { images }));
  cache.updateSnapshot(snapshot);
  t.deepEqual([countOn('n1'), countOn('n2')], [1, 2]);
  cache.addPod(webOnN1);
  cache.updateSnapshot(snapshot);
  t.deepEqual([countOn('n1'), countOn('n2')], [2, 2]);
  cache.removeNode('n2');
  cache.updatePod({ ...webOnN1, status: { phase: 'Running' } });
  cache.updateSnapshot(snapshot);
  t.is(countOn('n1'), 1);
});

const node = (name: string, sizeBytes: number): ReturnType<typeof testNode> =>
  testNode(name, { images: [{ names: ['app:1'], sizeBytes }] });

test('image states › the size is the first one seen, until no node has the image any more', (t) => {
  const cache = new SchedulerCache();
  const snapshot = new CacheSnapshot();
  const sizeOn = (name: string): number | undefined => snapshot.get(name)?.imageStates.get('app:1')?.sizeBytes;
  cache.setNode(node('n1', 100));
  cache.setNode(node('n2', 200));
  cache.updateSnapshot(snapshot);
  t.deepEqual([sizeOn('n1'), sizeOn('n2')], [100, 100]);
  cache.removeNode('n1');
  const updated = node('n2', 200);
  cache.setNode(updated);
  cache.updateSnapshot(snapshot);
  t.is(sizeOn('n2'), 200);
});
