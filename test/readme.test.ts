import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import test from 'ava';

const readme = readFileSync('README.md', 'utf8');

test('README › its program runs and prints what it says', (t) => {
  const [, printed] = /It prints `([^`]+)`/.exec(readme) ?? [];
  t.truthy(printed);
  const file = 'dist/readme-example.mjs';
  writeFileSync(file, readmeProgram());
  const { stdout, stderr, status } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  rmSync(file);
  t.is(status, 0, stderr);
  t.is(stdout, `${printed}\n`);
});

test('README › its program has about fifteen lines', (t) => {
  const lines = readmeProgram().trimEnd().split('\n');
  t.true(lines.length <= 22, `${lines.length} lines`);
});

/** The first JavaScript block. */
function readmeProgram(): string {
  const start = readme.indexOf('```js\n') + '```js\n'.length;
  return readme.slice(start, readme.indexOf('\n```', start) + 1);
}
