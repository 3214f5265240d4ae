import test from 'ava';
import { createCluster, type Cluster } from '../../src/index.js';

function stage(name: string, kind: string, spec: string): string {
  return `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: ${name} }
spec:
  resourceRef: { apiGroup: v1, kind: ${kind} }
${spec.replaceAll(/^/gm, '  ')}
---`;
}

const STATUSES = (state: string, phase: string, isReady: boolean): string => `
next:
  statusTemplate: |
    phase: ${phase}
    containerStatuses:
    {{ range .spec.containers }}
    - name: {{ .name | Quote }}
      ready: ${isReady}
      state: ${state}
    {{ end }}`;

/** As kwok's own, with delays that are not drawn. */
const READY = stage(
  'ready',
  'Pod',
  `selector: { matchExpressions: [{ key: .status.phase, operator: In, values: [Pending] }] }
delay:
  durationMilliseconds: 30000
  durationFrom: { expressionFrom: '.metadata.annotations["ready-after"]' }${STATUSES('{ running: { startedAt: {{ Now | Quote }} } }', 'Running', true)}`,
);
const FAIL = stage(
  'fail',
  'Pod',
  `selector:
  matchLabels: { fails: "true" }
  matchExpressions: [{ key: .status.phase, operator: In, values: [Running] }]
delay: { durationMilliseconds: 20000 }${STATUSES('{ terminated: { exitCode: 7, reason: Error } }', 'Failed', false)}`,
);
const DELETE = stage(
  'delete',
  'Pod',
  `selector: { matchExpressions: [{ key: .metadata.deletionTimestamp, operator: Exists }] }
delay: { durationMilliseconds: 8000 }
next: { delete: true }`,
);
const SWEEP = stage(
  'sweep',
  'Pod',
  `selector: { matchExpressions: [{ key: .status.phase, operator: In, values: [Failed] }] }
delay: { durationMilliseconds: 60000 }
next: { delete: true, event: { type: Warning, reason: Swept, message: it has failed } }`,
);

function pod(name: string, more = ''): string {
  return `
apiVersion: v1
kind: Pod
metadata: { name: ${name}${more} }
spec: { restartPolicy: Never, containers: [{ name: app, image: registry.example/app:1 }] }
---`;
}

const QUICK = { runtime: { sandbox: 0, imagePull: 0, imageCheck: 0, containerStart: 0 } } as const;

async function clusterWith(stages: string, pods: string): Promise<Cluster> {
  const cluster = createCluster({ nodes: 2, seed: 5, stages, ...QUICK });
  await cluster.ready();
  cluster.apply(pods);
  return cluster;
}

function phaseOf(cluster: Cluster, name: string): string {
  const found = cluster.list('Pod').find(({ metadata }) => metadata.name === name);
  if (found === undefined) return 'gone';
  const [status] = found.status.containerStatuses ?? [];
  const code = status?.state?.terminated?.exitCode;
  return `${found.status.phase}${status?.ready === true ? ', ready' : ''}${code === undefined ? '' : `, exit code ${code}`}`;
}

test('stages of pods › are the scripts of their containers: starts, ends and exit codes', async (t) => {
  const text = `${pod('slow')}${pod('fast', ', annotations: { ready-after: 5s }')}${pod('bad', ', labels: { fails: "true" }')}`;
  const cluster = await clusterWith(READY + FAIL + DELETE, text);
  await cluster.run({ limit: '10s' });
  t.deepEqual([phaseOf(cluster, 'slow'), phaseOf(cluster, 'fast')], ['Running', 'Running, ready']);
  await cluster.run({ limit: '25s' });
  t.deepEqual([phaseOf(cluster, 'slow'), phaseOf(cluster, 'bad')], ['Running, ready', 'Running, ready']);
  await cluster.run({ limit: '20s' });
  t.is(phaseOf(cluster, 'bad'), 'Failed, exit code 7');
  cluster.delete('Pod', 'fast');
  await cluster.run({ limit: '6s' });
  t.not(phaseOf(cluster, 'fast'), 'gone');
  await cluster.run({ limit: '4s' });
  t.is(phaseOf(cluster, 'fast'), 'gone');
  await cluster.dispose();
});

test('stages of pods › annotations win over them', async (t) => {
  const more =
    ', labels: { fails: "true" }, annotations: { kubeloom.dev/exit-code: "3", kubeloom.dev/start-delay: 1s }';
  const cluster = await clusterWith(READY + FAIL, pod('bad', more));
  await cluster.run({ limit: '5s' });
  t.is(phaseOf(cluster, 'bad'), 'Running, ready');
  await cluster.run({ limit: '1m' });
  t.is(phaseOf(cluster, 'bad'), 'Failed, exit code 3');
  await cluster.dispose();
});

test('stages of pods › what they do beside the status is done: a deletion and an event', async (t) => {
  const cluster = await clusterWith(READY + FAIL + SWEEP, `${pod('bad', ', labels: { fails: "true" }')}${pod('good')}`);
  await cluster.run({ limit: '1m' });
  t.is(phaseOf(cluster, 'bad'), 'Failed, exit code 7');
  await cluster.run({ limit: '1m' });
  t.deepEqual([phaseOf(cluster, 'bad'), phaseOf(cluster, 'good')], ['gone', 'Running, ready']);
  t.is(cluster.list('Event').filter(({ reason }) => reason === 'Swept').length, 1);
  await cluster.dispose();
});

test('stages of nodes › one that says not ready stops the kubelet while the node comes into it', async (t) => {
  const stages = stage(
    'node-not-ready',
    'Node',
    `selector: { matchLabels: { broken: "true" } }
delay: { durationMilliseconds: 10000 }
next:
  statusTemplate: |
    conditions:
    {{ range NodeConditions }}
    - type: {{ .type | Quote }}
      status: {{ if eq .type "Ready" }}"False"{{ else }}{{ .status | Quote }}{{ end }}
    {{ end }}`,
  );
  const cluster = await clusterWith(stages, '');
  const ready = (name: string): string | undefined =>
    cluster.get('Node', name).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  cluster.patch('Node', 'node-0', { metadata: { labels: { broken: 'true' } } });
  await cluster.run({ limit: '9s' });
  t.is(ready('node-0'), 'True');
  await cluster.run({ limit: '90s' });
  t.deepEqual([ready('node-0'), ready('node-1')], ['Unknown', 'True']);
  cluster.patch('Node', 'node-0', { metadata: { labels: { broken: null } } });
  await cluster.run({ limit: '30s' });
  t.is(ready('node-0'), 'True');
  await cluster.dispose();
});
