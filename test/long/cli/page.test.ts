/** Commands with a page: it is there while they run, and they end as they would without. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { MAIN } from '../../cli/main-file.js';

const KUBECONFIG = join(mkdtempSync(join(tmpdir(), 'kubeloom-page-')), 'kubeconfig');

for (const [name, args, signal] of [
  ['run', ['run', '--nodes', '5', '--pods', '10', '--realtime', '100', '--page'], 'SIGINT'],
  ['serve', ['serve', '--nodes', '5', '--port', '0', '--kubeconfig', KUBECONFIG, '--page'], 'SIGTERM'],
] as const) {
  test(`kubeloom ${name} --page › serves a page until it is interrupted`, async (t) => {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let told = '';
    let printed = '';
    child.stdout.on('data', (text) => (printed += String(text)));
    const url = await new Promise<string>((resolve, reject) => {
      child.stderr.on('data', (text) => {
        told += String(text);
        const [, found] = /^kubeloom: page at (\S+)$/m.exec(told) ?? [];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => reject(new Error(told)));
    });
    t.regex(url, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
    t.regex(await (await fetch(url)).text(), new RegExp(`<title>kubeloom ${name}</title>`));
    if (name === 'run') while (!printed.includes('goal reached')) await once(child.stdout, 'data');
    const ended = once(child, 'exit');
    child.kill(signal);
    t.deepEqual(await ended, [0, null], told);
    await t.throwsAsync(fetch(url));
  });
}
