/** The forms in which clusters are written down, and what of them is left out. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { createCluster, readCluster, takeoverText, type Cluster } from '../../src/index.js';
import { readLongYaml } from '../../src/transfer/import/long-yaml.js';

const recorded = JSON.parse(gunzipSync(readFileSync('test/transfer/recorded/cluster.json.gz')).toString('utf8')) as {
  readonly items: readonly {
    readonly kind: string;
    readonly apiVersion: string;
    readonly metadata: { readonly namespace?: string; readonly name: string };
  }[];
};
const folder = mkdtempSync(join(tmpdir(), 'kubeloom-forms-'));

function written(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const YAML = `
apiVersion: v1
kind: Node
metadata: { name: a, uid: n-1, creationTimestamp: "2026-01-01T00:00:00Z" }
status:
  capacity: { cpu: "4", memory: 8Gi, pods: "110" }
  allocatable: { cpu: "4", memory: 8Gi, pods: "110" }
  conditions: [{ type: Ready, status: "True", lastHeartbeatTime: "2026-01-01T00:10:00Z", lastTransitionTime: "2026-01-01T00:00:10Z" }]
---
apiVersion: v1
kind: Pod
metadata:
  name: p
  namespace: team
  uid: p-1
  creationTimestamp: "2026-01-01T00:00:20Z"
  annotations: { kubernetes.io/config.mirror: abc }
  managedFields: [{ manager: kubelet, operation: Update, time: "2026-01-01T00:20:00Z" }]
  ownerReferences: [{ apiVersion: apps/v1, kind: ReplicaSet, name: gone, uid: r-1, controller: true }]
spec: { nodeName: a, containers: [{ name: c, image: i }] }
status:
  phase: Running
  startTime: "2026-01-01T00:00:21Z"
  podIP: 10.9.9.9
  containerStatuses:
    - { name: c, image: i, imageID: "", ready: true, started: true, restartCount: 3, state: { running: { startedAt: "2026-01-01T00:15:00Z" } }, lastState: { terminated: { exitCode: 1, reason: Error, startedAt: "2026-01-01T00:10:00Z", finishedAt: "2026-01-01T00:14:00Z" } } }
---
apiVersion: v1
kind: Pod
metadata: { name: stranded, namespace: team }
spec: { nodeName: elsewhere, containers: [{ name: c, image: i }] }
---
apiVersion: v1
kind: Secret
metadata: { name: s, namespace: team }
data: { password: aHVudGVyMg== }
---
apiVersion: v1
kind: Event
metadata: { name: e, namespace: team }
lastTimestamp: "2026-01-01T00:30:00Z"
involvedObject: { kind: Pod, name: p, namespace: team }
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: m, namespace: team }
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: { name: other, namespace: team, uid: r-9 }
spec: { replicas: 0, selector: { matchLabels: { a: b } }, template: { metadata: { labels: { a: b } }, spec: { containers: [{ name: c, image: i }] } } }
`;

test('what is left out is counted, and the newest time of anything is the present', (t) => {
  const picture = readCluster(written('some.yaml', YAML));
  t.is(
    takeoverText(picture),
    'taken over: 1 Node, 1 Pod, 3 others; its time goes on from 2026-01-01T00:30:00Z; left out: 1 Event, ' +
      '1 pod on nodes that are not in it, 1 reference to owners that are not in it, contents of 1 Secret, ' +
      '1 Prometheus (monitoring.coreos.com/v1), not simulated',
  );
});

test('a pod runs on with its restarts and its last end; a namespace that nothing wrote down is there', async (t) => {
  const cluster = createCluster({ from: YAML });
  await cluster.run({ limit: '5m' });
  const pod = cluster.get('Pod', 'team/p');
  t.is(pod.metadata.uid, 'p-1');
  t.is(pod.metadata.ownerReferences, undefined);
  t.is(pod.metadata.annotations?.['kubernetes.io/config.mirror'], undefined);
  const [container] = pod.status.containerStatuses ?? [];
  t.is(container?.restartCount, 3);
  t.is(container?.lastState?.terminated?.exitCode, 1);
  t.is(cluster.get('Namespace', 'team').status?.phase, 'Active');
  t.deepEqual(cluster.get('Secret', 'team/s').data, { password: '' });
  await cluster.dispose();
});

const ofKind = (kind: string, namespace?: string): readonly object[] =>
  recorded.items.filter(
    (item) => item.kind === kind && (namespace === undefined || item.metadata.namespace === namespace),
  );

const listOf = (kind: string, items: readonly object[]): string =>
  JSON.stringify({ kind: `${kind}List`, apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1', items }, undefined, 4);

test('lists, streams of JSON, folders and what kubectl prints of a whole cluster hold the same objects', (t) => {
  const kinds = ['Node', 'Pod', 'Deployment', 'Service'];
  const wanted = kinds.flatMap((kind) => ofKind(kind)).length;
  const texts = kinds.map((kind) => listOf(kind, ofKind(kind)));
  const log =
    '==== START logs for container w of pod shop/web ====\n{"level": "info"}\n==== END logs for container w of pod shop/web ====\n';
  const paths = [
    written(
      'one.json',
      JSON.stringify({ kind: 'List', apiVersion: 'v1', items: kinds.flatMap((kind) => ofKind(kind)) }),
    ),
    written('items.json', JSON.stringify(kinds.flatMap((kind) => ofKind(kind)))),
    written('stream.json', texts.join('\n')),
    written('dump.txt', texts.join(`\n${log}`)),
    written(
      'lines.ndjson',
      kinds
        .flatMap((kind) => ofKind(kind))
        .map((item) => JSON.stringify(item))
        .join('\n'),
    ),
    written('nulls.json', `${texts.join('\n')}${listOf('Job', []).replace('[]', 'null')}`),
  ];
  kinds.forEach((kind, index) => written(join('folder', 'shop', `${kind}.json`), texts[index] ?? ''));
  written(join('folder', 'shop', 'web', 'logs.txt'), 'kind of a log');
  written(join('folder', 'version.json'), '{"gitVersion":"v1.34.2"}');
  // Answers of Prometheus, as must-gather has them.
  written(join('folder', 'rules.json'), '{"status":"success","data":{"rules":[{"labels":{"kind":"x"}}]}}');
  for (const path of [...paths, join(folder, 'folder')]) {
    const { objects } = readCluster(path);
    t.is(objects.filter(({ kind }) => kinds.includes(kind)).length, wanted, path);
  }
});

const told = (type: string, object: object): object => ({ type, object });

test('of what a watch tells, the last state of each object counts, and what is deleted is gone', (t) => {
  const [node, ...others] = ofKind('Node') as readonly Named[];
  const pods = (ofKind('Pod') as readonly Named[]).slice(0, 2);
  const labelled = { ...node, metadata: { ...node?.metadata, labels: { last: 'state' } } };
  const events = [
    told('ADDED', node ?? {}),
    ...others.map((each) => told('ADDED', each)),
    ...pods.map((each) => told('ADDED', each)),
    told('MODIFIED', labelled),
    told('BOOKMARK', { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '9' } }),
    told('DELETED', pods[0] ?? {}),
  ];
  const texts = [
    events.map((event) => JSON.stringify(event)).join('\n'),
    events.map((event) => JSON.stringify(event, undefined, 4)).join('\n'),
  ];
  for (const [index, text] of texts.entries()) {
    const { objects } = readCluster(written(`events-${index}.json`, text));
    const kept = objects.filter(({ kind }) => kind === 'Node' || kind === 'Pod');
    t.is(kept.length, others.length + 2);
    t.like(kept.find(({ draft: { metadata } }) => metadata?.name === node?.metadata.name)?.draft, {
      metadata: { labels: { last: 'state' } },
    });
  }
  const failed = told('ERROR', { kind: 'Status', message: 'too old resource version: 1 (5)' });
  t.throws(() => readCluster(written('failed.json', JSON.stringify(failed))), {
    message: /failed\.json:1: is a watch that failed: too old resource version: 1 \(5\)$/,
  });
});

interface Named {
  readonly metadata: { readonly name: string };
}

const service = (group: string): object => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `v1.${group}` },
  spec: { group, version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
});

const hasMetrics = (cluster: Cluster): boolean => !JSON.stringify(cluster.export().items.at(-1)).includes('hasMetrics');

test('a cluster that serves no metrics has none here either, nor have its forks', async (t) => {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } };
  const without = createCluster({ from: [namespace, service('apps')] });
  const forks = [without.fork({ seed: 3 }), createCluster({ from: without.export() })];
  const others = [
    createCluster({ from: [namespace] }),
    createCluster({ from: [namespace, service('apps'), service('metrics.k8s.io')] }),
    createCluster({ from: [namespace, service('apps')], without: [] }),
  ];
  t.deepEqual([without, ...forks].map(hasMetrics), [false, false, false]);
  t.deepEqual(others.map(hasMetrics), [true, true, true]);
  for (const cluster of [without, ...forks, ...others]) await cluster.dispose();
});

const CLAIM = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: fast }
provisioner: disk.example.com
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: claim
  namespace: team
  creationTimestamp: "2026-01-01T00:00:00Z"
  annotations: { volume.kubernetes.io/storage-provisioner: disk.example.com }
spec: { storageClassName: fast, accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
status: { phase: Pending }
`;
const CSI_NODE = `
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: { name: a }
spec: { drivers: [{ name: disk.example.com, nodeID: a, topologyKeys: [] }] }
`;
/** The present. */
const present = (second: number): string =>
  `\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: c, creationTimestamp: "2026-01-01T00:00:${second}Z" }\n`;

for (const [title, text, phase] of [
  ['that has waited for long', `${CLAIM}---${present(30)}`, 'Pending'],
  ['that has just come', `${CLAIM}---${present(10)}`, 'Bound'],
  ['whose driver is on a node', `${CLAIM}---${CSI_NODE}---${present(30)}`, 'Bound'],
] as const) {
  test(`a claim without a volume is ${phase} here and in a fork: one ${title}`, async (t) => {
    const first = createCluster({ from: text });
    const fork = first.fork();
    for (const cluster of [first, fork]) {
      await cluster.run({ limit: '2m' });
      t.is(cluster.get('PersistentVolumeClaim', 'team/claim').status.phase, phase);
      await cluster.dispose();
    }
  });
}

/** A config map with texts that look like items of lists. */
function longMap(name: string, indent: string, words: number): string {
  const text = `${'- x: |\n    kind: not\n'.repeat(24)}${'word '.repeat(words)}`;
  return [
    'apiVersion: v1',
    'data:',
    '  text: |',
    ...text.split('\n').map((line) => `    ${line}`),
    "  quoted: 'it''s\n\n          - here'",
    'kind: ConfigMap',
    `metadata: { name: ${name}, namespace: team }`,
  ].join(`\n${indent}`);
}

function longList(column: string, names: readonly string[], words: number): string {
  const items = names.map((name) => `${column}- ${longMap(name, `${column}  `, words)}\n`);
  return `apiVersion: v1\nitems:\n${items.join('')}kind: List\nmetadata:\n  resourceVersion: ""\n`;
}

const MAP_NAMES = Array.from({ length: 12 }, (_, index) => `c-${index}`);
const WORDS = 40_000;

test('long YAML is read piece by piece: lists whose items begin at a column, and documents', (t) => {
  const [{ value: whole } = { value: {} }] = readLongYaml(Buffer.from(longMap('first', '', 10)), 'one.yaml');
  t.like(whole, { data: { quoted: "it's\n- here" } });
  const many = `---\n${MAP_NAMES.map((name) => `${longMap(name, '', WORDS)}\n`).join('---\n# another\n')}`;
  const documents = readLongYaml(Buffer.from(many), 'many.yaml');
  t.deepEqual(namesOf(documents.map(({ value }) => value)), MAP_NAMES);
  t.is(documents[1]?.line, many.split('---\n# another')[0]?.split('\n').length);
  for (const column of ['', '  ']) {
    const text = `${longMap('first', '', 10)}\n---\n${longList(column, MAP_NAMES, WORDS)}`;
    t.true(text.length > 1 << 21);
    const [first, list] = readLongYaml(Buffer.from(text), 'list.yaml').map(({ value }) => value);
    t.deepEqual(namesOf([first]), ['first']);
    const { items, ...around } = list as { readonly items: readonly unknown[] };
    t.deepEqual(around, { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' } });
    t.deepEqual(namesOf(items), MAP_NAMES);
    const [last] = readLongYaml(Buffer.from(longMap('c-11', '', WORDS)), 'one.yaml');
    t.deepEqual(items.at(-1), last?.value);
  }
  const broken = longList('', MAP_NAMES, WORDS).replace('name: c-9', 'name: [c-9');
  const line = broken.slice(0, broken.indexOf('name: [c-9')).split('\n').length;
  const error = t.throws(() => readLongYaml(Buffer.from(broken), 'broken.yaml'), { name: 'ImportError' });
  t.regex(error.message, new RegExp(`^broken\\.yaml:(?:${line}|${line + 1}): `));
});

test('a file of long YAML has the objects of a short one', (t) => {
  const text = longList('', ['a', 'b'], 1_700_000);
  t.true(text.length > 1 << 24);
  const { objects } = readCluster(written('long.yaml', text));
  t.deepEqual(
    objects.map(({ kind, draft }) => [kind, draft.metadata.name]),
    [
      ['Namespace', 'team'],
      ['ConfigMap', 'a'],
      ['ConfigMap', 'b'],
    ],
  );
});

function namesOf(values: readonly unknown[]): readonly string[] {
  return values.map((value) => (value as { readonly metadata: { readonly name: string } }).metadata.name);
}

test('a long list that kubectl has indented is read item by item', (t) => {
  const items = Array.from({ length: 60 }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `c-${index}`, namespace: 'team' },
    data: { text: `${'} ,\n'.repeat(70_000)}${index}`, nested: '{}' },
  }));
  const list = { apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } };
  const text = JSON.stringify(list, undefined, 4);
  t.true(text.length > 1 << 24);
  const { objects } = readCluster(written('indented.json', text));
  t.deepEqual(
    objects.filter(({ kind }) => kind === 'ConfigMap').map(({ draft }) => draft['data']),
    items.map(({ data }) => data),
  );
  t.is(objects[1]?.place, `${join(folder, 'indented.json')} items[0]`);
  t.throws(() => readCluster(written('cut-off.json', text.slice(0, -30))), { message: /is no JSON/ });
});

test('owners are found again by their names where objects have lost their uids', async (t) => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' };
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const cluster = createCluster({
    from: [
      {
        ...owner,
        metadata: { name: 'web' },
        spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: 'web-1',
          labels: { app: 'web' },
          ownerReferences: [{ ...owner, uid: 'old', controller: true }],
        },
        spec: template.spec,
      },
    ],
    nodes: 1,
  });
  t.is(cluster.get('Pod', 'web-1').metadata.ownerReferences?.[0]?.uid, cluster.get('ReplicaSet', 'web').metadata.uid);
  await cluster.run({ limit: '1m' });
  t.is(cluster.list('Pod').length, 1);
  t.is(cluster.get('ReplicaSet', 'web').status.readyReplicas, 1);
  await cluster.dispose();
});

const POD_WITHOUT_LIST = 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { containers: 5 }\n';
const BAD: Readonly<Record<string, readonly [text: string, problem: RegExp]>> = {
  'no-kind.yaml': [
    'apiVersion: v1\nmetadata: { name: a }\n',
    /no-kind\.yaml:1: kind must be the name of a kind, got nothing$/,
  ],
  'no-name.yaml': [
    '---\napiVersion: v1\nkind: Pod\nmetadata: { name: 5 }\n',
    /no-name\.yaml:2: metadata\.name must be a text, got 5$/,
  ],
  'cut.json': ['{"apiVersion": "v1", "kind": "List", "items": [', /cut\.json:1: is no JSON: /],
  'text.yaml': ['hello', /text\.yaml:1: must be an object with apiVersion and kind, got "hello"$/],
  'items.json': ['{"apiVersion":"v1","kind":"List","items":5}', /items\.json:1: items must be a list, got 5$/],
  'empty.yaml': ['---\n', /empty\.yaml: has no objects$/],
  'strange.yaml': [
    'apiVersion: a/v1\nkind: B\nmetadata: { name: a }\n',
    /has no object of a kind that is simulated, got B$/,
  ],
  'stranded.yaml': [
    'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { nodeName: gone, containers: [{ name: c, image: i }] }\n',
    /stranded\.yaml: has pods alone, on nodes that are not in it, got 1$/,
  ],
  'state.json': [
    '{"apiVersion":"kubeloom.dev/v1alpha1","kind":"SavedState","time":"x"}',
    /state\.json:1: time must be a timestamp, got "x"$/,
  ],
};

for (const [name, [text, problem]] of Object.entries(BAD)) {
  test(`a file that cannot be used is refused in one line: ${name}`, (t) => {
    const error = t.throws(() => readCluster(written(name, text)));
    t.regex(error.message, problem);
    t.false(error.message.includes('\n'));
  });
}

test('an object that is not as its kind must be is refused by its place and its field', (t) => {
  const type = t.throws(() => createCluster({ from: POD_WITHOUT_LIST }));
  t.regex(type.message, /^from:1: Pod default\/a: .*spec\.containers of type \[\]v1\.Container$/);
  const value = t.throws(() => createCluster({ from: POD_WITHOUT_LIST.replace('5', '[{ name: A, image: i }]') }));
  t.regex(value.message, /^from:1: Pod default\/a: .*spec\.containers\[0\]\.name: Invalid value/);
  t.regex(t.throws(() => createCluster({ from: 5 as never })).message, /^from must be objects, or their text, got 5$/);
  t.regex(t.throws(() => readCluster(join(folder, 'nothing'))).message, /nothing: there is no such file or folder$/);
});

test('objects that were never in a cluster begin as if they had been created', async (t) => {
  const text = `
apiVersion: v1
kind: Node
metadata: { name: a }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: c, image: i }] } }
---
apiVersion: v1
kind: Pod
metadata: { name: alone }
spec: { containers: [{ name: c, image: i }] }
`;
  const cluster = createCluster({ from: text, nodes: 2 });
  const isUp = (): boolean =>
    cluster.readyPods === 4 && cluster.get('Deployment', 'web').status.availableReplicas === 3;
  t.is((await cluster.run({ until: isUp, limit: '5m' })).end, 'done');
  await cluster.dispose();
});

test('a node that was written by hand is registered by a kubelet: volumes are attached to it', async (t) => {
  const text = `
apiVersion: v1
kind: Node
metadata: { name: a }
status:
  capacity: { cpu: "8", memory: 32Gi, pods: "110" }
  allocatable: { cpu: "7", memory: 30Gi, pods: "110" }
  conditions: [{ type: Ready, status: "True" }]
`;
  const cluster = createCluster({ from: text });
  const isReady = (): boolean => (cluster.get('Node', 'a').status.nodeInfo?.kubeletVersion ?? '') !== '';
  t.is((await cluster.run({ until: isReady, limit: '1m' })).end, 'done');
  const { metadata, status } = cluster.get('Node', 'a');
  t.is(metadata.annotations?.['volumes.kubernetes.io/controller-managed-attach-detach'], 'true');
  t.is(metadata.labels?.['kubernetes.io/hostname'], 'a');
  t.is(status.allocatable?.['cpu'], '7');
  await cluster.dispose();
});

function offset(seconds: number): string {
  return `$(time-offset-nanosecond ${seconds * 1e9 - 123_456_789})`;
}

test('times of a snapshot that kwokctl exports are told from its moment: whole seconds stay whole', async (t) => {
  const relative = YAML.replaceAll(/"2026-01-01T00:(\d\d):(\d\d)Z"/g, (_, minutes: string, seconds: string) =>
    JSON.stringify(offset((Number(minutes) - 30) * 60 + Number(seconds))),
  );
  const path = written('export.yaml', relative);
  t.is(readCluster(path).time, '2030-01-01T00:00:00Z');
  const cluster = createCluster({ from: readCluster(path) });
  t.is(cluster.get('Node', 'a').metadata.creationTimestamp, '2029-12-31T23:30:00Z');
  t.is(cluster.get('Pod', { namespace: 'team', name: 'p' }).status.startTime, '2029-12-31T23:30:21Z');
  await cluster.dispose();
});

test('a node that was cordoned, and one that nothing was heard of, are not waited for', async (t) => {
  const [node = ''] = YAML.split('---');
  const cordoned = `${node.replace('name: a, uid: n-1', 'name: b')}\nspec: { unschedulable: true }`;
  const lost = node.replace('name: a, uid: n-1', 'name: c').replace('status: "True"', 'status: Unknown');
  const cluster = createCluster({ from: [node, cordoned, lost].join('\n---\n'), nodes: 1 });
  t.is(cluster.wantedNodes, 4);
  const { end } = await cluster.ready('1m');
  t.is(end, 'done');
  t.true(cluster.nowMs < 10_000, String(cluster.nowMs));
  await cluster.dispose();
});
