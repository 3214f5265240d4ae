import test from 'ava';
import { VirtualClock } from '../../../src/kernel/engine/virtual-clock.js';
import { CycleState, StateKey, type StateData } from '../../../src/scheduler/framework/cycle-state.js';
import { Framework } from '../../../src/scheduler/framework/framework.js';
import type { AnyPlugin, NodeToStatus, PreFilterResult } from '../../../src/scheduler/framework/interface.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import { Code, createStatus, type Status } from '../../../src/scheduler/framework/status.js';
import { CacheSnapshot } from '../../../src/scheduler/cache/snapshot.js';
import { testPod } from '../support/objects.js';

const SORT: AnyPlugin = { name: 'Sort', less: () => false };
const pod = new PodInfo(testPod('p'));
const snapshot = new CacheSnapshot();

function frameworkOf(...plugins: readonly AnyPlugin[]): Framework {
  return new Framework(
    [SORT, ...plugins].map((plugin) => ({ plugin })),
    new VirtualClock(),
  );
}

function preFilter(name: string, result: PreFilterResult | undefined): AnyPlugin {
  return { name, preFilter: () => result, filter: () => undefined };
}

const rejectedBy = (name: string, code: Code = Code.Unschedulable): Status =>
  createStatus(code, name, `no from ${name}`);

const runPreFilter = (...plugins: readonly AnyPlugin[]): ReturnType<Framework['runPreFilter']> =>
  frameworkOf(...plugins).runPreFilter(new CycleState(), pod, snapshot);

const names = (...list: readonly string[]): PreFilterResult => ({ nodeNames: new Set(list) });

const post = (name: string, status: Status | undefined, nominatedNodeName?: string): AnyPlugin => ({
  name,
  postFilter: () => ({ status, nominatedNodeName }),
});

const waiting = (name: string, timeoutMs: number): AnyPlugin => ({
  name,
  permit: () => ({ status: createStatus(Code.Wait, name), timeoutMs }),
});

test('PreFilter › a plugin that skips is left out of Filter', (t) => {
  const state = new CycleState();
  const framework = frameworkOf(preFilter('A', { status: createStatus(Code.Skip, 'A') }), preFilter('B', undefined));
  t.is(framework.runPreFilter(state, pod, snapshot).status, undefined);
  t.deepEqual([...state.skippedFilters], ['A']);
});

test('PreFilter › Unschedulable is remembered and replaced by a later one, the unresolvable stops at once', (t) => {
  const called: string[] = [];
  const noting = (name: string, status: Status | undefined): AnyPlugin => ({
    name,
    preFilter() {
      called.push(name);
      return { status };
    },
  });
  t.is(
    runPreFilter(noting('A', rejectedBy('A')), noting('B', rejectedBy('B')), noting('C', undefined)).status?.plugin,
    'B',
  );
  t.deepEqual(called.splice(0), ['A', 'B', 'C']);
  const final = rejectedBy('A', Code.UnschedulableAndUnresolvable);
  t.is(runPreFilter(noting('A', final), noting('B', rejectedBy('B'))).status, final);
  t.deepEqual(called, ['A']);
});

test('PreFilter › an error names its plugin', (t) => {
  const framework = frameworkOf(preFilter('A', { status: createStatus(Code.Error, 'A', 'broken') }));
  t.deepEqual(
    framework.runPreFilter(new CycleState(), pod, snapshot).status,
    createStatus(Code.Error, 'A', 'running PreFilter plugin "A": broken'),
  );
});

test('PreFilter › names are intersected; nothing left has a text for one plugin and one for several', (t) => {
  const both = runPreFilter(preFilter('B', names('n1', 'n2')), preFilter('A', names('n2', 'n3')));
  t.deepEqual([...(both.nodeNames ?? [])], ['n2']);
  t.deepEqual([...(both.narrowedBy ?? [])], ['B', 'A']);
  t.deepEqual(runPreFilter(preFilter('A', names())).status?.reasons, ["node(s) didn't satisfy plugin A"]);
  t.deepEqual(runPreFilter(preFilter('B', names('n1')), preFilter('A', names('n2'))).status?.reasons, [
    "node(s) didn't satisfy plugin(s) [A B] simultaneously",
  ]);
});

test('PostFilter › runs until one succeeds; reasons of the others are collected', (t) => {
  const statuses = {} as NodeToStatus;
  const run = (...plugins: AnyPlugin[]): unknown =>
    frameworkOf(...plugins).runPostFilter(new CycleState(), pod, statuses);
  t.deepEqual(run(post('A', rejectedBy('A')), post('B', rejectedBy('B'), '')), {
    nominatedNodeName: '',
    status: createStatus(Code.Unschedulable, 'A', 'no from A', 'no from B'),
  });
  t.deepEqual(run(post('A', rejectedBy('A')), post('B', undefined, 'n1'), post('C', rejectedBy('C'))), {
    nominatedNodeName: 'n1',
    status: undefined,
  });
  const error = createStatus(Code.Error, 'A', 'not found');
  t.deepEqual(run(post('A', error), post('B', undefined, 'n1')), { status: error });
});

test('Reserve › is taken back in reverse order, also where it was not reached', (t) => {
  const calls: string[] = [];
  const reserving = (name: string, status?: Status): AnyPlugin => ({
    name,
    reserve() {
      calls.push(`reserve ${name}`);
      return status;
    },
    unreserve: () => void calls.push(`unreserve ${name}`),
  });
  const framework = frameworkOf(reserving('A'), reserving('B', rejectedBy('B')), reserving('C'));
  const state = new CycleState();
  t.is(framework.runReserve(state, pod, 'n1')?.plugin, 'B');
  framework.runUnreserve(state, pod, 'n1');
  t.deepEqual(calls, ['reserve A', 'reserve B', 'unreserve C', 'unreserve B', 'unreserve A']);
});

test('Bind › goes to the first plugin that does not skip', (t) => {
  const calls: string[] = [];
  const binding = (name: string, status?: Status): AnyPlugin => ({
    name,
    bind(_state, _pod, _node, done) {
      calls.push(name);
      done(status);
    },
  });
  const outcomes: (Status | undefined)[] = [];
  const skip = createStatus(Code.Skip, 'A');
  frameworkOf(binding('A', skip), binding('B'), binding('C')).runBind(new CycleState(), pod, 'n', (status) =>
    outcomes.push(status),
  );
  t.deepEqual(calls, ['A', 'B']);
  frameworkOf(binding('A', skip)).runBind(new CycleState(), pod, 'n', (status) => outcomes.push(status));
  t.deepEqual(outcomes, [undefined, createStatus(Code.Skip, '', 'all bind plugins skipped')]);
});

test('Permit › a pod waits for every plugin that asked for it', async (t) => {
  const clock = new VirtualClock();
  const framework = new Framework(
    [SORT, waiting('A', 90_000), waiting('B', 3_600_000)].map((plugin) => ({ plugin })),
    clock,
  );
  const outcomes: (Status | undefined)[] = [];
  t.is(framework.runPermit(new CycleState(), pod, 'n')?.code, Code.Wait);
  framework.waitingPods.whenAllowed(pod.pod, (status) => outcomes.push(status));
  const waitingPod = framework.waitingPods.get(pod.pod.metadata.uid);
  waitingPod?.allow('A');
  t.deepEqual([outcomes.length, waitingPod?.pendingPlugins], [0, ['B']]);
  waitingPod?.allow('B');
  t.deepEqual(outcomes, [undefined]);
  t.is(clock.pending, 0);
  framework.runPermit(new CycleState(), pod, 'n');
  framework.waitingPods.whenAllowed(pod.pod, (status) => outcomes.push(status));
  await clock.run();
  t.is(clock.now(), 90_000);
  t.deepEqual(
    outcomes[1],
    createStatus(Code.Unschedulable, 'A', 'rejected due to timeout after waiting 1m30s at plugin A'),
  );
});

test('CycleState › a copy keeps to itself what happens to it', (t) => {
  class Counter implements StateData {
    constructor(public value: number) {}
    clone(): Counter {
      return new Counter(this.value);
    }
  }
  const key = new StateKey<Counter>('Counter');
  const state = new CycleState();
  state.write(key, new Counter(1));
  const copy = state.clone();
  const counter = copy.read(key);
  if (counter !== undefined) counter.value = 2;
  t.is(state.read(key)?.value, 1);
  copy.delete(key);
  t.deepEqual([state.read(key)?.value, copy.read(key)], [1, undefined]);
});
