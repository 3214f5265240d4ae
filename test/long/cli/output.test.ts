import { spawnSync } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import test from 'ava';
import { inputFile } from '../../cli/command.js';
import { kubeloomProcess as kubeloom } from '../../cli/process.js';
import { MAIN } from '../../cli/main-file.js';

const FULL = '/dev/full';

test('kubeloom fuzz › looks at --out before the first seed', (t) => {
  const missing = kubeloom('fuzz', '--seeds', '100000000', '--out', '/nowhere/at/all');
  t.is(missing.status, 2);
  t.is(missing.stderr, 'kubeloom: --out: cannot write to /nowhere/at/all: no such file\n');
  const file = inputFile('no-folder', '');
  const { status, stderr } = kubeloom('fuzz', '--seeds', '100000000', '--out', file);
  t.deepEqual([status, stderr], [2, `kubeloom: --out: cannot write to ${file}: it is no directory\n`]);
});

test('kubeloom › a full disk is told in one line', (t) => {
  if (!existsSync(FULL)) {
    t.log(`skipped: ${FULL} is not there`);
    t.pass();
    return;
  }
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'bench', '--list'], {
    stdio: ['ignore', openSync(FULL, 'w'), 'pipe'],
    encoding: 'utf8',
  });
  t.is(status, 2);
  t.regex(stderr, /^kubeloom: cannot write the output: ENOSPC[^\n]*\n$/);
  const small = ['anchor/basic', '--mode', 'algorithm', '--pods', '5', '--rounds', '1'];
  const report = kubeloom('bench', ...small, '--json', FULL);
  t.is(report.status, 2, report.stderr);
  t.regex(report.stderr, /\nkubeloom: --json: cannot write \/dev\/full: no space is left\n$/);
});
