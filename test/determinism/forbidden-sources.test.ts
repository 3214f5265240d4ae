/**
 * The lint bans the host's time, randomness and locale from src/ (see .oxlintrc.json). It lets
 * timestamps.ts use Date to parse and print; what it cannot say is that Date must get an argument there.
 */
import { globSync, readFileSync } from 'node:fs';
import test from 'ava';

const usesOfDate = (source: string): string[] => source.match(/\bDate\b.{0,2}/gu) ?? [];

const readsTheHostsClock = (use: string): boolean => !/^Date\([^)]/u.test(use);

test('timestamps.ts never constructs a Date without an argument', (t) => {
  const uses = usesOfDate(readFileSync('src/kernel/timestamps.ts', 'utf8'));
  t.true(uses.length > 0);
  t.deepEqual(uses.filter(readsTheHostsClock), []);
});

/** Powers whose base is not 2 and not a bigint: the last bits of the others depend on the engine, as `Math.pow`'s. */
const roundedPowers = (source: string): string[] =>
  source
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/u.test(line))
    .flatMap((line) => line.match(/\S+ \*\* \S+/gu) ?? [])
    .filter((power) => !/(?:^|[^\w.])2 \*\* |\dn \*\* /u.test(power));

test('no power of anything but 2 is taken in src/ with numbers', (t) => {
  const files = globSync('src/**/*.ts');
  t.true(files.length > 400);
  const found = files.flatMap((file) => roundedPowers(readFileSync(file, 'utf8')).map((power) => `${file}: ${power}`));
  t.deepEqual(found, []);
});

test('a power that an engine may round is found', (t) => {
  const source = 'a = x ** 2;\nb = 1.5 ** n;\nc = 2 ** n;\nd = 10n ** big;\n * e = y ** 3\nf = 12 ** 3';
  t.deepEqual(roundedPowers(source), ['x ** 2;', '1.5 ** n;', '12 ** 3']);
});

test('a Date without an argument, called as a function or aliased is found', (t) => {
  const source = 'new Date(); Date(); const D = Date; Date.now(); new Date(1)';
  t.deepEqual(usesOfDate(source).filter(readsTheHostsClock), ['Date()', 'Date()', 'Date; ', 'Date.n']);
});
