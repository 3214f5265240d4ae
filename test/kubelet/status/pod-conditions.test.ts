import test from 'ava';
import type { Container, ContainerStatus, PodCondition } from '../../../src/api/objects/objects.js';
import { ConditionMerger, mergeConditions } from '../../../src/kubelet/status/condition-merge.js';
import { podConditions, type ConditionFacts } from '../../../src/kubelet/status/pod-conditions.js';

const A: Container = { name: 'a', image: 'i' };
const B: Container = { name: 'b', image: 'i' };

function status(name: string, ready: boolean, state: ContainerStatus['state'] = { running: {} }): ContainerStatus {
  return { name, ready, state, image: 'i', imageID: '', restartCount: 0, started: true };
}

function facts(over: Partial<ConditionFacts> = {}): ConditionFacts {
  const spec = { containers: [A, B] };
  const statuses = [status('a', true), status('b', true)];
  return { spec, phase: 'Running', initStatuses: [], statuses, hasSandbox: true, present: [], ...over };
}

test('a pod whose containers are all ready has five true conditions in upstream order', (t) => {
  t.deepEqual(podConditions(facts()), [
    { type: 'PodReadyToStartContainers', status: 'True' },
    { type: 'Initialized', status: 'True' },
    { type: 'Ready', status: 'True' },
    { type: 'ContainersReady', status: 'True' },
    { type: 'PodScheduled', status: 'True' },
  ]);
});

test('unready containers are named, unknown ones first', (t) => {
  const reason = 'ContainersNotReady';
  const message = 'containers with unknown status: [b], containers with unready status: [a]';
  const conditions = podConditions(facts({ statuses: [status('a', false)], hasSandbox: false }));
  t.deepEqual(conditions[0], { type: 'PodReadyToStartContainers', status: 'False' });
  t.deepEqual(conditions[2], { type: 'Ready', status: 'False', reason, message });
  t.deepEqual(conditions[3], { type: 'ContainersReady', status: 'False', reason, message });
});

test('init containers that have not completed are listed until an app container has run', (t) => {
  const spec = { containers: [A], initContainers: [B, { ...B, name: 'c', restartPolicy: 'Always' }] };
  const initStatuses = [status('b', false), { ...status('c', true), started: false }];
  const waiting = { waiting: { reason: 'PodInitializing' } };
  const before = podConditions(facts({ spec, initStatuses, statuses: [status('a', false, waiting)] }));
  t.deepEqual(before[1], {
    type: 'Initialized',
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: 'containers with incomplete status: [b c]',
  });
  t.is(podConditions(facts({ spec, initStatuses, statuses: [status('a', false)] }))[1]?.status, 'True');
});

test('terminal phases give their own reasons', (t) => {
  const ended = { terminated: { exitCode: 0 } };
  const statuses = [status('a', false, ended), status('b', false, ended)];
  const succeeded = podConditions(facts({ phase: 'Succeeded', statuses }));
  t.deepEqual(succeeded[1], { type: 'Initialized', status: 'True', reason: 'PodCompleted' });
  t.deepEqual(succeeded[2], { type: 'Ready', status: 'False', reason: 'PodCompleted' });
  t.deepEqual(podConditions(facts({ phase: 'Failed', statuses }))[3], {
    type: 'ContainersReady',
    status: 'False',
    reason: 'PodFailed',
  });
});

test('readiness gates keep a pod unready while its containers are ready', (t) => {
  const spec = { containers: [A], readinessGates: [{ conditionType: 'x/one' }, { conditionType: 'x/two' }] };
  const present: PodCondition[] = [{ type: 'x/two', status: 'False' }];
  const conditions = podConditions(facts({ spec, present, statuses: [status('a', true)] }));
  t.deepEqual(conditions[2], {
    type: 'Ready',
    status: 'False',
    reason: 'ReadinessGatesNotReady',
    message:
      'corresponding condition of pod readiness gate "x/one" does not exist., ' +
      'the status of pod readiness gate "x/two" is not "True", but False',
  });
  t.is(conditions[3]?.status, 'True');
});

const STORED: PodCondition[] = [
  { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: 'T0' },
  { type: 'x/gate', status: 'True', lastTransitionTime: 'T0' },
];

test('conditions of others come first and stay; a time of transition stays while the status does', (t) => {
  const merged = mergeConditions(STORED, podConditions(facts()), 'T1', 3);
  t.deepEqual(
    merged.map(({ type, lastTransitionTime, observedGeneration }) => [type, lastTransitionTime, observedGeneration]),
    [
      ['x/gate', 'T0', undefined],
      ['PodReadyToStartContainers', 'T1', 3],
      ['Initialized', 'T1', 3],
      ['Ready', 'T1', 3],
      ['ContainersReady', 'T1', 3],
      ['PodScheduled', 'T0', 3],
    ],
  );
});

test('equal conditions are one array, and so are equal merges of one second', (t) => {
  const merger = new ConditionMerger();
  const wanted = merger.canonical(podConditions(facts()));
  t.is(merger.canonical(podConditions(facts())), wanted);
  const merged = merger.merge(STORED, wanted, 'T1', 1);
  t.deepEqual(merged, mergeConditions(STORED, wanted, 'T1', 1));
  t.is(merger.merge(STORED, wanted, 'T1', 1), merged);
  t.not(merger.merge(STORED, wanted, 'T1', 2), merged);
  t.not(merger.merge([...STORED], wanted, 'T1', 1), merged);
  t.not(merger.merge(STORED, merger.canonical(podConditions(facts({ hasSandbox: false }))), 'T1', 1), merged);
  t.is(merger.merge(STORED, wanted, 'T2', 1)[1]?.lastTransitionTime, 'T2');
});
