import test from 'ava';
import { NODE_ADD, podOf, setUp } from './fixtures.js';

test('active pods leave by priority, then by timestamp, then by order of arrival', async (t) => {
  const { queue, at, popName } = setUp();
  queue.add(podOf('old-1'));
  queue.add(podOf('old-2', { priority: 0 }));
  await at(5);
  queue.add(podOf('new'));
  queue.add(podOf('negative', { priority: -1 }));
  queue.add(podOf('high', { priority: 10 }));
  t.deepEqual(
    [popName(), popName(), popName(), popName(), popName(), popName()],
    ['high', 'old-1', 'old-2', 'new', 'negative', undefined],
  );
});

test('counters follow the attempts: rejections and errors are told apart', async (t) => {
  const { queue, at, mustPop, reject } = setUp();
  queue.add(podOf('p'));
  const info = mustPop();
  t.is(info.attempts, 1);
  t.is(info.initialAttemptTimestampMs, 0);
  await at(100);
  queue.addUnschedulableIfNotPresent(info);
  t.like(info, { consecutiveErrorsCount: 1, unschedulableCount: 0, timestampMs: 100 });
  await at(3000);
  t.is(mustPop(), info);
  queue.addUnschedulableIfNotPresent(info);
  t.like(info, { attempts: 2, consecutiveErrorsCount: 2, unschedulableCount: 0, timestampMs: 3000 });
  await at(9000);
  mustPop();
  reject(info, 'Fit');
  t.like(info, { attempts: 3, consecutiveErrorsCount: 0, unschedulableCount: 1, timestampMs: 9000 });
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  t.is(info.timestampMs, 9000, 'an event does not rewrite the timestamp');
  t.deepEqual([...mustPop().unschedulablePlugins], [], 'pop clears the verdicts of the last attempt');
});

test('back-off doubles from the initial to the maximal duration', async (t) => {
  const { queue, at, clock, mustPop, ready } = setUp();
  queue.add(podOf('p'));
  const waitedSeconds: number[] = [];
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    await at(clock.now());
    queue.addUnschedulableIfNotPresent(mustPop());
    const startMs = clock.now();
    const before = ready.count;
    await clock.run({ isDone: () => ready.count > before });
    waitedSeconds.push((clock.now() - startMs) / 1000);
  }
  // The second in which the back-off ends still counts as waiting.
  t.deepEqual(waitedSeconds, [2, 3, 5, 9, 11, 11]);
});

test('a failure at 10.3 s with 1 s of back-off leaves at the tick of 12 s', async (t) => {
  const { queue, at, mustPop, depths } = setUp();
  await at(10_300);
  queue.add(podOf('p'));
  queue.addUnschedulableIfNotPresent(mustPop());
  await at(11_999);
  t.is(depths(), 'active 0, backoff 1, unschedulable 0, gated 0, in flight 0');
  await at(12_000);
  t.is(depths(), 'active 1, backoff 0, unschedulable 0, gated 0, in flight 0');
});

test('the fourth failure, at 20.0 s, ends its back-off at 28 and leaves at 29 s', async (t) => {
  const { queue, at, mustPop, depths, reject } = setUp();
  queue.add(podOf('p'));
  const info = mustPop();
  info.unschedulableCount = 3;
  await at(20_000);
  reject(info, 'Fit');
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  t.is(info.backoffExpirationMs, 28_000);
  await at(28_999);
  t.is(depths(), 'active 0, backoff 1, unschedulable 0, gated 0, in flight 0');
  await at(29_000);
  t.is(depths(), 'active 1, backoff 0, unschedulable 0, gated 0, in flight 0');
});

test('a maximum of 0 turns back-off off', (t) => {
  const { queue, mustPop, depths } = setUp({ podMaxBackoffSeconds: 0 });
  queue.add(podOf('p'));
  queue.addUnschedulableIfNotPresent(mustPop());
  t.is(depths(), 'active 1, backoff 0, unschedulable 0, gated 0, in flight 0');
});

test('an initial back-off above the maximum is the maximum', async (t) => {
  const { queue, at, mustPop, depths } = setUp({ podInitialBackoffSeconds: 7, podMaxBackoffSeconds: 3 });
  queue.add(podOf('p'));
  queue.addUnschedulableIfNotPresent(mustPop());
  await at(3999);
  t.is(depths(), 'active 0, backoff 1, unschedulable 0, gated 0, in flight 0');
  await at(4000);
  t.is(depths(), 'active 1, backoff 0, unschedulable 0, gated 0, in flight 0');
});

test('with an empty active queue the first rejected pod that backs off is popped, by expiry and then by the active order', async (t) => {
  const { queue, at, mustPop, popName, reject, ready } = setUp();
  for (const name of ['late', 'early', 'early-high', 'early-too']) {
    queue.add(podOf(name, { priority: name === 'early-high' ? 5 : 0 }));
  }
  const infos = new Map(
    [mustPop(), mustPop(), mustPop(), mustPop()].map((info) => [info.podInfo.pod.metadata.name, info]),
  );
  for (const name of ['early-too', 'early', 'early-high']) {
    const info = infos.get(name);
    t.truthy(info);
    if (info !== undefined) reject(info, 'Fit');
  }
  await at(1000);
  const late = infos.get('late');
  if (late !== undefined) reject(late, 'Fit');
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  t.is(ready.count, 5);
  const names: unknown[] = [];
  for (let nowMs = 1001; nowMs <= 1005; nowMs += 1) {
    names.push(popName());
    await at(nowMs);
  }
  t.deepEqual(names, ['early-high', 'early-too', 'early', 'late', undefined]);
});

test('one pod in a millisecond is popped before its back-off has ended; the next millisecond calls', async (t) => {
  const { queue, clock, at, mustPop, popName, reject, ready, depths } = setUp();
  for (const name of ['a', 'b', 'c']) queue.add(podOf(name));
  for (const info of [mustPop(), mustPop(), mustPop()]) reject(info, 'Fit');
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  t.deepEqual([popName(), popName(), popName()], ['a', undefined, undefined]);
  const before = ready.count;
  await at(1);
  t.is(ready.count, before + 1);
  queue.add(podOf('active-1'));
  queue.add(podOf('active-2'));
  t.deepEqual([popName(), popName(), popName(), popName()], ['active-1', 'active-2', 'b', undefined]);
  const pending = clock.pending;
  queue.delete(podOf('c'));
  t.is(clock.pending, pending - 2, 'nobody waits for the end of a back-off, nor for the next millisecond');
  t.is(depths(), 'active 0, backoff 0, unschedulable 0, gated 0, in flight 4');
});

test('a glance at the active queue shows the pods that are popped next, and takes none', (t) => {
  const { queue, popName } = setUp();
  for (const [name, priority] of [
    ['a', 1],
    ['gone', 9],
    ['b', 3],
    ['c', 2],
    ['d', 2],
  ] as const) {
    queue.add(podOf(name, { priority }));
  }
  queue.delete(podOf('gone', { priority: 9 }));
  const names = (limit: number): string[] => queue.peek(limit).map(({ podInfo }) => podInfo.pod.metadata.name);
  t.deepEqual(names(0), []);
  t.deepEqual(names(3), ['b', 'c', 'd']);
  t.deepEqual(names(9), ['b', 'c', 'd', 'a']);
  t.deepEqual([popName(), popName(), popName(), popName(), popName()], ['b', 'c', 'd', 'a', undefined]);
});

test('a pod that failed with an error is never popped before its back-off has ended', async (t) => {
  const { queue, at, mustPop, popName } = setUp();
  queue.add(podOf('p'));
  queue.addUnschedulableIfNotPresent(mustPop());
  t.is(popName(), undefined);
  await at(2000);
  t.is(popName(), 'p');
});

test('an active pod goes before one that backs off, whatever their priorities', (t) => {
  const { queue, mustPop, popName, reject } = setUp();
  queue.add(podOf('waiting', { priority: 100 }));
  reject(mustPop(), 'Fit');
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  queue.add(podOf('active'));
  t.deepEqual([popName(), popName()], ['active', 'waiting']);
});

test('rejected pods end their back-off before failed ones of the same second', async (t) => {
  const { queue, at, mustPop, popName, reject } = setUp();
  queue.add(podOf('a'));
  queue.add(podOf('b'));
  const a = mustPop();
  const b = mustPop();
  queue.addUnschedulableIfNotPresent(a);
  reject(b, 'Fit');
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  await at(2000);
  t.deepEqual([popName(), popName()], ['b', 'a']);
});

test('timers are there only while a pod waits for time to pass', async (t) => {
  const { queue, at, clock, mustPop, popName, reject } = setUp();
  t.is(clock.pending, 0);
  queue.add(podOf('p'));
  t.is(clock.pending, 0);
  reject(mustPop(), 'Fit');
  t.is(clock.pending, 1, 'the five-minute flush');
  queue.moveAllToActiveOrBackoffQueue(NODE_ADD, undefined, undefined);
  t.is(clock.pending, 1, 'the end of the back-off');
  t.is(popName(), 'p');
  t.is(clock.pending, 0);
  await at(10_000);
  queue.done('uid-p');
  queue.add(podOf('q'));
  queue.addUnschedulableIfNotPresent(mustPop());
  queue.delete(podOf('q'));
  t.is(clock.pending, 0);
  queue.add(podOf('r'));
  reject(mustPop(), 'Fit');
  queue.close();
  t.is(clock.pending, 0);
});

test('a pod comes back once: a second time is refused', (t) => {
  const { queue, mustPop, depths } = setUp();
  queue.add(podOf('p'));
  const info = mustPop();
  t.true(queue.addUnschedulableIfNotPresent(info));
  t.false(queue.addUnschedulableIfNotPresent(info));
  t.is(depths(), 'active 0, backoff 1, unschedulable 0, gated 0, in flight 0');
});

test('a pod that was recreated while its namesake is in flight is an entry of its own', (t) => {
  const { queue, mustPop, popName, depths } = setUp();
  queue.add(podOf('p', { uid: 'first' }));
  const first = mustPop();
  queue.delete(podOf('p', { uid: 'first' }));
  queue.add(podOf('p', { uid: 'second' }));
  t.false(queue.addUnschedulableIfNotPresent(first), 'its name is taken');
  t.is(popName(), 'p');
  t.is(depths(), 'active 0, backoff 0, unschedulable 0, gated 0, in flight 1');
});
