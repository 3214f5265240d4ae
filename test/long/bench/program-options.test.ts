import { spawnSync } from 'node:child_process';
import test from 'ava';

const PROGRAMS = [
  'bench/wire',
  'bench/ways',
  'bench/scenes',
  'bench/conformance',
  'bench/differential',
  'test/mutants',
];

for (const program of PROGRAMS) {
  test(`${program} › an option that it does not know is refused in one line, with exit code 2`, (t) => {
    const { status, stderr } = spawnSync(process.execPath, [`dist/${program}/main.js`, '--what'], { encoding: 'utf8' });
    t.is(status, 2);
    t.regex(stderr, /^\w+: Unknown option '--what'[^\n]*\n$/);
  });
}
