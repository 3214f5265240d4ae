/** What users do to a cluster that is served is recorded over the network, and comes to the same objects when replayed. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { playHistory, readHistory, recordCluster, type Cluster, type History, type Kind } from '../../src/index.js';
import { ask, serve, type ServedCluster } from '../server/wire-client.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-record-'));

async function write(t: ExecutionContext, served: ServedCluster, method: string, path: string, body?: object) {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const reply = await ask(served, path, {
    method,
    headers: { 'content-type': type, 'user-agent': 'kubectl/v1' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  t.true(reply.status < 300, reply.text);
  await served.cluster.run({ limit: '30s' });
}

function deployment(name: string, replicas: number): object {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'web' }] } };
  return {
    metadata: { name, labels: { a: '1', b: '2' } },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}

const JOB = {
  metadata: { name: 'once' },
  spec: {
    template: {
      metadata: { annotations: { 'kubeloom.dev/run-for': '7s' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'j', image: 'job' }] },
    },
  },
};

/** All that users and controllers have made, but for numbers and times. */
function contentOf(cluster: Cluster): readonly unknown[] {
  const workloads = (['Deployment', 'Job', 'Service', 'ConfigMap', 'Namespace'] as const).flatMap((kind) =>
    cluster.list(kind).map((object) => {
      const { name, namespace, labels } = object.metadata;
      const spec = kind === 'Deployment' || kind === 'ConfigMap' ? { ...object, metadata: 0, status: 0 } : kind;
      return [kind, namespace, name, kind === 'Job' ? 0 : labels, spec];
    }),
  );
  const pods = cluster.list('Pod').map(({ metadata, status }) => [metadata.labels?.['app'], status.phase].join(' '));
  return [...workloads, pods.toSorted()];
}

function isQuiet(each: unknown): boolean {
  return Array.isArray(each) && each[2] === 'quiet';
}

test('a recording of a served cluster is replayed to the same objects, and written as a trace of SimKube', async (t) => {
  const served = await serve(t, { nodes: 3, clientLimits: 'unlimited' });
  await served.cluster.ready();
  await write(t, served, 'POST', '/apis/apps/v1/namespaces/default/deployments', deployment('early', 2));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, served.kubeconfig);
  const [output, simkube] = [join(folder, 'recording.jsonl'), join(folder, 'trace.sktrace')];
  const end = new AbortController();
  const started = Promise.withResolvers<number>();
  const recording = recordCluster({
    kubeconfig,
    output,
    simkube,
    excludeNamespaces: ['kube-public'],
    signal: end.signal,
    onStart: started.resolve,
  });
  t.true((await started.promise) > 10);
  const deployments = '/apis/apps/v1/namespaces/shop/deployments';
  await write(t, served, 'POST', '/api/v1/namespaces', { metadata: { name: 'shop' } });
  await write(t, served, 'POST', deployments, deployment('web', 3));
  await write(t, served, 'PATCH', `${deployments}/web`, { metadata: { labels: { b: null } }, spec: { replicas: 4 } });
  await write(t, served, 'POST', '/api/v1/namespaces/kube-public/configmaps', { metadata: { name: 'quiet' } });
  await write(t, served, 'POST', '/api/v1/namespaces/shop/configmaps', { metadata: { name: 'c' }, data: { a: '1' } });
  await write(t, served, 'POST', '/apis/batch/v1/namespaces/shop/jobs', JOB);
  await write(t, served, 'DELETE', '/apis/apps/v1/namespaces/default/deployments/early');
  const expected = contentOf(served.cluster);
  while (!readFileSync(output, 'utf8').includes('"method":"DELETE"')) await sleep(10);
  end.abort();
  const { requests, leftOut } = await recording;
  t.is(requests, 6);
  t.true((leftOut.get('creations of what controllers own') ?? 0) >= 5);
  const history = readHistory(output) as History;
  t.is(history.form, 'kubeloom');
  const seen: (readonly unknown[])[] = [];
  const result = await playHistory(history, { atEnd: (cluster) => void seen.push(contentOf(cluster)) });
  t.deepEqual([result.refusals, result.requests, result.nodes], [[], 6, 3]);
  t.deepEqual(
    seen[0],
    expected.filter((each) => !isQuiet(each)),
  );
  t.regex(
    readFileSync(output, 'utf8'),
    /"lives":\[\{"kind":"Job","namespace":"shop","name":"once","runs":\["7s exit 0"\]/,
  );
  const trace = readHistory(simkube) as History;
  t.is(trace.form, 'simkube');
  t.deepEqual(
    trace.requests
      .filter(({ path }) => path.includes('deployments'))
      .map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`),
    [
      'PATCH /apis/apps/v1/namespaces/default/deployments/early',
      `PATCH ${deployments}/web`,
      `PATCH ${deployments}/web`,
      'DELETE /apis/apps/v1/namespaces/default/deployments/early',
    ],
  );
  t.regex(JSON.stringify(trace.requests), /"kubeloom.dev\/run-for":"7s"/);
});

function definition(kind: string): object {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    metadata: { name: `${plural}.shop.example.com` },
    spec: {
      group: 'shop.example.com',
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

function below(plural: string): string {
  return `/apis/shop.example.com/v1/namespaces/default/${plural}`;
}

function resource(kind: string, name: string, size: number): object {
  return { apiVersion: 'shop.example.com/v1', kind, metadata: { name }, spec: { size } };
}

test('custom resources are recorded, also those whose definition comes meanwhile', async (t) => {
  const served = await serve(t, { nodes: 1, clientLimits: 'unlimited' });
  await served.cluster.ready();
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await write(t, served, 'POST', definitions, definition('Lamp'));
  await write(t, served, 'POST', below('lamps'), resource('Lamp', 'early', 1));
  const kubeconfig = join(folder, 'kubeconfig-custom');
  writeFileSync(kubeconfig, served.kubeconfig);
  const output = join(folder, 'custom.jsonl');
  const end = new AbortController();
  const started = Promise.withResolvers<number>();
  const recording = recordCluster({ kubeconfig, output, signal: end.signal, onStart: started.resolve });
  await started.promise;
  await write(t, served, 'PATCH', `${below('lamps')}/early`, { spec: { size: 2 } });
  await write(t, served, 'POST', below('lamps'), resource('Lamp', 'late', 3));
  await write(t, served, 'POST', definitions, definition('Shade'));
  await write(t, served, 'POST', below('shades'), resource('Shade', 'round', 4));
  while (!readFileSync(output, 'utf8').includes('"round"')) await sleep(10);
  await write(t, served, 'PATCH', `${below('shades')}/round`, { spec: { size: 5 } });
  await write(t, served, 'DELETE', `${below('lamps')}/late`);
  while (!readFileSync(output, 'utf8').includes('"method":"DELETE"')) await sleep(10);
  end.abort();
  t.is((await recording).requests, 6);
  let sizes: readonly unknown[] = [];
  const atEnd = (cluster: Cluster): void => {
    const kinds = ['Lamp', 'Shade'].map((kind) => `${kind}.shop.example.com` as Kind);
    const found = kinds.flatMap((kind) => cluster.list(kind)) as unknown as {
      metadata: { name: string };
      spec: object;
    }[];
    sizes = found.map(({ metadata, spec }) => [metadata.name, spec]);
  };
  const { refusals } = await playHistory(readHistory(output) as History, { atEnd });
  t.deepEqual(refusals, []);
  t.deepEqual(sizes, [
    ['early', { size: 2 }],
    ['round', { size: 5 }],
  ]);
});

test('clusters that cannot be recorded are named, and lines that are none', async (t) => {
  const nowhere = join(folder, 'nowhere');
  await t.throwsAsync(recordCluster({ kubeconfig: nowhere }), {
    name: 'RecordError',
    message: /there is no such file$/,
  });
  const path = join(folder, 'other');
  const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } };
  const config = { clusters: [cluster], users: [], contexts: [{ name: 'x', context: { cluster: 'c', user: '' } }] };
  writeFileSync(path, JSON.stringify({ ...config, 'current-context': 'y' }));
  await t.throwsAsync(recordCluster({ kubeconfig: path }), {
    name: 'RecordError',
    message: /has no cluster in its context "y", it has x$/,
  });
  await t.throwsAsync(recordCluster({ kubeconfig: path, context: 'x' }), {
    name: 'RecordError',
    message: /^https:\/\/127\.0\.0\.1:1 cannot be reached: /,
  });
  writeFileSync(join(folder, 'earlier'), 'an earlier recording');
  await t.throwsAsync(recordCluster({ kubeconfig: path, context: 'x', output: join(folder, 'earlier') }), {
    message: /cannot be reached: /,
  });
  t.is(readFileSync(join(folder, 'earlier'), 'utf8'), 'an earlier recording');
  await t.throwsAsync(recordCluster({ kubeconfig: path, context: 'x', output: join(folder, 'no', 'such') }), {
    name: 'RecordError',
    message: /such cannot be written: ENOENT/,
  });
  const plain = join(folder, 'plain');
  const http = { name: 'c', cluster: { server: 'http://127.0.0.1:1' } };
  writeFileSync(plain, JSON.stringify({ ...config, clusters: [http] }));
  await t.throwsAsync(recordCluster({ kubeconfig: plain, context: 'x' }), {
    name: 'RecordError',
    message: /^http:\/\/127\.0\.0\.1:1 cannot be reached: /,
  });
  await t.throwsAsync(recordCluster({ durationMs: 0 }), { name: 'OptionError', message: /^durationMs must be/ });
  const head = '{"recording":"kubeloom.dev/recording/v1","time":"2030-01-01T00:00:00Z"}\n';
  for (const [line, message] of [
    ['nothing', /:2: must be an object of JSON$/],
    ['{"x":1}', /:2: must have an object, a request or the end$/],
    ['{"request":{"atMs":-1}}', /:2: request.atMs must be a number >= 0$/],
    ['{"request":{"atMs":1,"method":"GET"}}', /:2: request.method must be POST, PUT, PATCH or DELETE, got GET$/],
  ] as const) {
    writeFileSync(join(folder, 'bad.jsonl'), head + line);
    t.throws(() => readHistory(join(folder, 'bad.jsonl')), { name: 'ImportError', message });
  }
});
