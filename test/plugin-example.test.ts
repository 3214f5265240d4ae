import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import test from 'ava';

test('docs/scheduler.md › its plugin runs where the configuration enables it', (t) => {
  const section = readFileSync('docs/scheduler.md', 'utf8');
  const start = section.indexOf('```js\n') + '```js\n'.length;
  const program = section.slice(start, section.indexOf('\n```', start) + 1);
  const [, printed] = /It prints `([^`]+)`/.exec(section) ?? [];
  const file = 'dist/pages-plugin.mjs';
  writeFileSync(file, program);
  const { stdout, stderr, status } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  rmSync(file);
  t.is(status, 0, stderr);
  t.is(stdout, `${printed}\n`);
});
