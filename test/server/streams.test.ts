import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Exec, KubeConfig, type V1Status } from '@kubernetes/client-node';
import test, { type ExecutionContext } from 'ava';
import type { ClusterOptions } from '../../src/index.js';
import { ask, serve, type ServedCluster } from './wire-client.js';

const POD = '/api/v1/namespaces/default/pods/web';

const scripts: NonNullable<ClusterOptions['scripts']> = [
  {
    selector: {},
    script: {
      logs: 'listening\n2s: ready\n5s every 10s: tick',
      exec: [
        { command: 'cat /motd', stdout: 'hello\n' },
        { command: 'fail now', stderr: 'no\n', exitCode: 3 },
      ],
    },
  },
];

/** What was written, as a text. */
function read(chunks: readonly Buffer[]): Promise<string> {
  return text(Readable.from(chunks));
}

/** A pod `web` with a container `app` that runs, and is up for 20 s and more. */
async function running(
  t: ExecutionContext,
  annotations: Readonly<Record<string, string>> = {},
): Promise<ServedCluster> {
  const served = await serve(t, { nodes: 1, scripts, epoch: '2030-01-01T00:00:00Z' });
  const { cluster } = served;
  await cluster.ready();
  cluster.create('Pod', {
    metadata: { name: 'web', annotations },
    spec: { containers: [{ name: 'app', image: 'nginx' }] },
  });
  await cluster.run({ until: () => cluster.readyPods === 1, limit: '1m' });
  await cluster.run({ limit: '20s' });
  return served;
}

test('pods/log › the lines of the script, as far as the run has come', async (t) => {
  const served = await running(t);
  const got = await ask(served, `${POD}/log`);
  t.is(got.status, 200);
  t.is(got.headers['content-type'], 'text/plain');
  t.is(got.text, 'listening\nready\ntick\ntick\n');
  t.is((await ask(served, `${POD}/log?tailLines=1`)).text, 'tick\n');
  t.is((await ask(served, `${POD}/log?limitBytes=5`)).text, 'liste');
  t.is((await ask(served, `${POD}/log?sinceSeconds=10`)).text, 'tick\n');
  t.regex((await ask(served, `${POD}/log?timestamps=true&tailLines=1`)).text, /^2030-01-01T00:00:\d\d\.\d{9}Z tick\n$/);
});

test('pods/log › a log that is followed goes on until the container ends', async (t) => {
  const served = await running(t, { 'kubeloom.dev/logs': 'begun\n25s: later', 'kubeloom.dev/run-for': '30s' });
  let run: Promise<unknown> | undefined;
  const onFirst = (): void => {
    run = served.cluster.run({ limit: '11s' });
  };
  t.is((await ask(served, `${POD}/log?follow=true&container=app`, { onFirst })).text, 'begun\nlater\n');
  await run;
  t.is((await ask(served, `${POD}/log?previous=true`)).text, 'begun\nlater\n');
});

test('pods/log › what cannot be shown is refused in the words of upstream', async (t) => {
  const served = await running(t);
  const message = async (query: string): Promise<string> => {
    const { status, json } = await ask(served, `${POD}/log?${query}`);
    return `${status} ${(json as { message: string }).message}`;
  };
  t.is(await message('container=none'), '400 container none is not valid for pod web');
  t.is(await message('previous=true'), '400 previous terminated container "app" in pod "web" not found');
  t.regex(await message('tailLines=-1'), /^422 PodLogOptions "web" is invalid: tailLines: Invalid value: -1: must be/);
  t.regex(await message('sinceSeconds=1&sinceTime=2030-01-01T00:00:00Z'), /^422 .*at most one of `sinceTime` or/);
  t.is((await ask(served, `${POD}/exec?command=ls`, { method: 'POST' })).status, 400);
});

test('pods/exec › a command ends as the script says, and well with no output where it is silent', async (t) => {
  const served = await running(t);
  const config = new KubeConfig();
  config.loadFromString(served.kubeconfig);
  const run = async (...words: readonly string[]): Promise<readonly [string, string, V1Status]> => {
    const outputs: [Buffer[], Buffer[]] = [[], []];
    const [stdout, stderr] = outputs.map(
      (chunks) => new Writable({ write: (chunk: Buffer, _encoding, done) => (chunks.push(chunk), done()) }),
    );
    const status = await new Promise<V1Status>((resolve, reject) => {
      new Exec(config)
        .exec('default', 'web', 'app', [...words], stdout ?? null, stderr ?? null, null, false, resolve)
        .catch(reject);
    });
    return [await read(outputs[0]), await read(outputs[1]), status];
  };
  t.like(await run('cat', '/motd'), { 0: 'hello\n', 1: '', 2: { status: 'Success' } });
  t.like(await run('true'), { 0: '', 1: '', 2: { status: 'Success' } });
  const [, said, status] = await run('fail', 'now');
  t.is(said, 'no\n');
  t.like(status, {
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: 'command terminated with non-zero exit code: exit status 3',
    details: { causes: [{ reason: 'ExitCode', message: '3' }] },
  });
});
