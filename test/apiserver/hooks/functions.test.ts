import test from 'ava';
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
