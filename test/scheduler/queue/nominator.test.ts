import test from 'ava';
import type { Pod } from '../../../src/api/objects/objects.js';
import { PodInfo } from '../../../src/scheduler/framework/interface.js';
import type { SchedulingQueue } from '../../../src/scheduler/queue/queue-types.js';
import { FIT_HINTS, GATE_HINTS, gates, podOf, setUp } from './fixtures.js';

const infoOf = (pod: Pod): PodInfo => new PodInfo(pod);
const namesOn = (queue: SchedulingQueue, node: string): string[] =>
  queue.nominatedPodsForNode(node).map(({ pod }) => pod.metadata.name);

test('pods are nominated in order, and a new nomination goes to the end', (t) => {
  const { queue } = setUp();
  for (const name of ['a', 'b', 'c']) queue.addNominatedPod(infoOf(podOf(name)), 'n1');
  queue.addNominatedPod(infoOf(podOf('a')), 'n1');
  queue.addNominatedPod(infoOf(podOf('b')), 'n2');
  t.deepEqual(namesOn(queue, 'n1'), ['c', 'a']);
  t.deepEqual(namesOn(queue, 'n2'), ['b']);
  t.is(queue.nominatedNodeOf('uid-b'), 'n2');
  t.is(queue.nominatedCount, 3);
  queue.addNominatedPod(infoOf(podOf('b')), '');
  queue.deleteNominatedPodIfExists(podOf('c'));
  queue.delete(podOf('a'));
  t.is(queue.nominatedCount, 0);
  t.deepEqual(namesOn(queue, 'n1'), []);
});

test('a pod that was created with a nomination enters when it becomes active, a gated one does not', (t) => {
  const { queue } = setUp({ preEnqueue: [gates], hints: [...GATE_HINTS, ...FIT_HINTS] });
  queue.add(podOf('p', { nominatedNodeName: 'n1' }));
  queue.add(podOf('gated', { nominatedNodeName: 'n1', gates: ['a'] }));
  t.deepEqual(namesOn(queue, 'n1'), ['p']);
});

test('a pod that is gone or bound is not nominated', (t) => {
  const known = new Map([
    ['default/bound', podOf('bound', { nodeName: 'n2' })],
    ['default/there', podOf('there')],
  ]);
  const { queue } = setUp({ findPod: (key) => known.get(key) });
  for (const name of ['gone', 'bound', 'there']) queue.addNominatedPod(infoOf(podOf(name)), 'n1');
  t.deepEqual(namesOn(queue, 'n1'), ['there']);
});

test('a nomination in memory outlives an update that knows of none', (t) => {
  const { queue } = setUp();
  queue.add(podOf('p'));
  queue.addNominatedPod(infoOf(podOf('p')), 'n1');
  queue.update(podOf('p'), podOf('p', { labels: { x: '1' } }));
  t.deepEqual(
    queue.nominatedPodsForNode('n1').map(({ pod }) => pod.metadata.labels),
    [{ x: '1' }],
  );
  queue.update(podOf('p'), podOf('p', { nominatedNodeName: 'n2' }));
  t.deepEqual([namesOn(queue, 'n1'), namesOn(queue, 'n2')], [[], ['p']]);
  queue.update(podOf('p', { nominatedNodeName: 'n2' }), podOf('p'));
  t.is(queue.nominatedCount, 0);
});

test('a list of nominated pods does not change under its reader', (t) => {
  const { queue } = setUp();
  queue.addNominatedPod(infoOf(podOf('a')), 'n1');
  const before = queue.nominatedPodsForNode('n1');
  queue.addNominatedPod(infoOf(podOf('b')), 'n1');
  t.is(before.length, 1);
});
