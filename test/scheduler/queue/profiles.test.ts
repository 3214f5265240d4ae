import test from 'ava';
import { Code, createStatus } from '../../../src/scheduler/framework/status.js';
import { ActionType, clusterEvent } from '../../../src/scheduler/framework/cluster-event.js';
import { NODE_ADD, podOf, registered, setUp } from './fixtures.js';

const POD_DELETE = clusterEvent('AssignedPod', ActionType.Delete, 'AssignedPodDelete');

const gate = {
  name: 'Gate',
  preEnqueue: () => createStatus(Code.UnschedulableAndUnresolvable, 'Gate', 'closed'),
};

test('a pod asks the hints of its own profile only', (t) => {
  const { queue, mustPop, reject, depths } = setUp({
    profiles: new Map([
      ['default-scheduler', { preEnqueue: [], hints: [registered('Fit', 'Node', ActionType.Add)] }],
      ['other', { preEnqueue: [], hints: [registered('Fit', 'Pod', ActionType.Delete)] }],
    ]),
  });
  queue.add(podOf('a'));
  queue.add(podOf('b', { spec: { schedulerName: 'other' } }));
  for (const info of [mustPop(), mustPop()]) reject(info, 'Fit');
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  t.is(depths(), 'active 0, backoff 1, unschedulable 1, gated 0, in flight 0');
  t.is(mustPop().podInfo.key, 'default/a');
  queue.moveAllToActiveOrBackoffQueue(POD_DELETE, podOf('gone'), undefined);
  t.is(depths(), 'active 0, backoff 1, unschedulable 0, gated 0, in flight 1');
});

test('a pod passes the gates of its own profile only', (t) => {
  const { queue, popName, depths } = setUp({
    profiles: new Map([
      ['default-scheduler', { preEnqueue: [gate], hints: [] }],
      ['other', { preEnqueue: [], hints: [] }],
    ]),
  });
  queue.add(podOf('a', { spec: { schedulerName: 'default-scheduler' } }));
  queue.add(podOf('b', { spec: { schedulerName: 'other' } }));
  t.is(depths(), 'active 1, backoff 0, unschedulable 0, gated 1, in flight 0');
  t.is(popName(), 'b');
});
