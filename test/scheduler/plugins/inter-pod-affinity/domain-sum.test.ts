import test from 'ava';
import fc from 'fast-check';
import { DomainSum } from '../../../../src/scheduler/plugins/inter-pod-affinity/domain-sum.js';
import { TopologyColumn } from '../../../../src/scheduler/plugins/topology-column.js';

const SLOTS = 300;

test('DomainSum › keeps the sum of each value, however many values there are', (t) => {
  const step = fc.record({
    slot: fc.nat(SLOTS - 1),
    pods: fc.constantFrom(1, -1),
    weight: fc.integer({ min: -9, max: 9 }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 120, size: 'max' }),
      fc.constantFrom(2, 64, 65, 200, SLOTS),
      (steps, valueCount) => {
        const column = new TopologyColumn('key', SLOTS + 1);
        const sum = new DomainSum(column);
        for (let slot = 0; slot < SLOTS; slot += 1) column.place(slot, { key: `${slot % valueCount}` });
        const expected = new Map<string, number>();
        let records = 0;
        for (const { slot, pods, weight } of steps) {
          sum.add(slot, pods, weight);
          const value = `${slot % valueCount}`;
          expected.set(value, (expected.get(value) ?? 0) + pods * weight);
          records += pods;
        }
        for (let value = 0; value < valueCount; value += 1) {
          t.is(sum.of(`${value}`) + 0, (expected.get(`${value}`) ?? 0) + 0);
        }
        t.is(sum.records, records);
        t.is(sum.of('never'), 0);
      },
    ),
    { numRuns: 200, seed: 5 },
  );
});

test('DomainSum › counts nothing on a node without the key, and follows values that come later', (t) => {
  const column = new TopologyColumn('key', 100);
  const sum = new DomainSum(column);
  sum.add(0, 1, 5);
  t.is(sum.records, 0);
  column.place(0, { key: 'a' });
  sum.add(0, 1, 5);
  for (let slot = 1; slot < 100; slot += 1) column.place(slot, { key: `v${slot}` });
  sum.add(99, 2, -3);
  t.deepEqual([sum.of('a'), sum.of('v99'), sum.of('v50'), sum.records], [5, -6, 0, 3]);
});
