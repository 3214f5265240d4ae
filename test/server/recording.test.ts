import { PassThrough, Readable } from 'node:stream';
import { Exec, KubeConfig, type V1Status } from '@kubernetes/client-node';
import test from 'ava';
import { createCluster, type RecordedRequest } from '../../src/index.js';
import { ask, serve } from './wire-client.js';

const SERVICES = '/api/v1/namespaces/default/services';
const PODS = '/api/v1/namespaces/default/pods';

function pod(name: string): string {
  const spec = { containers: [{ name: 'c', image: 'nginx' }] };
  return JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
}

test('cluster.replayRequests › takes what clients did where they did it, to the same trace hash', async (t) => {
  const recorded: RecordedRequest[] = [];
  const options = { nodes: 3, seed: 5 };
  const served = await serve(t, { ...options, realtime: 200 }, { record: (request) => recorded.push(request) });
  const { cluster } = served;
  const stop = new AbortController();
  const run = cluster.run({ signal: stop.signal });
  for (const name of ['a', 'b', 'c', 'a']) {
    await ask(served, PODS, { method: 'POST', body: pod(name) });
    await ask(served, PODS);
  }
  await ask(served, `${PODS}/b`, { method: 'DELETE' });
  stop.abort();
  await run;
  t.deepEqual(
    recorded.map((each) => ('method' in each ? `${each.method} ${each.path} ${each.status}` : 'a command')),
    [`POST ${PODS} 201`, `POST ${PODS} 201`, `POST ${PODS} 201`, `POST ${PODS} 409`, `DELETE ${PODS}/b 200`],
  );
  t.false(JSON.stringify(recorded).includes(served.token));

  const again = createCluster(options);
  t.teardown(() => again.dispose());
  const replay = await again.replayRequests(JSON.parse(JSON.stringify(recorded)) as readonly RecordedRequest[]);
  await again.run({ until: () => replay.left === 0 && again.ticks >= cluster.ticks });
  t.deepEqual({ ...replay }, { left: 0, differences: [] });
  t.is(again.traceHash, cluster.traceHash);
});

/** A pod whose containers compute. */
const SHELL = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'shell' },
  spec: { containers: [{ name: 'c', image: 'busybox', command: ['sleep', '1000000000'] }] },
};

test('cluster.replayRequests › commands in containers take their time again, and get their input', async (t) => {
  const recorded: RecordedRequest[] = [];
  const options = { nodes: 1, seed: 5 };
  const served = await serve(t, { ...options, realtime: 200 }, { record: (request) => recorded.push(request) });
  const { cluster } = served;
  const stop = new AbortController();
  const run = cluster.run({ signal: stop.signal });
  await ask(served, PODS, { method: 'POST', body: JSON.stringify(SHELL) });
  while (cluster.readyPods === 0) await ask(served, PODS);
  const config = new KubeConfig();
  config.loadFromString(served.kubeconfig);
  const words = ['sh', '-c', 'read name; sleep 2; echo hello $name; exit 3'];
  const output = new PassThrough();
  const ended = await new Promise<V1Status>((resolve, reject) => {
    new Exec(config)
      .exec('default', 'shell', 'c', words, output, null, Readable.from(['you\n']), false, resolve)
      .catch(reject);
  });
  t.is(ended.details?.causes?.[0]?.message, '3');
  await ask(served, PODS, { method: 'POST', body: pod('late') });
  stop.abort();
  await run;

  const again = createCluster(options);
  t.teardown(() => again.dispose());
  const replay = await again.replayRequests(JSON.parse(JSON.stringify(recorded)) as readonly RecordedRequest[]);
  await again.run({ until: () => replay.left === 0 && again.ticks >= cluster.ticks });
  t.deepEqual({ ...replay }, { left: 0, differences: [] });
  t.is(again.traceHash, cluster.traceHash);
});

test('cluster.replayRequests › servers in containers are asked again, and do again what they were asked', async (t) => {
  const recorded: RecordedRequest[] = [];
  const options = { nodes: 2, seed: 5 };
  const served = await serve(t, { ...options, realtime: 200 }, { record: (request) => recorded.push(request) });
  const { cluster } = served;
  const stop = new AbortController();
  const run = cluster.run({ signal: stop.signal });
  const web = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', labels: { app: 'web' } },
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'c', image: 'agnhost', args: ['netexec', '--http-port=80'] }],
    },
  };
  const service = { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } };
  await ask(served, PODS, { method: 'POST', body: JSON.stringify(web) });
  await ask(served, SERVICES, { method: 'POST', body: JSON.stringify(service) });
  while (cluster.readyPods === 0) await ask(served, PODS);
  while ((await ask(served, `${SERVICES}/web/proxy/hostname`)).status !== 200);
  await ask(served, `${SERVICES}/web/proxy/exit?code=3`, { method: 'POST' });
  while (cluster.get('Pod', 'web')?.status.phase !== 'Failed') await ask(served, PODS);
  stop.abort();
  await run;

  const again = createCluster(options);
  t.teardown(() => again.dispose());
  const replay = await again.replayRequests(JSON.parse(JSON.stringify(recorded)) as readonly RecordedRequest[]);
  await again.run({ until: () => replay.left === 0 && again.ticks >= cluster.ticks });
  t.deepEqual({ ...replay }, { left: 0, differences: [] });
  t.is(again.get('Pod', 'web')?.status.phase, 'Failed');
  t.is(again.traceHash, cluster.traceHash);
});

test('cluster.replayRequests › a cluster in real time is refused', async (t) => {
  const cluster = createCluster({ nodes: 0, realtime: 1 });
  t.teardown(() => cluster.dispose());
  await t.throwsAsync(cluster.replayRequests([]), {
    message: 'realtime must be absent for requests to be replayed, got 1',
  });
});
