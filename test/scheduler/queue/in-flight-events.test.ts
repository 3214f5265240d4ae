import test from 'ava';
import { InFlightEvents } from '../../../src/scheduler/queue/in-flight-events.js';
import { NODE_ADD, podOf } from './fixtures.js';

const namesSince = (inFlight: InFlightEvents, uid: string): unknown =>
  inFlight.since(uid)?.map(({ newObject }) => newObject?.metadata.name);

test('events are kept from the pop of the first pod in flight to the end of the last', (t) => {
  const inFlight = new InFlightEvents();
  inFlight.record(NODE_ADD, undefined, podOf('nobody-listens'));
  inFlight.start('a');
  inFlight.record(NODE_ADD, undefined, podOf('1'));
  inFlight.start('b');
  inFlight.record(NODE_ADD, undefined, podOf('2'));
  t.deepEqual(namesSince(inFlight, 'a'), ['1', '2']);
  t.deepEqual(namesSince(inFlight, 'b'), ['2']);
  t.is(inFlight.since('c'), undefined);
  inFlight.done('a');
  inFlight.done('a');
  t.deepEqual(namesSince(inFlight, 'b'), ['2']);
  inFlight.done('b');
  t.deepEqual([inFlight.size, inFlight.eventCount], [0, 0]);
  inFlight.start('d');
  t.deepEqual(namesSince(inFlight, 'd'), []);
});

test('the pod that was popped first may be done last, and others may come and go meanwhile', (t) => {
  const inFlight = new InFlightEvents();
  inFlight.start('a');
  inFlight.record(NODE_ADD, undefined, podOf('1'));
  inFlight.start('b');
  inFlight.done('a');
  inFlight.start('c');
  inFlight.record(NODE_ADD, undefined, podOf('2'));
  inFlight.done('b');
  t.deepEqual([inFlight.has('a'), inFlight.has('b'), inFlight.has('c'), inFlight.size], [false, false, true, 1]);
  t.deepEqual(namesSince(inFlight, 'c'), ['2']);
  inFlight.start('d');
  inFlight.record(NODE_ADD, undefined, podOf('3'));
  inFlight.done('c');
  t.deepEqual(namesSince(inFlight, 'd'), ['3']);
  inFlight.clear();
  t.deepEqual([inFlight.size, inFlight.eventCount, inFlight.since('d')], [0, 0, undefined]);
});

test('a long flight of many pods drops what is not needed', (t) => {
  const inFlight = new InFlightEvents();
  for (let index = 0; index < 20_000; index += 1) {
    inFlight.start(`uid-${index}`);
    inFlight.record(NODE_ADD, undefined, podOf(String(index)));
    if (index >= 2) inFlight.done(`uid-${index - 2}`);
  }
  t.deepEqual(namesSince(inFlight, 'uid-19999'), ['19999']);
  t.deepEqual(namesSince(inFlight, 'uid-19998'), ['19998', '19999']);
  t.true(inFlight.eventCount < 4096);
});
