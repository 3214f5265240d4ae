import test from 'ava';
import type { Container, ContainerStatus } from '../../../src/api/objects/objects.js';
import { finalStatuses } from '../../../src/kubelet/containers/final-status.js';

const WAITING = { waiting: { reason: 'PodInitializing' } };
const ENDED = { terminated: { exitCode: 0 } };
const LOST = {
  terminated: {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
  },
};

function status(name: string, state: ContainerStatus['state']): ContainerStatus {
  return { name, ready: false, image: 'i', imageID: '', restartCount: 0, started: false, state: state ?? {} };
}

function container(name: string): Container {
  return { name, image: 'i' };
}

function states(statuses: readonly ContainerStatus[]): unknown[] {
  return statuses.map(({ state }) => state);
}

test('containers of a pod without init containers that never ran count as lost', (t) => {
  const { statuses } = finalStatuses({ containers: [container('a')] }, [], [status('a', WAITING)]);
  t.deepEqual(states(statuses), [LOST]);
});

test('init containers count as lost up to the last that was started, and the first in any case', (t) => {
  const spec = { containers: [container('a')], initContainers: [container('i'), container('j'), container('k')] };
  const none = [status('i', WAITING), status('j', WAITING), status('k', WAITING)];
  t.deepEqual(states(finalStatuses(spec, none, [status('a', WAITING)]).initStatuses), [LOST, WAITING, WAITING]);
  const some = [status('i', ENDED), status('j', { running: {} }), status('k', WAITING)];
  const ended = finalStatuses(spec, some, [status('a', WAITING)]);
  t.deepEqual(states(ended.initStatuses), [ENDED, LOST, WAITING]);
  t.deepEqual(states(ended.statuses), [WAITING]);
});

test('once the init containers are done, app containers that never ran count as lost', (t) => {
  const spec = { containers: [container('a')], initContainers: [container('i')] };
  t.deepEqual(states(finalStatuses(spec, [status('i', ENDED)], [status('a', WAITING)]).statuses), [LOST]);
});
