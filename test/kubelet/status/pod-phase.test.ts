import test from 'ava';
import fc from 'fast-check';
import type { Container, ContainerStatus, PodSpec } from '../../../src/api/objects/objects.js';
import { podPhase, type PhaseFacts } from '../../../src/kubelet/status/pod-phase.js';

type State = 'none' | 'running' | 'waiting' | 'failed-before' | 'succeeded-before' | number;

const ALIVE: PhaseFacts = { isEnding: false, hasAppInstance: true };

function ended(exitCode: number): NonNullable<ContainerStatus['state']> {
  return { terminated: { exitCode } };
}

function status(name: string, state: State, started = true): ContainerStatus[] {
  if (state === 'none') return [];
  const common = { name, image: 'i', imageID: '', ready: false, restartCount: 0, started };
  if (state === 'running') return [{ ...common, state: { running: {} } }];
  if (typeof state === 'number') return [{ ...common, state: ended(state) }];
  const waiting = { waiting: { reason: 'x' } };
  if (state === 'waiting') return [{ ...common, state: waiting, lastState: {} }];
  return [{ ...common, state: waiting, lastState: ended(state === 'failed-before' ? 1 : 0) }];
}

function spec(restartPolicy: NonNullable<PodSpec['restartPolicy']>, apps: number, init: readonly Container[] = []) {
  const containers = Array.from({ length: apps }, (_, index): Container => ({ name: `a${index}`, image: 'i' }));
  return { restartPolicy, containers, initContainers: [...init] };
}

function phase(
  policy: 'Always' | 'OnFailure' | 'Never',
  apps: readonly State[],
  facts: Partial<PhaseFacts> = {},
): string {
  const statuses = apps.flatMap((state, index) => status(`a${index}`, state));
  return podPhase(spec(policy, apps.length), [], statuses, { ...ALIVE, ...facts });
}

test('a container that never ran keeps the pod Pending, even if others run', (t) => {
  t.is(phase('Always', ['waiting']), 'Pending');
  t.is(phase('Always', ['running', 'waiting']), 'Pending');
  t.is(phase('Always', ['none']), 'Pending');
  t.is(phase('Always', ['running', 'none']), 'Pending');
});

test('restart policy decides over a pod whose containers have all stopped', (t) => {
  t.is(phase('Always', [0]), 'Running');
  t.is(phase('Always', ['failed-before']), 'Running');
  t.is(phase('OnFailure', [0, 0]), 'Succeeded');
  t.is(phase('OnFailure', [0, 1]), 'Running');
  t.is(phase('OnFailure', [0, 'failed-before']), 'Running');
  t.is(phase('Never', [0, 0]), 'Succeeded');
  t.is(phase('Never', [0, 1]), 'Failed');
  t.is(phase('Never', [0, 'running']), 'Running');
});

test('a pod that is torn down has Succeeded if all its containers have, whatever the policy', (t) => {
  t.is(phase('Always', [0, 0], { isEnding: true }), 'Succeeded');
  t.is(phase('Always', [0, 137], { isEnding: true }), 'Failed');
  t.is(phase('Always', ['succeeded-before'], { isEnding: true }), 'Failed');
});

const INIT: Container = { name: 'i', image: 'i' };
const SIDECAR: Container = { name: 'i', image: 'i', restartPolicy: 'Always' };

function phaseWith(init: Container, state: State, app: State, facts: Partial<PhaseFacts> = {}, started = true): string {
  return podPhase(spec('Never', 1, [init]), status('i', state, started), status('a0', app), { ...ALIVE, ...facts });
}

test('init containers keep the pod Pending until they have exited 0, and fail it for good under Never', (t) => {
  t.is(phaseWith(INIT, 'running', 'waiting'), 'Pending');
  t.is(phaseWith(INIT, 'waiting', 'waiting'), 'Pending');
  t.is(phaseWith(INIT, 'none', 'waiting'), 'Pending');
  t.is(phaseWith(INIT, 0, 'running'), 'Running');
  t.is(phaseWith(INIT, 1, 'waiting'), 'Failed');
  t.is(phaseWith(INIT, 'failed-before', 'waiting'), 'Failed');
});

test('a sidecar that is not started counts as Pending only before the first app container', (t) => {
  t.is(phaseWith(SIDECAR, 'running', 'running', { hasAppInstance: false }, false), 'Pending');
  t.is(phaseWith(SIDECAR, 'running', 'running', { hasAppInstance: true }, false), 'Running');
});

test('a running sidecar keeps a pod Running whose apps have ended', (t) => {
  t.is(phaseWith(SIDECAR, 'running', 0), 'Running');
  t.is(phaseWith(SIDECAR, 143, 0), 'Succeeded');
});

test('the phase is Running iff something runs or may run again, and nothing has yet to run', (t) => {
  const state = fc.constantFrom<State>('none', 'running', 'waiting', 'failed-before', 0, 1);
  const policy = fc.constantFrom('Always' as const, 'OnFailure' as const, 'Never' as const);
  fc.assert(
    fc.property(policy, fc.array(state, { minLength: 1, maxLength: 4 }), (restartPolicy, states) => {
      const found = phase(restartPolicy, states);
      if (states.includes('waiting') || states.includes('none')) return found === 'Pending';
      if (states.includes('running') || restartPolicy === 'Always') return found === 'Running';
      return states.every((each) => each === 0)
        ? found === 'Succeeded'
        : found === (restartPolicy === 'Never' ? 'Failed' : 'Running');
    }),
  );
  t.pass();
});
