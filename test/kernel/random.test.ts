import test from 'ava';
import fc from 'fast-check';
import { InvariantError } from '../../src/kernel/assert.js';
import { createIdSource, type IdSource } from '../../src/kernel/ids.js';
import { hash32, randomStream, type RandomStream } from '../../src/kernel/random.js';

const draw = (stream: RandomStream, count: number): number[] =>
  Array.from({ length: count }, () => stream.int(0, 999_999));

const createIds = (): IdSource => createIdSource(randomStream('s', 'u'), randomStream('s', 'n'));

test('equal seeds and names give equal numbers, other names or seeds others', (t) => {
  const numbers = draw(randomStream('s', 'a'), 20);
  t.deepEqual(draw(randomStream('s', 'a'), 20), numbers);
  t.notDeepEqual(draw(randomStream('s', 'b'), 20), numbers);
  t.notDeepEqual(draw(randomStream('r', 'a'), 20), numbers);
});

test('a stream does not depend on how much others draw', (t) => {
  const alone = draw(randomStream('s', 'a'), 10);
  const a = randomStream('s', 'a');
  const b = randomStream('s', 'b');
  const interleaved = Array.from({ length: 10 }, () => {
    draw(b, 3);
    return a.int(0, 999_999);
  });
  t.deepEqual(interleaved, alone);
});

test('the seed and the name do not run into each other', (t) => {
  t.notDeepEqual(draw(randomStream('ab', 'c'), 5), draw(randomStream('a', 'bc'), 5));
});

test('int stays within its bounds and reaches both, unit stays in [0, 1)', (t) => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: -5, max: 5 }), fc.nat({ max: 3 }), (seed, min, width) => {
      const stream = randomStream(seed, 'x');
      const seen = new Set(Array.from({ length: 200 }, () => stream.int(min, min + width)));
      t.deepEqual(
        [...seen].sort((a, b) => a - b),
        Array.from({ length: width + 1 }, (_, index) => min + index),
      );
      const unit = stream.unit();
      t.true(unit >= 0 && unit < 1);
    }),
  );
});

test('int refuses bounds that are no integers or the wrong way round', (t) => {
  const stream = randomStream('s', 'x');
  t.throws(() => stream.int(0, 1.5), { instanceOf: InvariantError, message: /got 0, 1\.5$/u });
  t.throws(() => stream.int(2, 1), { instanceOf: InvariantError, message: /got 2, 1$/u });
});

test('hash32 is FNV-1a', (t) => {
  t.is(hash32(''), 0x811c9dc5);
  t.is(hash32('a'), 0xe40c292c);
  t.is(hash32('foobar'), 0xbf9cf968);
});

test('uids are version 4 UUIDs, suffixes five of the 27 letters, both reproducible and distinct', (t) => {
  const ids = createIds();
  const again = createIds();
  const uids = Array.from({ length: 1000 }, () => ids.uid());
  t.is(new Set(uids).size, 1000);
  t.deepEqual(
    uids.filter((uid) => !/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u.test(uid)),
    [],
  );
  const suffixes = Array.from({ length: 100 }, () => ids.nameSuffix());
  t.deepEqual(
    suffixes.filter((suffix) => !/^[bcdfghjklmnpqrstvwxz2456789]{5}$/u.test(suffix)),
    [],
  );
  t.deepEqual(
    Array.from({ length: 100 }, () => again.nameSuffix()),
    suffixes,
  );
  t.deepEqual(
    Array.from({ length: 1000 }, () => again.uid()),
    uids,
  );
});
