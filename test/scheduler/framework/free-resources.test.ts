import test from 'ava';
import { hasPlace, isShort, neededOf, NO_PLACE } from '../../../src/scheduler/framework/free-resources.js';

test('free resources › what is free to the last unit is enough, and one unit less is not', (t) => {
  t.false(isShort(neededOf(500), 500));
  t.true(isShort(neededOf(500), 499));
});

test('free resources › a pod that asks for nothing fits on a node that has promised too much, but not where it has no place', (t) => {
  t.false(isShort(neededOf(0), -1_000_000));
  t.true(isShort(neededOf(0), NO_PLACE));
});

test('free resources › the last place is one', (t) => {
  t.true(hasPlace(1));
  t.false(hasPlace(0));
});
