import test from 'ava';
import { setImmediate } from 'node:timers/promises';
import { ask, serve } from '../../server/wire-client.js';
import { createCluster, OptionError, type Cluster, type Draft, type Pod } from '../../../src/index.js';

const PODS = { rules: [{ operations: ['CREATE'], resources: ['pods'] }] };

function pod(name: string): Draft {
  return { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } };
}

function refusalOf(work: () => unknown): string {
  try {
    work();
    return 'nothing';
  } catch (error) {
    return (error as Error).message;
  }
}

function labels(cluster: Cluster, name: string): object | undefined {
  return cluster.get('Pod', name).metadata.labels;
}

test('a function changes objects by a patch or as a whole, and is asked again where it wants to be', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const calls: string[] = [];
  cluster.admission.mutating('a', { ...PODS, reinvocationPolicy: 'IfNeeded' }, ({ object }) => {
    const { metadata } = object as Pod;
    calls.push(`a ${JSON.stringify(metadata.labels ?? {})}`);
    return { allowed: true, patch: [{ op: 'add', path: '/metadata/labels', value: { ...metadata.labels, a: '1' } }] };
  });
  const takeAway = cluster.admission.mutating('b', PODS, ({ object }) => {
    const { metadata, ...others } = object as Pod;
    calls.push('b');
    return { allowed: true, object: { ...others, metadata: { ...metadata, labels: { ...metadata.labels, b: '2' } } } };
  });
  cluster.create('Pod', pod('one'));
  t.deepEqual(labels(cluster, 'one'), { a: '1', b: '2' });
  t.deepEqual(calls, ['a {}', 'b', 'a {"a":"1","b":"2"}']);
  takeAway();
  cluster.create('Pod', pod('two'));
  t.deepEqual(labels(cluster, 'two'), { a: '1' });
  await cluster.dispose();
});

test('a function refuses in the words of a webhook, of the controllers as of the program, and warns', async (t) => {
  const cluster = createCluster({ nodes: 1 });
  const warnings: string[] = [];
  cluster.warnings$.subscribe(({ text }) => warnings.push(text));
  cluster.admission.validating('names', PODS, ({ name }) => ({
    allowed: !String(name).startsWith('bad'),
    status: { code: 403, reason: 'Forbidden', message: 'bad names' },
    warnings: ['look at names'],
  }));
  t.is(
    refusalOf(() => cluster.create('Pod', pod('bad'))),
    'admission webhook "names" denied the request: bad names',
  );
  t.deepEqual(warnings, ['Warning: look at names']);
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template };
  cluster.create('ReplicaSet', { metadata: { name: 'bad' }, spec });
  cluster.create('ReplicaSet', { metadata: { name: 'good' }, spec });
  await cluster.run({ limit: '20s' });
  t.deepEqual(
    cluster.list('Pod').map(({ metadata }) => metadata.ownerReferences?.[0]?.name),
    ['good'],
  );
  await cluster.dispose();
});

/** How long a replica set's pod takes to be there, ms. */
async function created(latency: string, failurePolicy: 'Fail' | 'Ignore'): Promise<number | undefined> {
  const cluster = createCluster({ nodes: 0, latency: 0 });
  const options = { ...PODS, latency, failurePolicy, timeoutSeconds: 2 };
  cluster.admission.validating('slow', options, async () => Promise.resolve({ allowed: true }));
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  cluster.create('ReplicaSet', {
    metadata: { name: 'r' },
    spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template },
  });
  const beganMs = cluster.nowMs;
  await cluster.run({ limit: '5s', until: () => cluster.list('Pod').length > 0 });
  const tookMs = cluster.list('Pod').length > 0 ? cluster.nowMs - beganMs : undefined;
  await cluster.dispose();
  return tookMs;
}

test('answers take simulated time for the parts of a cluster, and too late ones fail as the policy says', async (t) => {
  const [plain = 0, slow = 0, ignored = 0] = [
    await created('0ms', 'Fail'),
    await created('300ms', 'Fail'),
    await created('9s', 'Ignore'),
  ];
  t.is(slow - plain, 300);
  t.is(ignored - plain, 2000);
  t.is(await created('9s', 'Fail'), undefined);
});

test('conditions, selectors and operations decide what a function is asked about', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const asked: string[] = [];
  const options = {
    rules: [{ operations: ['CREATE', 'DELETE'], apiGroups: [''], resources: ['configmaps'] }],
    objectSelector: { matchLabels: { seen: 'yes' } },
    matchConditions: [{ name: 'not-free', expression: "request.name != 'free'" }],
  };
  cluster.admission.validating(
    'x',
    options,
    ({ operation, name }) => void asked.push(`${String(operation)} ${String(name)}`),
  );
  for (const name of ['free', 'other', 'this']) {
    const seen = name === 'other' ? {} : { labels: { seen: 'yes' } };
    cluster.create('ConfigMap', { metadata: { name, ...seen } });
  }
  cluster.patch('ConfigMap', 'this', { data: { a: 'b' } });
  cluster.delete('ConfigMap', 'this');
  t.deepEqual(asked, ['CREATE this', 'DELETE this']);
  await cluster.dispose();
});

function handle(): undefined {
  return undefined;
}

test('what is no hook is refused by the field', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const { admission } = cluster;
  const bad: readonly (readonly [object, RegExp])[] = [
    [{ nope: 1 }, /nope/],
    [{ rules: 'x' }, /rules must be a list of rules/],
    [{ rules: [{ operations: ['MAKE'] }] }, /rules\[0\]\.operations\[0\]/],
    [{ failurePolicy: 'Maybe' }, /failurePolicy/],
    [{ timeoutSeconds: 99 }, /timeoutSeconds/],
    [{ latency: 'soon' }, /latency/],
    [{ matchConditions: [{ name: 'a', expression: 'object.' }] }, /matchConditions\[0\]\.expression/],
  ];
  for (const [options, message] of bad) {
    const error = t.throws(() => admission.mutating('x', options, handle), { instanceOf: OptionError });
    t.regex(error?.message ?? '', message);
  }
  t.throws(() => admission.mutating('', {}, handle), { instanceOf: OptionError });
  t.throws(() => admission.mutating('x', {}, 3 as unknown as typeof handle), { instanceOf: OptionError });
  t.throws(() => createCluster({ webhooks: { services: { nope: 'https://x' } } }), { message: /webhooks\.services/ });
  t.throws(() => createCluster({ webhooks: { services: { 'a/b': 'http://x' } } }), { message: /https/ });
  await cluster.dispose();
});

const MAPS = { rules: [{ operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['configmaps'] }] };

test('new objects are shown without what the server gives them until they are final, and updates that change nothing are seen', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  const seen: string[] = [];
  const note = (phase: string, { operation, name, object }: { operation: string; name?: string; object: unknown }) => {
    const { metadata = {} } = (object ?? {}) as { readonly metadata?: object };
    seen.push(`${phase} ${operation} ${name === undefined ? '-' : 'named'} ${Object.keys(metadata).toSorted().join()}`);
    return { allowed: true };
  };
  cluster.admission.mutating('first', MAPS, (request) => note('first', request as never));
  cluster.admission.validating('last', MAPS, (request) => note('last', request as never));
  const { metadata } = cluster.create('ConfigMap', { metadata: { generateName: 'a-' } });
  cluster.patch('ConfigMap', metadata.name, {});
  t.deepEqual(seen, [
    'first CREATE - generateName,namespace',
    'last CREATE named creationTimestamp,generateName,name,namespace,uid',
    'first UPDATE named creationTimestamp,generateName,name,namespace,resourceVersion,uid',
    'last UPDATE named creationTimestamp,generateName,name,namespace,resourceVersion,uid',
  ]);
  await cluster.dispose();
});

test('patches that cannot be made fail in the words of the library that makes them', async (t) => {
  const cluster = createCluster({ nodes: 0 });
  let patch: readonly object[] = [];
  cluster.admission.mutating('patches', MAPS, () => ({ allowed: true, patch }));
  const failure = (...operations: readonly object[]): string => {
    patch = operations;
    return refusalOf(() => cluster.create('ConfigMap', { metadata: { name: 'a' }, data: { a: '1' } }));
  };
  const cases: readonly (readonly [object, string])[] = [
    [{ op: 'test', path: '/q/z', value: 1 }, 'test operation does not apply: is missing path: /q/z: missing value'],
    [
      { op: 'remove', path: '/data/z' },
      "error in remove for path: '/data/z': Unable to remove nonexistent key: z: missing value",
    ],
    [
      { op: 'move', from: '/data/z', path: '/data/b' },
      "error in move for path: 'z': Unable to remove nonexistent key: z: missing value",
    ],
    [
      { op: 'copy', from: '/data/a', path: '/q/b' },
      'copy operation does not apply: doc is missing destination path: /q/b: missing value',
    ],
    [{ op: 'nope', path: '/a' }, 'Unexpected kind: nope'],
    [
      { op: 'add', path: '/data', value: 'x' },
      'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
    ],
  ];
  for (const [operation, wanted] of cases) t.is(failure(operation), `Internal error occurred: ${wanted}`);
  t.is(
    failure({ op: 'replace', path: '/metadata/namespace', value: 'b' }),
    'the namespace of the provided object does not match the namespace sent on the request',
  );
  t.is(
    failure({ op: 'remove', path: '/metadata' }),
    'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  );
  patch = [];
  cluster.create('ConfigMap', { metadata: { name: 'b' } });
  patch = [{ op: 'add', path: '/data', value: {} }];
  t.is(
    refusalOf(() => cluster.delete('ConfigMap', 'b')),
    'Internal error occurred: admission webhook "patches" attempted to modify the object, which is not supported for this operation',
  );
  await cluster.dispose();
});

test('an apply that waits for a hook is the same one when it is tried again', async (t) => {
  const served = await serve(t);
  const { cluster } = served;
  let calls = 0;
  cluster.create('ConfigMap', { metadata: { name: 'a' } });
  cluster.admission.validating('slow', { ...MAPS, latency: '2s' }, () => {
    calls += 1;
    return { allowed: true };
  });
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { b: 'c' } });
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const path = '/api/v1/namespaces/default/configmaps/a?fieldManager=m';
  const replies: number[] = [];
  const answered = ask(served, path, { method: 'PATCH', body, headers }).then((reply) => replies.push(reply.status));
  for (; replies.length === 0; await setImmediate()) await cluster.run({ limit: '100ms' });
  await answered;
  t.deepEqual([replies, calls], [[200], 1]);
});
