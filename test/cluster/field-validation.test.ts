import test from 'ava';
import { createCluster, type ApplyOptions, type Cluster, type Draft } from '../../src/index.js';

const POD = `apiVersion: v1
kind: Pod
metadata:
  name: a
spec:
  containers:
    - name: c
      image: busybox
`;

function refusal(cluster: Cluster, input: string | readonly Draft[], options?: ApplyOptions): string {
  try {
    return cluster
      .apply(input, options)
      .map(({ action }) => action)
      .join();
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : '';
  }
}

const strict = (line: number, kind: string, faults: string): string =>
  `ApiError: manifest:${line}: ${kind} in version "v1" cannot be handled as a ${kind}: strict decoding error: ${faults}`;

test('Cluster.apply › refuses a field that the kind does not know, with its path and line', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.is(refusal(cluster, `${POD}  foo: 1\n`), strict(9, 'Pod', 'unknown field "spec.foo"'));
  t.is(refusal(cluster, `${POD}      Command: [a]\n`), strict(9, 'Pod', 'unknown field "spec.containers[0].Command"'));
  t.is(refusal(cluster, `${POD}status: {phaze: Running}\n`), strict(9, 'Pod', 'unknown field "status.phaze"'));
  t.deepEqual(cluster.list('Pod'), []);
  await cluster.dispose();
});

test('Cluster.apply › refuses a field that stands twice, also in maps and in items of a list', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.is(refusal(cluster, `${POD}      image: nginx\n`), strict(9, 'Pod', 'duplicate field "spec.containers[0].image"'));
  t.is(
    refusal(cluster, '{apiVersion: v1, kind: ConfigMap, metadata: {name: a},\ndata: {x: a,\nx: b}}'),
    strict(3, 'ConfigMap', 'duplicate field "data.x"'),
  );
  t.is(
    refusal(
      cluster,
      'apiVersion: v1\nkind: List\nitems:\n- kind: ConfigMap\n  metadata: {name: a}\n  apiVersion: v1\n  kind: ConfigMap\n',
    ),
    strict(7, 'ConfigMap', 'duplicate field "kind"'),
  );
  await cluster.dispose();
});

test('Cluster.apply › names all faults of an object in the order of their lines', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.is(
    refusal(cluster, `${POD}      imagee: x\n  foo: 1\n  foo: 2\nbar: 1\n`),
    strict(
      9,
      'Pod',
      'unknown field "spec.containers[0].imagee", unknown field "spec.foo", duplicate field "spec.foo", unknown field "bar" (lines 9, 10, 11, 12)',
    ),
  );
  await cluster.dispose();
});

test('Cluster.apply › looks into templates, claims and volumes, and into objects without a text', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const refuse = (kind: string, apiVersion: string, spec: object): string =>
    refusal(cluster, [{ apiVersion, kind, metadata: { name: 'a' }, spec }]).replace(/^.*strict decoding error: /, '');
  const set = { selector: { matchLabels: { a: 'b' } }, template };
  t.is(
    refuse('Deployment', 'apps/v1', {
      ...set,
      template: { ...template, spec: { ...template.spec, volumes: [{ name: 'v', nfs: { host: 'a' } }] } },
    }),
    'unknown field "spec.template.spec.volumes[0].nfs.host"',
  );
  t.is(
    refuse('StatefulSet', 'apps/v1', {
      ...set,
      volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: { size: 1 } }],
    }),
    'unknown field "spec.volumeClaimTemplates[0].spec.size"',
  );
  t.is(
    refuse('CronJob', 'batch/v1', { schedule: '* * * * *', jobTemplate: { spec: { template, backofLimit: 3 } } }),
    'unknown field "spec.jobTemplate.spec.backofLimit"',
  );
  t.is(refuse('PersistentVolume', 'v1', { csi: { handle: 'x' } }), 'unknown field "spec.csi.handle"');
  await cluster.dispose();
});

test('Cluster.apply › with validate warn tells of faults and drops them, with ignore only drops them', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const warnings: string[] = [];
  cluster.warnings$.subscribe(({ text }) => warnings.push(text));
  const text = `${POD}      image: nginx\n  foo: 1\n`;
  t.is(refusal(cluster, text, { validate: 'warn' }), 'created');
  t.deepEqual(warnings.splice(0), [
    'Warning: duplicate field "spec.containers[0].image" (manifest:9)',
    'Warning: unknown field "spec.foo" (manifest:10)',
  ]);
  t.is(cluster.get('Pod', 'a').spec.containers[0]?.image, 'nginx');
  t.is(refusal(cluster, text.replace('name: a', 'name: b'), { validate: 'ignore' }), 'created');
  t.is(refusal(cluster, text.replace('name: a', 'name: c'), { validate: false }), 'created');
  t.regex(refusal(cluster, text.replace('name: a', 'name: d'), { validate: true }), /strict decoding error/);
  t.deepEqual(warnings, []);
  t.false('foo' in cluster.get('Pod', 'b').spec);
  await cluster.dispose();
});

test('Cluster.apply › takes what a real API server shows: managed fields, status, defaults', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const managedFields = [{ manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:spec': { 'k:{"name":"c"}': {} } } }];
  const shown = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', managedFields },
    spec: { containers: [{ name: 'c', image: 'i', terminationMessagePath: '/dev/log' }], dnsPolicy: 'ClusterFirst' },
    status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'Ready', status: 'True' }] },
  };
  t.is(refusal(cluster, [shown as unknown as Draft]), 'created');
  await cluster.dispose();
});

test('Cluster.create and Cluster.patch › drop unknown fields and tell of them', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const warnings: string[] = [];
  cluster.warnings$.subscribe(({ text }) => warnings.push(text));
  const spec = { containers: [{ name: 'c', image: 'i' }], zoo: 1 };
  cluster.create('Pod', { metadata: { name: 'a' }, spec });
  cluster.patch('Pod', 'a', { metadata: { label: { a: 'b' } } });
  t.deepEqual(warnings, ['Warning: unknown field "spec.zoo"', 'Warning: unknown field "metadata.label"']);
  await cluster.dispose();
});

test('Cluster.apply › refuses options that it does not know', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  t.is(
    refusal(cluster, POD, { validate: 'Strict' as 'strict' }),
    'OptionError: validate must be strict, warn, ignore, true or false, got "Strict"',
  );
  t.is(
    refusal(cluster, POD, { dryrun: true } as ApplyOptions),
    'OptionError: option dryrun must be one of dryRun, validate, got "dryrun"',
  );
  await cluster.dispose();
});
