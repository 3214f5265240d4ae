import test from 'ava';
import { FIRST_LEVEL, MAX_LEVELS, WalkMemory } from '../../../../src/scheduler/cycle/walk/walk-memory.js';

test('memory of a walk › tells another thread what was asked and found', (t) => {
  const written = new WalkMemory(101);
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
  written.levelCount = MAX_LEVELS;
  written.totals.fill(300.5);
  written.counts.fill(3);
  written.codes.fill(FIRST_LEVEL);
  const read = new WalkMemory(101, written.memory);
  const asked = { ...demand, freeCpu: 0, leastWeight: 0, balancedWeight: 0 };
  read.readDemand(asked);
  t.deepEqual(asked, demand);
  t.deepEqual([read.feasible, read.levelCount], [77, MAX_LEVELS]);
  t.deepEqual(read.totals, new Float64Array(MAX_LEVELS).fill(300.5));
  t.deepEqual(read.counts, new Int32Array(MAX_LEVELS).fill(3));
  t.deepEqual(read.codes, new Uint8Array(101).fill(FIRST_LEVEL));
});
