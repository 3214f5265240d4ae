/**
 * The lint bans the host's time, randomness and locale from src/ (see .oxlintrc.json). It lets
 * timestamps.ts use Date to parse and print; what it cannot say is that Date must get an argument there.
 */
import { readFileSync } from 'node:fs';
import test from 'ava';

const usesOfDate = (source: string): string[] => source.match(/\bDate\b.{0,2}/gu) ?? [];

const readsTheHostsClock = (use: string): boolean => !/^Date\([^)]/u.test(use);

test('timestamps.ts never constructs a Date without an argument', (t) => {
  const uses = usesOfDate(readFileSync('src/kernel/timestamps.ts', 'utf8'));
  t.true(uses.length > 0);
  t.deepEqual(uses.filter(readsTheHostsClock), []);
});

test('a Date without an argument, called as a function or aliased is found', (t) => {
  const source = 'new Date(); Date(); const D = Date; Date.now(); new Date(1)';
  t.deepEqual(usesOfDate(source).filter(readsTheHostsClock), ['Date()', 'Date()', 'Date; ', 'Date.n']);
});
