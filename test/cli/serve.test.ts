import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import test from 'ava';
import { kubeloom } from './command.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

test('kubeloom serve › says where the kubeconfig is once nodes are there, and ends well on SIGTERM', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeloom-serve-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const flags = ['--port', '0', '--nodes', '3', '--kubeconfig', kubeconfig, '--state', join(folder, 'state')];
  const child = spawn(process.execPath, [MAIN, 'serve', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
  t.is(line, `export KUBECONFIG=${kubeconfig}\n`);
  for (const secret of [kubeconfig, join(folder, 'state', 'ca.key'), join(folder, 'state', 'token')]) {
    t.is(statSync(secret).mode & 0o777, 0o600);
  }
  const config = new KubeConfig();
  config.loadFromString(readFileSync(kubeconfig, 'utf8'));
  const { items } = await config.makeApiClient(CoreV1Api).listNode();
  t.is(items.length, 3);
  child.kill('SIGTERM');
  t.is(await ended, 0);
});

test('kubeloom serve › refuses what it cannot serve', (t) => {
  const refused = (...flags: readonly string[]): string => {
    const { status, stderr } = kubeloom('serve', '--nodes', '0', ...flags);
    t.is(status, 2);
    return stderr;
  };
  t.regex(refused('--port', 'x'), /^kubeloom: --port must be an integer in 0\.\.65535, got "x"\n$/);
  t.regex(refused('--port', '0', '--host', '0.0.0.0'), /host must be an address of the loopback without allowRemote/);
  t.regex(refused('--without', 'etcd'), /without must be among kube-scheduler, kube-controller-manager, got "etcd"/);
  t.regex(refused('--realtime', '2'), /unknown option '--realtime'/);
});
