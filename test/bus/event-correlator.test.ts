import test from 'ava';
import { EventCorrelator, type ReportedEvent } from '../../src/bus/event-correlator.js';

const EVENT: ReportedEvent = { object: 'o', type: 'Normal', reason: 'R', message: 'a', fieldPath: '' };

/** Feeds events of one object to a correlator; each verdict as `<event name>×<count>: <message>`. */
function feed(): (message: string, nowMs?: number, reason?: string, object?: string) => string | undefined {
  const correlator = new EventCorrelator();
  let names = 0;
  return (message, nowMs = 0, reason = 'R', object = 'o') => {
    const verdict = correlator.correlate({ ...EVENT, object, reason, message }, nowMs, () => `e${(names += 1)}`);
    return verdict && `${verdict.observation.name}×${verdict.observation.count}: ${verdict.message}`;
  };
}

test('an identical message raises the count of its event, also among others and much later', (t) => {
  const event = feed();
  t.is(event('a'), 'e1×1: a');
  t.is(event('b'), 'e2×1: b');
  t.is(event('a'), 'e1×2: a');
  t.is(event('a', 3_000_000), 'e1×3: a');
});

test('the 10th distinct message and later ones are merged into one event', (t) => {
  const event = feed();
  for (let index = 1; index <= 9; index += 1) t.is(event(`m${index}`), `e${index}×1: m${index}`);
  t.is(event('m10'), 'e10×1: (combined from similar events): m10');
  t.is(event('m11'), 'e10×2: (combined from similar events): m11');
  t.is(event('m9'), 'e9×2: m9');
  t.is(event('m12'), 'e10×3: (combined from similar events): m12');
});

test('other reasons and other objects are not merged with these', (t) => {
  const event = feed();
  for (let index = 1; index <= 9; index += 1) event(`m${index}`);
  t.is(event('m10', 0, 'Other'), 'e10×1: m10');
  t.is(event('m10', 0, 'R', 'p'), 'e11×1: m10');
  t.is(event('m10'), 'e12×1: (combined from similar events): m10');
});

test('after more than ten minutes of silence messages count as distinct anew', (t) => {
  const quiet = feed();
  for (let index = 1; index <= 9; index += 1) quiet(`m${index}`);
  t.is(quiet('m10', 600_001), 'e10×1: m10');
  const busy = feed();
  for (let index = 1; index <= 9; index += 1) busy(`m${index}`);
  t.is(busy('m10', 600_000), 'e10×1: (combined from similar events): m10');
});

test('an object may cause 25 events at once, and one more each five minutes', (t) => {
  const event = feed();
  for (let index = 1; index <= 25; index += 1) t.is(event('a'), `e1×${index}: a`);
  t.is(event('a'), undefined);
  t.is(event('a', 0, 'R', 'p'), 'e2×1: a');
  t.is(event('a', 299_999), undefined);
  t.is(event('a', 300_000), 'e1×28: a');
  t.is(event('a', 599_999), undefined);
  t.is(event('a', 600_000), 'e1×30: a');
});

test('a message with another field path is another event', (t) => {
  const correlator = new EventCorrelator();
  const name = (fieldPath: string): string | undefined =>
    correlator.correlate({ ...EVENT, fieldPath }, 0, () => fieldPath)?.observation.name;
  t.deepEqual([name('x'), name('y'), name('x')], ['x', 'y', 'x']);
});

test('no more than 4096 objects are remembered, those used last', (t) => {
  const correlator = new EventCorrelator();
  let names = 0;
  const count = (object: string): number | undefined =>
    correlator.correlate({ ...EVENT, object }, 0, () => `e${(names += 1)}`)?.observation.count;
  for (let index = 0; index < 4096; index += 1) count(`o${index}`);
  t.is(count('o0'), 2);
  t.is(count('new'), 1);
  t.is(correlator.size, 4096);
  t.is(count('o0'), 3);
  t.is(count('o1'), 1);
});

test('objects that were silent for more than an hour are forgotten', (t) => {
  const correlator = new EventCorrelator();
  const at = (object: string, nowMs: number): void => void correlator.correlate({ ...EVENT, object }, nowMs, () => 'e');
  at('a', 0);
  at('b', 1);
  at('c', 3_600_000);
  t.is(correlator.size, 3);
  at('c', 3_600_001);
  t.is(correlator.size, 2);
});

test('a component may say which events count together, and how many of them it tells', (t) => {
  const limit = {
    qps: 1 / 300,
    burst: 1,
    keyOf: ({ object, reason }: { object: string; reason: string }) => object + reason,
  };
  const correlator = new EventCorrelator(limit);
  const told = (own: Partial<typeof EVENT>, nowMs: number): number | undefined =>
    correlator.correlate({ ...EVENT, ...own }, nowMs, () => 'e')?.observation.count;
  t.is(told({}, 0), 1);
  t.is(told({}, 1000), undefined);
  t.is(told({ message: 'another' }, 1000), undefined, 'whatever its message');
  t.is(told({ reason: 'Other' }, 1000), 1);
  t.is(told({ object: 'b' }, 1000), 1);
  t.is(told({}, 299_999), undefined);
  t.is(told({}, 300_000), 4, 'those that were not told are counted');
});
