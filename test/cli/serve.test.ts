import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import test from 'ava';
import { kubeloomProcess as kubeloom } from './process.js';
import { MAIN } from './main-file.js';

test('kubeloom serve › says where the kubeconfig is once nodes are there, ends well on SIGTERM, and can be replayed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeloom-serve-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const recording = join(folder, 'recording');
  const files = ['--kubeconfig', kubeconfig, '--state', join(folder, 'state'), '--record', recording];
  const flags = ['--port', '0', '--nodes', '3', '--speed', '100', ...files];
  const child = spawn(process.execPath, [MAIN, 'serve', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
  t.is(line, `export KUBECONFIG=${kubeconfig}\n`);
  for (const secret of [kubeconfig, recording, join(folder, 'state', 'ca.key'), join(folder, 'state', 'token')]) {
    t.is(statSync(secret).mode & 0o777, 0o600);
  }
  const config = new KubeConfig();
  config.loadFromString(readFileSync(kubeconfig, 'utf8'));
  const core = config.makeApiClient(CoreV1Api);
  t.is((await core.listNode()).items.length, 3);
  const place = { namespace: 'default', name: 'web' };
  const body = { metadata: { name: 'web' }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
  await core.createNamespacedPod({ ...place, body });
  await t.throwsAsync(core.createNamespacedPod({ ...place, body }));
  await core.deleteNamespacedPod(place);
  child.kill('SIGTERM');
  t.is(await ended, 0);
  const replay = kubeloom('replay', recording);
  t.is(replay.status, 0, replay.stderr);
  t.regex(replay.stdout, /^3 requests in .* of simulated time\ntrace hash [\da-f]+, as it was recorded\n$/);
});

test('kubeloom serve › a cluster that is taken over has its own nodes and no others, and is told of', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeloom-serve-'));
  const [kubeconfig, dump] = [join(folder, 'kubeconfig'), join(folder, 'dump.json')];
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mine' }, status: { capacity: { cpu: '4' } } };
  writeFileSync(dump, JSON.stringify(node));
  const flags = ['--port', '0', '--from', dump, '--kubeconfig', kubeconfig, '--speed', '100'];
  const child = spawn(process.execPath, [MAIN, 'serve', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let told = '';
  child.stderr.on('data', (data) => (told += String(data)));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const config = new KubeConfig();
  config.loadFromString(readFileSync(kubeconfig, 'utf8'));
  const { items } = await config.makeApiClient(CoreV1Api).listNode();
  child.kill('SIGTERM');
  await ended;
  t.deepEqual(
    items.map(({ metadata }) => metadata?.name),
    ['mine'],
  );
  t.regex(told, /^taken over: 1 Node\nkubeloom: serving 1 nodes at /);
});

test('kubeloom serve › shows the time of the clocks of its clients, whatever coming up has taken', async (t) => {
  const kubeconfig = join(mkdtempSync(join(tmpdir(), 'kubeloom-serve-')), 'kubeconfig');
  const flags = ['--port', '0', '--nodes', '1000', '--kubeconfig', kubeconfig];
  const child = spawn(process.execPath, [MAIN, 'serve', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const config = new KubeConfig();
  config.loadFromString(readFileSync(kubeconfig, 'utf8'));
  const core = config.makeApiClient(CoreV1Api);
  const askedMs = Date.now();
  const { metadata } = await core.createNamespace({ body: { metadata: { name: 'late' } } });
  child.kill('SIGTERM');
  await ended;
  // A timestamp is that of the second that has begun.
  const latestMs = (metadata?.creationTimestamp?.getTime() ?? 0) + 1000;
  t.true(latestMs > askedMs - 500, `created ${askedMs - latestMs} ms and more before it was asked for`);
});

test('kubeloom serve › refuses what it cannot serve', (t) => {
  const refused = (...flags: readonly string[]): string => {
    const { status, stderr } = kubeloom('serve', '--nodes', '0', ...flags);
    t.is(status, 2);
    return stderr;
  };
  t.regex(refused('--port', 'x'), /^kubeloom: --port must be an integer in 0\.\.65535, got "x"\n$/);
  t.regex(
    refused('--port', '0', '--host', '0.0.0.0'),
    /host must be an address of the loopback without --allow-remote/,
  );
  t.regex(
    refused('--without', 'etcd'),
    /without must be among kube-scheduler, kube-controller-manager, metrics-server, got "etcd"/,
  );
  t.regex(refused('--virtual', '--speed', '2'), /--virtual and --speed exclude each other/);
  t.regex(refused('--realtime', '2'), /unknown option '--realtime'/);
  const state = mkdtempSync(join(tmpdir(), 'kubeloom-serve-'));
  for (const name of ['ca.crt', 'ca.key']) writeFileSync(join(state, name), 'nonsense');
  t.regex(refused('--state', state), /^kubeloom: --state: authority must be a certificate and its own key, [^\n]+\n$/);
});

test('kubeloom serve › a folder that cannot be made is told at once', (t) => {
  // A folder of Linux that is there and takes none of its own, for any user; elsewhere its parent is refused.
  for (const flag of ['--state', '--kubeconfig']) {
    const { status, stderr } = kubeloom('serve', '--port', '0', '--nodes', '0', flag, '/proc/kubeloom/deep');
    t.is(status, 2);
    t.regex(stderr, new RegExp(`^kubeloom: ${flag} /proc/kubeloom/\\S+ cannot be written: E[^\\n]+\\n$`));
  }
});
