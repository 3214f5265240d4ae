import test from 'ava';
import { PartyLink } from '../../src/bus/link.js';
import { InvariantError } from '../../src/kernel/assert.js';
import { randomStream } from '../../src/kernel/random.js';

const createLink = (party: string, latency?: PartyLink['latency']): PartyLink =>
  new PartyLink(party, latency, () => randomStream('seed', `link/${party}`));

test('a link draws a fixed latency of 1 to 5 ms from its own stream', (t) => {
  const latencies = Array.from({ length: 200 }, (_, index) => createLink(`p${index}`).latency);
  t.deepEqual(
    [...new Set(latencies)].sort((a, b) => Number(a) - Number(b)),
    [1, 2, 3, 4, 5],
  );
  const link = createLink('p7');
  t.is(link.latency, latencies[7] ?? 0);
  t.deepEqual(
    Array.from({ length: 5 }, () => link.drawLatencyMs()),
    Array.from({ length: 5 }, () => latencies[7]),
  );
});

test('a latency may be a function of the stream, is rounded up and never negative', (t) => {
  const link = createLink('p', (random) => random.int(10, 20) - 0.5);
  const drawn = Array.from({ length: 300 }, () => link.drawLatencyMs());
  t.deepEqual(
    [...new Set(drawn)].sort((a, b) => a - b),
    [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20],
  );
  link.latency = () => -3;
  t.is(link.drawLatencyMs(), 0);
});

test('the stream is opened once, however often the latency changes', (t) => {
  let opened = 0;
  const link = new PartyLink('p', undefined, () => {
    opened += 1;
    return randomStream('seed', 'p');
  });
  t.is(opened, 0);
  link.drawLatencyMs();
  link.latency = (random) => random.int(1, 9);
  link.drawLatencyMs();
  link.drawLatencyMs();
  t.is(opened, 1);
});

test('a latency that is no finite number of milliseconds is refused', (t) => {
  for (const latency of [-1, Number.NaN, Infinity]) {
    t.throws(() => createLink('p', latency), { instanceOf: InvariantError, message: /latency of link p must be/u });
  }
  t.is(createLink('p', 0).drawLatencyMs(), 0);
});

test('cuts and restorations are told once each, users before observers', (t) => {
  const link = createLink('p');
  const seen: string[] = [];
  let isComplete = false;
  link.join({ breakOff: () => seen.push('user: cut'), resume: () => seen.push('user: restored') });
  link.changes$.subscribe({ next: (isUp) => seen.push(`up: ${isUp}`), complete: () => (isComplete = true) });
  link.restore();
  link.cut();
  link.cut();
  t.false(link.isUp);
  link.restore();
  t.deepEqual(seen, ['user: cut', 'up: false', 'user: restored', 'up: true']);
  link.dispose();
  t.true(isComplete);
});

test('a link may be cut one way; only the last direction that heals makes it whole', (t) => {
  const link = createLink('p');
  const seen: string[] = [];
  link.join({
    breakOff: (isOutCut, isInCut) => seen.push(`user: cut${isOutCut ? ' out' : ''}${isInCut ? ' in' : ''}`),
    resume: () => seen.push('user: restored'),
  });
  link.changes$.subscribe((isUp) => seen.push(`up: ${isUp}`));
  link.cut('out');
  t.deepEqual([link.passes('out'), link.passes('in'), link.isUp], [false, true, false]);
  link.cut('out');
  link.cut();
  t.deepEqual([link.passes('out'), link.passes('in')], [false, false]);
  link.restore('out');
  t.deepEqual([link.passes('out'), link.passes('in'), link.isUp], [true, false, false]);
  link.restore('in');
  t.true(link.isUp);
  t.deepEqual(seen, [
    'user: cut out',
    'up: false',
    'user: cut in',
    'up: false',
    'up: false',
    'user: restored',
    'up: true',
  ]);
});
