import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { isAtWork } from '../../src/testing/process-state.js';

/** A process that runs a script, and ends with its test. */
function scriptProcess(t: ExecutionContext, script: string): ChildProcess {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

/** Whether it comes to be so within half a minute. */
async function comes(isSo: () => boolean): Promise<boolean> {
  for (let left = 3000; left > 0 && !isSo(); left -= 1) await new Promise((resolve) => void setTimeout(resolve, 10));
  return isSo();
}

const says = process.platform === 'linux' ? test : test.skip;

says(
  'isAtWork › a process that computes is at work, also where another has begun it; one that waits is not',
  async (t) => {
    const busy = scriptProcess(t, 'console.log("up"); for (;;);');
    const outer = scriptProcess(
      t,
      `const child = require('node:child_process').spawn(process.execPath, ['-e', 'for (;;);']);
     process.on('SIGTERM', () => { child.kill('SIGKILL'); process.exit(); });
     console.log('up');`,
    );
    const idle = scriptProcess(t, 'setInterval(() => {}, 1e6); console.log("up");');
    for (const { stdout } of [busy, outer, idle]) if (stdout !== null) await once(stdout, 'data');
    t.true(await comes(() => isAtWork(busy.pid ?? 0)));
    t.true(await comes(() => isAtWork(outer.pid ?? 0)));
    t.true(await comes(() => !isAtWork(idle.pid ?? 0)));
    outer.kill('SIGTERM');
    await once(outer, 'exit');
    t.false(isAtWork(outer.pid ?? 0), 'nor is one that has ended');
  },
);
