import test from 'ava';
import { GroupTable, MAX_GROUPS, TOO_MANY_GROUPS } from '../../../../src/scheduler/cycle/table/node-table.js';
import type { NodePart } from '../../../../src/scheduler/framework/node-groups.js';

const ZONE: NodePart = { valueAt: (slot) => slot % 3 };
const DISK: NodePart = { valueAt: (slot) => slot % 2 };
const SLOT: NodePart = { valueAt: (slot) => slot };

test('group table › nodes with equal values of all parts are one group, numbered as they come up', (t) => {
  const groups = new GroupTable();
  t.true(groups.add([ZONE]));
  t.deepEqual(
    [4, 5, 6, 7].map((slot) => groups.groupOf(slot)),
    [0, 1, 2, 0],
  );
  t.true(groups.add([DISK]));
  t.true(groups.has([ZONE, DISK]));
  t.deepEqual(
    [0, 3, 6, 9].map((slot) => groups.groupOf(slot)),
    [0, 1, 0, 1],
  );
  t.deepEqual([...groups.valuesOf(DISK).subarray(0, groups.count)], [0, 1]);
});

test('group table › says when nodes are too different to be told apart by groups', (t) => {
  const groups = new GroupTable();
  groups.add([SLOT]);
  for (let slot = 0; slot < MAX_GROUPS; slot += 1) t.is(groups.groupOf(slot), slot);
  t.is(groups.groupOf(MAX_GROUPS), TOO_MANY_GROUPS);
  groups.empty();
  t.is(groups.groupOf(MAX_GROUPS), 0);
});
