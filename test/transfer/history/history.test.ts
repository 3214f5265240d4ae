/** What others have recorded of their clusters, played for real. */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from '@msgpack/msgpack';
import test from 'ava';
import {
  playHistory,
  readHistory,
  type Cluster,
  type History,
  type HistoryOptions,
  type Kind,
} from '../../../src/index.js';

const TRACES = '../shared/inputs/traces';
const folder = mkdtempSync(join(tmpdir(), 'kubeloom-history-'));

function historyOf(name: string, content: string | Uint8Array): History {
  const path = join(folder, name);
  writeFileSync(path, content);
  const history = readHistory(path);
  if (history === undefined) throw new Error(`${name} has no form that is known`);
  return history;
}

/** @param look - at the cluster, when all has been done */
async function played<T>(history: History, look: (cluster: Cluster) => T, options: HistoryOptions = {}) {
  const seen: T[] = [];
  const result = await playHistory(history, {
    cluster: { nodes: 2, clientLimits: 'unlimited' },
    ...options,
    atEnd: (cluster) => void seen.push(look(cluster)),
  });
  return { ...result, seen: seen[0] };
}

const SPEC = { containers: [{ name: 'c', image: 'i' }] };
const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: SPEC };

function deployment(replicas: number): object {
  const metadata = { name: 'web', namespace: 'shop' };
  const spec = { replicas, selector: { matchLabels: { a: 'b' } }, template: TEMPLATE };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec };
}

const EVENTS = [
  { ts: 1000, applied_objs: [], deleted_objs: [] },
  { ts: 1060, applied_objs: [{ ...deployment(2), status: { replicas: 9 } }], deleted_objs: [] },
  { ts: 1120, applied_objs: [deployment(3)], deleted_objs: [] },
  { ts: 1300, applied_objs: [], deleted_objs: [] },
];
const CONFIG = { trackedObjects: { 'apps/v1.Deployment': { podSpecTemplatePaths: ['/spec/template'] } } };
const SIMKUBE = { version: 2, config: CONFIG, events: EVENTS, index: {}, pod_lifecycles: {} };

function podsIn(cluster: Cluster) {
  return cluster.list('Pod').map(({ metadata, status }) => [metadata.namespace, status?.phase]);
}

function createdIn(cluster: Cluster) {
  return cluster.list('Deployment').map(({ metadata }) => metadata.creationTimestamp);
}

function secondsOf(text = ''): number {
  return Date.parse(text) / 1000;
}

test('a trace of SimKube is played at its times, in its namespaces; compressed, in a window, filtered', async (t) => {
  const history = historyOf('trace.json', JSON.stringify(SIMKUBE));
  t.is(history.form, 'simkube');
  t.is(history.endMs, 300_000);
  const whole = await played(history, podsIn);
  t.deepEqual([whole.requests, whole.refused], [3, 0]);
  t.deepEqual(
    whole.seen,
    Array.from({ length: 3 }, () => ['shop', 'Running']),
  );
  const again = await played(history, createdIn);
  t.is(again.traceHash, whole.traceHash);
  const fast = await played(history, createdIn, { compression: 60 });
  t.is(secondsOf(again.seen?.[0]) - secondsOf(fast.seen?.[0]), 59);
  t.is(whole.virtualMs - fast.virtualMs, 295_000);
  t.is((await played(history, podsIn, { toMs: 90_000 })).seen?.length, 2);
  t.is((await played(history, podsIn, { filter: ({ path }) => !path.includes('/shop/') })).seen?.length, 0);
});

test('lives of pods in a trace in msgpack, whose keys are lists and large numbers, are their scripts', async (t) => {
  const metadata = { name: 'p', namespace: 'default', finalizers: ['example.com/of-an-operator'] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: SPEC };
  const events = [
    { ts: 5, applied_objs: [pod], deleted_objs: [] },
    { ts: 100, applied_objs: [], deleted_objs: [] },
  ];
  const fields = [
    encode('version'),
    encode(2),
    encode('config'),
    encode({ trackedObjects: {} }),
    encode('events'),
    encode(events),
  ];
  const hash = encode(2n ** 63n + 1n, { useBigInt64: true });
  const lives = [
    encode('pod_lifecycles'),
    [0x81],
    encode(['v1.Pod', 'default/p']),
    [0x81],
    hash,
    encode([{ Finished: [10, 40] }]),
  ];
  const history = historyOf(
    'trace.sktrace',
    Buffer.concat([[0x84], ...fields, ...lives].map((each) => Buffer.from(each))),
  );
  const { seen } = await played(history, (cluster) => {
    const ended = cluster.get('Pod', { namespace: 'default', name: 'p' });
    t.is(ended.metadata.finalizers, undefined);
    const [state] = ended.status?.containerStatuses ?? [];
    return state?.state?.terminated;
  });
  t.is(seen?.exitCode, 0);
  t.is((Date.parse(seen?.finishedAt ?? '') - Date.parse(seen?.startedAt ?? '')) / 1000, 30);
});

const KWOK = [
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1', uid: '1' },
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10' }, capacity: { cpu: '4', memory: '8Gi', pods: '10' } },
  },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', uid: '2' } },
  patch('apps', 'deployments', 'web', 10, 'create', deployment(1)),
  patch('', 'pods', 'web-x-y', 11, 'create', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-x-y',
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u', controller: true }],
    },
    spec: SPEC,
  }),
  patch('apps', 'deployments', 'web', 12, 'patch', {
    metadata: { resourceVersion: '77' },
    status: { readyReplicas: 1 },
  }),
  patch('apps', 'deployments', 'web', 30, 'patch', { spec: { replicas: 2 } }),
  patch('', 'pods', 'web-x-y', 31, 'delete', undefined),
]
  .map((each) => JSON.stringify(each))
  .join('\n---\n');

function patch(
  group: string,
  resource: string,
  name: string,
  seconds: number,
  method: string,
  template: object | undefined,
): object {
  return {
    apiVersion: 'action.kwok.x-k8s.io/v1alpha1',
    kind: 'ResourcePatch',
    resource: { group, version: 'v1', resource },
    target: { name, namespace: 'shop' },
    durationNanosecond: seconds * 1e9,
    method,
    ...(template === undefined ? {} : { template }),
  };
}

test('a recording of kwokctl: marks of deletions delete, what servers have set is set anew, evictions are made again', (t) => {
  const uid = 'cf985073';
  const labels = { 'batch.kubernetes.io/controller-uid': uid };
  const managedFields = [
    { manager: 'kubectl', fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': { 'f:containers': {} } } } } },
  ];
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'calc', uid, managedFields },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: SPEC } },
  };
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u', controller: true };
  const pod = { metadata: { name: 'r-bcdfg', generateName: 'r-', ownerReferences: [owner] }, spec: SPEC };
  const condition = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' };
  const history = historyOf(
    'record.yaml',
    [
      '---',
      ...KWOK.split('\n---\n').slice(0, 2),
      ...[
        patch('batch', 'jobs', 'calc', 1, 'create', job),
        patch('', 'pods', 'r-bcdfg', 2, 'create', pod),
        patch('', 'pods', 'r-bcdfg', 3, 'patch', { spec: { nodeName: 'n1' }, status: { conditions: [condition] } }),
        patch('', 'pods', 'r-bcdfg', 4, 'patch', { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }),
        patch('', 'pods', 'r-bcdfg', 5, 'delete', undefined),
        patch('batch', 'jobs', 'calc', 6, 'patch', {
          metadata: { deletionTimestamp: '$(time-offset-nanosecond 6000000000)', finalizers: ['orphan'] },
        }),
        patch('batch', 'jobs', 'calc', 7, 'delete', undefined),
        patch('', 'pods', 'never', 8, 'patch', { metadata: { labels: { a: 'b' } } }),
        patch('example.com', 'gadgets', 'g', 9, 'create', {}),
      ].map((each) => JSON.stringify(each)),
    ].join('\n---\n'),
  );
  t.deepEqual(
    history.requests.map(({ method, path, atMs }) => [method, path.slice(path.indexOf('shop/') + 5), atMs]),
    [
      ['POST', 'jobs', 1000],
      ['POST', 'pods/r-bcdfg/eviction', 4000],
      ['DELETE', 'jobs/calc', 6000],
    ],
  );
  t.deepEqual(history.requests[0]?.body, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    spec: { template: { spec: SPEC } },
    metadata: { name: 'calc', namespace: 'shop' },
  });
  t.deepEqual(history.requests[2]?.body, { propagationPolicy: 'Orphan' });
  t.is(history.leftOut.get('patches of what is not in it'), 1);
  t.is(history.leftOut.get('gadgets, not simulated'), 1);
});

test('a recording of kwokctl begins with its snapshot; what controllers did is done by those here', async (t) => {
  const history = historyOf('record.yaml', `---\n${KWOK}`);
  t.is(history.form, 'kwok');
  t.deepEqual(
    history.requests.map(({ method, atMs }) => [method, atMs]),
    [
      ['POST', 10_000],
      ['PATCH', 30_000],
    ],
  );
  t.deepEqual([...history.leftOut.values()], [1, 1, 1]);
  const { seen, nodes, refused } = await played(
    history,
    (cluster) => cluster.list('Pod').map(({ spec }) => spec.nodeName),
    { cluster: {} },
  );
  t.deepEqual([nodes, refused], [1, 0]);
  t.deepEqual(seen, ['n1', 'n1']);
});

function audit(
  second: number,
  verb: string,
  user: string,
  requestURI: string,
  requestObject?: object,
  code = 201,
): string {
  const at = `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000Z`;
  const head = { kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Request', stage: 'ResponseComplete' };
  const [, , , resource] = requestURI.split('?')[0]?.replace('/apis/apps', '/api').split('/').slice(2) ?? [];
  return JSON.stringify({
    ...head,
    verb,
    requestURI,
    user: { username: user },
    objectRef: { resource },
    requestObject,
    responseStatus: { code },
    requestReceivedTimestamp: at,
  });
}

const WEB = '/apis/apps/v1/namespaces/shop/deployments';
const AUDIT = [
  audit(0, 'list', 'me', '/api/v1/pods', undefined, 200),
  audit(1, 'create', 'me', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }),
  audit(2, 'create', 'me', WEB, deployment(1)),
  audit(3, 'create', 'system:serviceaccount:kube-system:replicaset-controller', '/api/v1/namespaces/shop/pods', {
    metadata: { name: 'theirs' },
    spec: SPEC,
  }),
  audit(4, 'create', 'me', WEB, deployment(5), 409),
  audit(20, 'patch', 'me', `${WEB}/web`, { spec: { replicas: 3 } }, 200),
  audit(
    30,
    'patch',
    'me',
    `${WEB}/web?fieldManager=tool&force=true`,
    { ...deployment(2), metadata: { name: 'web', labels: { x: 'y' } } },
    200,
  ),
].join('\n');

test('an audit log: what users wrote is written again, what the control plane wrote is left to the one here', async (t) => {
  const history = historyOf('audit.log', AUDIT);
  t.is(history.form, 'audit');
  t.deepEqual(
    history.requests.map(({ method, atMs }) => [method, atMs]),
    [
      ['POST', 1000],
      ['POST', 2000],
      ['PATCH', 20_000],
      ['PATCH', 30_000],
    ],
  );
  t.deepEqual(Object.fromEntries(history.leftOut), {
    'requests of the control plane and of nodes': 1,
    'requests that were refused': 1,
  });
  const { seen, refused, refusals } = await played(history, (cluster) => ({
    pods: cluster.list('Pod').length,
    labels: cluster.list('Deployment')[0]?.metadata.labels,
  }));
  t.is(refused, 0, refusals.join('\n'));
  t.deepEqual(seen, { pods: 2, labels: { x: 'y' } });
});

/** A line as a program sent it, about a resource. */
const by = (line: string, userAgent: string, objectRef: object = {}): string =>
  JSON.stringify({ ...(JSON.parse(line) as object), userAgent, objectRef });

/** As it registers. */
const node = (name: string): object => ({
  metadata: { name, labels: { disk: 'ssd' } },
  spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
  status: { capacity: { cpu: '4', memory: '8Gi', pods: '10' } },
});

test('an audit log in which all programs share one user: they are told by their names, and nodes that register have machines', async (t) => {
  const nodes = { resource: 'nodes' };
  const pods = '/api/v1/namespaces/shop/pods';
  const history = historyOf(
    'audit.log',
    [
      by(audit(1, 'create', 'admin', '/api/v1/nodes', node('a')), '', nodes),
      by(audit(2, 'create', 'system:node:b', '/api/v1/nodes', node('b')), 'kubelet/v1.34.2 (linux/amd64)', nodes),
      by(audit(3, 'create', 'admin', '/api/v1/namespaces', { metadata: { name: 'shop' } }), 'kubectl/v1.34.2'),
      by(audit(4, 'create', 'admin', WEB, deployment(2)), 'kubectl/v1.34.2'),
      by(
        audit(5, 'create', 'admin', pods, { metadata: { name: 'theirs' }, spec: SPEC }),
        'kube-controller-manager/v1.34.2',
      ),
      by(audit(5, 'create', 'admin', `${pods}/theirs/binding`, { target: { name: 'a' } }), 'another-scheduler/v1', {
        resource: 'pods',
        subresource: 'binding',
      }),
      by(
        audit(30, 'delete', 'system:serviceaccount:kube-system:node-controller', '/api/v1/nodes/b'),
        'cloud/v1',
        nodes,
      ),
    ].join('\n'),
  );
  t.deepEqual(Object.fromEntries(history.leftOut), { 'requests of the control plane and of nodes': 2 });
  const result = await playHistory(history, {
    cluster: { nodes: 0, seed: 1 },
    atEnd: (cluster) => {
      t.deepEqual(
        cluster.list('Pod').map(({ spec, status }) => [spec.nodeName, status.phase]),
        [
          ['a', 'Running'],
          ['a', 'Running'],
        ],
      );
      const [first] = cluster.list('Node');
      t.like(first?.metadata, { name: 'a', labels: { disk: 'ssd' } });
      t.like(first?.status, { capacity: { cpu: '4' }, allocatable: { cpu: '4' } });
    },
  });
  t.is(result.refused, 0, result.refusals.join('\n'));
});

const HOOKS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const HOOK = {
  metadata: { name: 'hook' },
  webhooks: [
    {
      name: 'hook.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Ignore',
      timeoutSeconds: 1,
      rules: [{ apiGroups: ['apps'], apiVersions: ['*'], operations: ['DELETE'], resources: ['*'] }],
      clientConfig: { url: 'https://127.0.0.1:1/hook' },
    },
  ],
};

test('an audit log in which webhooks are asked: a request waits for the answer and is made; what was another object there is gone here', async (t) => {
  const lines = [
    audit(1, 'create', 'admin', HOOKS, HOOK),
    audit(1, 'create', 'admin', '/api/v1/namespaces', { metadata: { name: 'shop' } }),
    audit(2, 'create', 'admin', WEB, deployment(2)),
    audit(19, 'delete', 'admin', `${WEB}/web`, { preconditions: { uid: 'of-another-one' } }),
    audit(20, 'delete', 'admin', `${WEB}/web`),
  ];
  const history = historyOf('audit.log', lines.join('\n'));
  const result = await playHistory(history, {
    cluster: { nodes: 1, seed: 1 },
    atEnd: (cluster) => t.deepEqual([cluster.list('Deployment'), cluster.list('Pod')], [[], []]),
  });
  t.deepEqual([result.requests, result.refused], [5, 0], result.refusals.join('\n'));
});

const CRONTABS = '/apis/stable.example.com/v1/namespaces/default/crontabs';
const CRONTAB = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.stable.example.com' },
  spec: {
    group: 'stable.example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', kind: 'CronTab' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

test('an audit log of custom resources: they are merged, what their operator said of them is said again, at its time', async (t) => {
  const own = { resource: 'crontabs', apiGroup: 'stable.example.com' };
  const type = { apiVersion: 'stable.example.com/v1', kind: 'CronTab' };
  const spec = { ...type, spec: { cronSpec: '* * * * *', list: [1] } };
  const history = historyOf(
    'audit.log',
    [
      audit(1, 'create', 'me', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', CRONTAB),
      by(audit(2, 'create', 'me', CRONTABS, { ...spec, metadata: { name: 'one' } }), 'kubectl', own),
      by(audit(3, 'patch', 'me', `${CRONTABS}/one`, { spec: { list: [2] } }, 200), 'kubectl', own),
      by(audit(4, 'patch', 'operator', `${CRONTABS}/one/status`, { status: { made: 3 } }, 200), 'operator', {
        ...own,
        subresource: 'status',
      }),
    ].join('\n'),
  );
  const first = JSON.parse(audit(1, 'create', 'me', WEB, {})) as { readonly requestReceivedTimestamp: string };
  t.is(history.time?.slice(0, 19), first.requestReceivedTimestamp.slice(0, 19));
  const { seen, refused, refusals } = await played(history, (cluster) => {
    const {
      spec: shown,
      status,
      metadata,
    } = cluster.get('CronTab' as Kind, 'one') as unknown as {
      readonly spec: object;
      readonly status: object;
      readonly metadata: { readonly creationTimestamp: string };
    };
    return { spec: shown, status, year: metadata.creationTimestamp.slice(0, 4) };
  });
  t.is(refused, 0, refusals.join('\n'));
  const year = first.requestReceivedTimestamp.slice(0, 4);
  t.deepEqual(seen, { spec: { cronSpec: '* * * * *', list: [2] }, status: { made: 3 }, year });
});

const PODS = '/api/v1/namespaces/shop/pods';

function eviction(name: string): object {
  return { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name } };
}

test('an audit log with drawn names: what was done to a pod is done to one of the same owner on the same node', async (t) => {
  const pods = { resource: 'pods' };
  const binding = (name: string, target: string): string =>
    by(audit(3, 'create', 'system:kube-scheduler', `${PODS}/${name}/binding`, { target: { name: target } }), '', {
      ...pods,
      subresource: 'binding',
      namespace: 'shop',
      name,
    });
  const made = JSON.parse(
    audit(4, 'create', 'me', '/apis/batch/v1/namespaces/shop/jobs', {
      metadata: { generateName: 'once-' },
      spec: { template: { spec: { ...SPEC, restartPolicy: 'Never' } } },
    }),
  ) as object;
  const history = historyOf(
    'audit.log',
    [
      // A watch that ended now, and was asked for an hour before.
      JSON.stringify({
        ...(JSON.parse(audit(0, 'watch', 'me', '/api/v1/pods', undefined, 200)) as object),
        requestReceivedTimestamp: '2025-12-31T23:00:00.000000Z',
        stageTimestamp: '2026-01-01T00:00:00.000000Z',
      }),
      audit(1, 'create', 'me', '/api/v1/namespaces', { metadata: { name: 'shop' } }),
      audit(2, 'create', 'me', WEB, deployment(4)),
      binding('web-5d4f9c8b7-bcdfg', 'node-1'),
      JSON.stringify({ ...made, responseObject: { metadata: { name: 'once-zzzzz' } } }),
      by(audit(20, 'create', 'me', `${PODS}/web-HASH-bcdfg/eviction`, eviction('web-HASH-bcdfg')), 'kubectl', pods),
      audit(21, 'delete', 'me', `${PODS}/web-HASH-ghjkl`),
      audit(30, 'delete', 'me', '/apis/batch/v1/namespaces/shop/jobs/once-zzzzz', { propagationPolicy: 'Background' }),
      '{"kind":"Event","apiVer',
    ].join('\n'),
  );
  t.is(history.requests[0]?.atMs, 1000);
  t.is(history.leftOut.get('line that is cut off at the end'), 1);
  // The hash of a template is the same everywhere: that of this one is known once it has been made.
  let hash = '';
  await playHistory(history, {
    toMs: 10_000,
    atEnd: (cluster) => void (hash = cluster.list('ReplicaSet')[0]?.metadata.labels?.['pod-template-hash'] ?? ''),
  });
  const named = {
    ...history,
    requests: history.requests.map((each) => {
      const text = JSON.stringify(each)
        .replaceAll('HASH', hash)
        .replaceAll('"prefix":"web-HASH-"', `"prefix":"web-${hash}-"`);
      return JSON.parse(text) as typeof each;
    }),
  };
  const gone: string[] = [];
  const result = await playHistory(named, {
    cluster: { nodes: 2, seed: 1 },
    prepare: (cluster) =>
      void cluster.watch('Pod').subscribe(({ type, object: { metadata } }) => {
        if (type === 'DELETED') gone.push(metadata.generateName ?? '');
      }),
    atEnd: (cluster) => t.deepEqual(cluster.list('Job'), []),
  });
  t.is(result.refused, 0, result.refusals.join('\n'));
  t.deepEqual(gone.toSorted(), ['once-zzzzz-', `web-${hash}-`, `web-${hash}-`]);
});

function onNode(cluster: Cluster): number {
  return cluster.list('Pod', { fieldSelector: 'spec.nodeName=node-0' }).length;
}

test('an audit log of a drain: the node is empty here as well, whatever stood on it there', async (t) => {
  const pods = { resource: 'pods' };
  const binding = (name: string, target: string): string =>
    by(audit(3, 'create', 'system:kube-scheduler', `${PODS}/${name}/binding`, { target: { name: target } }), '', {
      ...pods,
      subresource: 'binding',
      namespace: 'shop',
      name,
    });
  const cordon = audit(20, 'patch', 'me', '/api/v1/nodes/node-0', { spec: { unschedulable: true } });
  const history = historyOf(
    'audit-drain.log',
    [
      audit(1, 'create', 'me', '/api/v1/namespaces', { metadata: { name: 'shop' } }),
      audit(2, 'create', 'me', WEB, deployment(8)),
      binding('web-5d4f9c8b7-bcdfg', 'node-0'),
      cordon,
      by(
        audit(21, 'create', 'me', `${PODS}/web-5d4f9c8b7-bcdfg/eviction`, eviction('web-5d4f9c8b7-bcdfg')),
        'kubectl',
        pods,
      ),
    ].join('\n'),
  );
  let before = 0;
  const cluster = { nodes: 2, seed: 1 };
  await playHistory(history, { cluster, toMs: 10_000, atEnd: (each) => void (before = onNode(each)) });
  t.true(before > 1);
  const result = await playHistory(history, { cluster, atEnd: (each) => t.is(onNode(each), 0) });
  t.is(result.refused, 0, result.refusals.join('\n'));
  t.is(result.pods.Running, 8);
});

test('histories that cannot be played are refused with their place', (t) => {
  const bad = (name: string, text: string, message: RegExp): void =>
    void t.throws(() => historyOf(name, text), { message });
  bad(
    'a.log',
    audit(1, 'create', 'me', WEB),
    /a\.log:1: requestObject is missing, as of all that users wrote: the policy must log at level Request or RequestResponse, got Request$/,
  );
  bad('b.log', `${audit(1, 'list', 'me', WEB)}\nno`, /b\.log:2: must be an object of JSON$/);
  bad('c.json', JSON.stringify({ ...SIMKUBE, version: 1 }), /c\.json: version must be 2, got 1$/);
  bad(
    'd.yaml',
    JSON.stringify(patch('', 'pods', 'a', 1, 'move', {})),
    /method must be create, patch or delete, got move$/,
  );
});

const isThere = existsSync(TRACES);

if (!isThere) test.skip(`traces of SimKube itself: ${TRACES} is not there`, () => undefined);
(isThere ? test : test.skip)(
  'traces of SimKube itself are played without a refusal, and finished pods have ended',
  async (t) => {
    for (const [name, phases] of [
      ['simkube_bare-pods.sktrace', { Running: 1, Succeeded: 3 }],
      ['simkube_large_trace.json', { Running: 27 }],
    ] as const) {
      const history = readHistory(join(TRACES, name));
      const result = await playHistory(history as History, { cluster: { nodes: 10 } });
      t.is(result.refused, 0, name);
      t.like(result.pods, phases);
    }
  },
);
