import { spawnSync } from 'node:child_process';
import { getHeapStatistics } from 'node:v8';
import test from 'ava';
import { isLarge, largerHeapLimit } from '../../src/cli/heap-limit.js';
import { MAIN } from './main-file.js';

const GIB = 2 ** 30;
/** Has a process of Node's tell, as its last word, with which flags it was started. */
const TELL_FLAGS = `--import data:text/javascript,process.on('exit',()=>console.error(JSON.stringify(process.execArgv)))`;

test('many nodes, many pods, or a cluster of a file make a run large', (t) => {
  t.true(isLarge(['load', '--nodes', '5000']));
  t.true(isLarge(['run', '--pods=150000']));
  t.true(isLarge(['serve', '--from', 'cluster.yaml']));
  t.false(isLarge(['run', '--nodes', '999', '--pods', '49999']));
  t.false(isLarge(['run', '--nodes']));
  t.false(isLarge(['fuzz', '--seed', '5000']));
  t.true(isLarge(['run', '--manifest', 'app.yaml']), 'it has 5,000 nodes unless it is told otherwise');
  t.false(isLarge(['run', '--help']));
  t.false(isLarge(['serve']));
});

test("the heap may take three quarters of the memory, and never less than Node's own limit", (t) => {
  t.is(largerHeapLimit(16 * GIB), 12 * 1024);
  t.is(largerHeapLimit(getHeapStatistics().heap_size_limit), undefined);
});

test('a large run has the larger limit, a small one and one whose user chose a limit are left as they are', (t) => {
  const limit = largerHeapLimit();
  const expected = limit === undefined ? '[]' : `["--max-old-space-size=${limit}","--max-semi-space-size=64"]`;
  t.is(flagsOf('run', '--nodes', '1000', '--pods', '1'), expected);
  t.is(flagsOf('run', '--nodes', '10', '--pods', '1'), '[]');
  t.is(flagsOf('--max-old-space-size=3000', 'run', '--nodes', '1000', '--pods', '1'), '["--max-old-space-size=3000"]');
});

function flagsOf(...args: readonly string[]): string | undefined {
  const own = args.filter((argument) => argument.startsWith('--max'));
  const rest = args.filter((argument) => !argument.startsWith('--max'));
  const { stderr } = spawnSync(process.execPath, [...own, MAIN, ...rest], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: TELL_FLAGS },
  });
  return stderr.trimEnd().split('\n').at(-1);
}
