import test from 'ava';
import fc from 'fast-check';
import {
  clearBit,
  countBelow,
  findSet,
  hasBit,
  MAX_LEVELS,
  setBit,
  setFirst,
  WalkBuffers,
} from '../../../../src/scheduler/cycle/walk/walk-buffers.js';

test('bits of nodes › are set, cleared, counted and found like those of a list', (t) => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 200 }), (list) => {
      const words = new Int32Array((list.length + 31) >>> 5);
      setFirst(words, list.length);
      list.forEach((isSet, bit) => isSet || clearBit(words, bit));
      const set = list.flatMap((isSet, bit) => (isSet ? [bit] : []));
      t.deepEqual(
        list.map((_isSet, bit) => hasBit(words, bit)),
        list,
      );
      t.deepEqual(
        list.map((_isSet, bit) => countBelow(words, bit)),
        list.map((_isSet, bit) => set.filter((other) => other < bit).length),
      );
      t.deepEqual(
        set.map((_bit, below) => findSet(words, below)),
        set,
      );
      const again = new Int32Array(words.length);
      for (const bit of set) setBit(again, bit);
      t.deepEqual(again, words);
    }),
  );
});

test('memory of a walk › tells who looks at it from another thread what was asked and found', (t) => {
  const written = new WalkBuffers(100);
  const demand = {
    freeCpu: 1,
    freeMemory: 2,
    leastCpu: 3,
    leastMemory: 4,
    leastWeight: 5,
    cpuWeight: 6,
    memoryWeight: 7,
    balancedCpu: 8,
    balancedMemory: 9,
    balancedWeight: 10,
  };
  written.writeDemand(demand);
  written.feasible = 77;
  written.levelCount = 2;
  written.totals.set([300.5, 299]);
  written.counts.set([1, 3]);
  setBit(written.fits, 99);
  setBit(written.levels[MAX_LEVELS - 1] as Int32Array, 99);
  const read = new WalkBuffers(100, written.memory);
  const asked = { ...demand, freeCpu: 0, leastWeight: 0, balancedWeight: 0 };
  read.readDemand(asked);
  t.deepEqual(asked, demand);
  t.deepEqual([read.feasible, read.levelCount, ...read.totals.subarray(0, 2)], [77, 2, 300.5, 299]);
  t.deepEqual([...read.counts.subarray(0, 3)], [1, 3, 0]);
  t.deepEqual([countBelow(read.fits, 99), hasBit(read.fits, 99)], [0, true]);
  t.deepEqual(
    read.levels.map((bits) => hasBit(bits, 99)),
    Array.from({ length: MAX_LEVELS }, (_level, index) => index === MAX_LEVELS - 1),
  );
});
