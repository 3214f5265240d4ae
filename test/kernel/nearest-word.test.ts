import test from 'ava';
import { nearestWord } from '../../src/kernel/nearest-word.js';

test('the nearest word is at most two letters away, and the first of several', (t) => {
  const known = ['node', 'component', 'direction'];
  t.is(nearestWord('nodes', known), 'node');
  t.is(nearestWord('NODE', known), 'node');
  t.is(nearestWord('componnet', known), 'component');
  t.is(nearestWord('dircton', known), 'direction');
  t.is(nearestWord('pod', known), undefined);
  t.is(nearestWord('node-4', ['node-10', 'node-1', 'node-2']), 'node-1');
});

test('short words have no neighbours that share nothing with them', (t) => {
  t.is(nearestWord('x', ['y']), undefined);
  t.is(nearestWord('ab', ['cd']), undefined);
  t.is(nearestWord('', ['a']), undefined);
});
