import test from 'ava';
import type { EventRecord } from '../../src/api/objects/objects.js';
import type { Connection } from '../../src/bus/bus-types.js';
import { createScene, type Scene } from './scene.js';

const POD = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { namespace: 'default', name: 'p', uid: 'pod-uid', resourceVersion: '7' },
} as const;
const NODE = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n', uid: 'n' } } as const;
/** Unix time of the epoch, in nanoseconds. */
const EPOCH_NANOS = 1_893_456_000_000_000_000n;
const eventName = (object: string, atMs: number, counter = 0): string =>
  `${object}.${(EPOCH_NANOS + BigInt(atMs) * 1_000_000n + BigInt(counter)).toString(16)}`;

function createRecorders(): Scene & { connection: Connection; stored: () => EventRecord[] } {
  const scene = createScene();
  const stored = (): EventRecord[] => [...scene.server.list('Event').items];
  return { ...scene, connection: scene.bus.connect('c'), stored };
}

/** Without what the API server adds. */
function written({ metadata, kind: _kind, apiVersion: _apiVersion, ...rest }: EventRecord): unknown {
  return { name: metadata.name, namespace: metadata.namespace, ...rest };
}

test('an event is written as core/v1 shows those of controllers', async (t) => {
  const { connection, stored, run } = createRecorders();
  await run(1500);
  connection
    .recorder('kubelet', 'n')
    .record(POD, 'Warning', 'BackOff', 'Back-off', { fieldPath: 'spec.containers{c}' });
  await run(10);
  t.deepEqual(stored().map(written), [
    {
      name: eventName('p', 1500),
      namespace: 'default',
      involvedObject: {
        kind: 'Pod',
        namespace: 'default',
        name: 'p',
        uid: 'pod-uid',
        apiVersion: 'v1',
        resourceVersion: '7',
        fieldPath: 'spec.containers{c}',
      },
      reason: 'BackOff',
      message: 'Back-off',
      source: { component: 'kubelet', host: 'n' },
      firstTimestamp: '2030-01-01T00:00:01Z',
      lastTimestamp: '2030-01-01T00:00:01Z',
      count: 1,
      type: 'Warning',
      reportingComponent: 'kubelet',
      reportingInstance: 'n',
    },
  ]);
});

test('events about cluster-scoped objects go to the namespace default', async (t) => {
  const { connection, stored, run } = createRecorders();
  connection.recorder('kubelet').record(NODE, 'Normal', 'NodeReady', 'ready');
  await run(10);
  const [event] = stored();
  t.is(event?.metadata.namespace, 'default');
  t.deepEqual(event?.involvedObject, { kind: 'Node', name: 'n', uid: 'n', apiVersion: 'v1' });
  t.is(event?.reportingInstance, '');
});

test('a repeated message raises the count and the last timestamp of its event', async (t) => {
  const { connection, stored, run } = createRecorders();
  const recorder = connection.recorder('c');
  for (const _ of [1, 2, 3]) {
    recorder.record(POD, 'Normal', 'R', 'same');
    await run(2000);
  }
  const seen = stored().map(({ count, firstTimestamp, lastTimestamp }) => [count, firstTimestamp, lastTimestamp]);
  t.deepEqual(seen, [[3, '2030-01-01T00:00:00Z', '2030-01-01T00:00:04Z']]);
});

test('the tenth distinct message is merged into an event that names no reporting component', async (t) => {
  const { connection, stored, run } = createRecorders();
  const recorder = connection.recorder('c');
  for (let index = 1; index <= 12; index += 1) recorder.record(POD, 'Normal', 'R', `m${index}`);
  await run(20);
  const events = stored();
  t.is(events.length, 10);
  const merged = events.filter(({ reportingComponent }) => reportingComponent === '');
  t.deepEqual(
    merged.map(({ message, count, source }) => ({ message, count, source })),
    [{ message: '(combined from similar events): m12', count: 3, source: { component: 'c' } }],
  );
});

test('an event that expired meanwhile is written again with its old count', async (t) => {
  const { connection, server, stored, run } = createRecorders();
  const recorder = connection.recorder('c');
  recorder.record(POD, 'Normal', 'R', 'same');
  await run(10);
  const name = stored()[0]?.metadata.name ?? '';
  server.delete('Event', { namespace: 'default', name });
  recorder.record(POD, 'Normal', 'R', 'same');
  await run(20);
  t.deepEqual(
    stored().map(({ metadata, count }) => [metadata.name, count]),
    [[name, 2]],
  );
});

test('names of one millisecond count up, over all recorders', async (t) => {
  const { connection, bus, stored, run } = createRecorders();
  connection.recorder('a').record(POD, 'Normal', 'R', 'm');
  connection.recorder('b').record(POD, 'Normal', 'R', 'm');
  bus.connect('other').recorder('a').record(POD, 'Normal', 'R', 'm');
  await run(20);
  t.deepEqual(
    stored().map(({ metadata }) => metadata.name),
    [0, 1, 2].map((counter) => eventName('p', 0, counter)),
  );
});

test('an object name that leaves no room gets a uid for its event', async (t) => {
  const { connection, stored, run } = createRecorders();
  const name = 'x'.repeat(250);
  connection.recorder('a').record({ ...POD, metadata: { ...POD.metadata, name } }, 'Normal', 'R', 'm');
  await run(20);
  t.regex(stored()[0]?.metadata.name ?? '', /^[\da-f-]{36}$/u);
});

test('an event with an action is written as events.k8s.io shows those of the scheduler, repeats as a series', async (t) => {
  const { clock, connection, stored, run } = createRecorders();
  const recorder = connection.recorder('default-scheduler', 'host');
  const attempt = (message: string): void =>
    recorder.record(POD, 'Warning', 'FailedScheduling', message, { action: 'Scheduling', related: NODE });
  attempt('0/1 nodes are available');
  await run(1000);
  const first = {
    name: eventName('p', 0),
    namespace: 'default',
    involvedObject: {
      kind: 'Pod',
      namespace: 'default',
      name: 'p',
      uid: 'pod-uid',
      apiVersion: 'v1',
      resourceVersion: '7',
    },
    reason: 'FailedScheduling',
    message: '0/1 nodes are available',
    source: {},
    type: 'Warning',
    eventTime: '2030-01-01T00:00:00.000000Z',
    action: 'Scheduling',
    related: { kind: 'Node', name: 'n', uid: 'n', apiVersion: 'v1' },
    reportingComponent: 'default-scheduler',
    reportingInstance: 'default-scheduler-host',
  };
  t.deepEqual(stored().map(written), [first]);
  attempt('0/2 nodes are available');
  await run(1000);
  const second = { ...first, series: { count: 2, lastObservedTime: '2030-01-01T00:00:01.000000Z' } };
  t.deepEqual(stored().map(written), [second]);
  attempt('0/3 nodes are available');
  await run(1000);
  t.deepEqual(stored().map(written), [second]);
  await run(720_000);
  t.deepEqual(stored().map(written), [
    { ...first, series: { count: 3, lastObservedTime: '2030-01-01T00:00:02.000000Z' } },
  ]);
  t.true(clock.now() < 3_600_000);
});

test('while the link is cut up to 1,000 events wait, and are written when it is restored', async (t) => {
  const { connection, stored, run } = createRecorders();
  const recorder = connection.recorder('c');
  connection.link.cut();
  for (let index = 0; index <= 1000; index += 1) {
    recorder.record({ ...POD, metadata: { ...POD.metadata, uid: `u${index}` } }, 'Normal', 'R', `m${index}`);
  }
  await run(60_000);
  t.is(stored().length, 0);
  connection.link.restore();
  await run(20);
  const messages = new Set(stored().map(({ message }) => message));
  t.is(messages.size, 1000);
  t.false(messages.has('m1000'));
});

test('refused events are dropped', async (t) => {
  const { connection, stored, run } = createRecorders();
  const regarding = { ...POD, metadata: { ...POD.metadata, namespace: 'absent' } };
  connection.recorder('c').record(regarding, 'Normal', 'R', 'm');
  await t.notThrowsAsync(run(20));
  t.is(stored().length, 0);
});

test('dispose leaves no timer of the recorder', (t) => {
  const { clock, connection } = createRecorders();
  const recorder = connection.recorder('s');
  for (const _ of [1, 2, 3, 4]) recorder.record(POD, 'Normal', 'R', 'm', { action: 'A' });
  t.true(clock.pending > 0);
  connection.dispose();
  t.is(clock.pending, 0);
  recorder.record(POD, 'Normal', 'R', 'm');
  t.is(clock.pending, 0);
});
