import test from 'ava';
import { play } from './scene.js';

const DEPLOYMENT = `
cluster: { nodes: 3, seed: 4 }
workloads:
  - apiVersion: apps/v1
    kind: Deployment
    metadata: { name: web }
    spec:
      replicas: 3
      selector: { matchLabels: { app: web } }
      template:
        metadata: { labels: { app: web } }
        spec:
          terminationGracePeriodSeconds: 5
          topologySpreadConstraints:
            - { maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: { matchLabels: { app: web } } }
          containers: [{ name: web, image: web }]
`;
const BUDGET = `
  - apiVersion: policy/v1
    kind: PodDisruptionBudget
    metadata: { name: web }
    spec: { minAvailable: 3, selector: { matchLabels: { app: web } } }
`;

test('by › is met at the first moment at which its condition holds, and fails when its time is over', async (t) => {
  const { result, lines } = await play(`${DEPLOYMENT}
expectations:
  - { name: all, by: 1m, pods: { selector: app=web, ready: true }, count: 3 }
  - { name: too many, by: 30s, pods: { selector: app=web }, count: 4 }
  - { name: later, from: 40s, by: 50s, pods: {}, atLeast: 3 }
`);
  t.false(result.isMet);
  t.deepEqual(
    result.expectations.map(({ title, isMet, problem }) => [title, isMet, problem]),
    [
      ['all', true, undefined],
      ['too many', false, 'counted 3, must be 4'],
      ['later', true, undefined],
    ],
  );
  t.deepEqual(
    result.expectations.slice(1).map(({ atMs }) => atMs),
    [30_000, 40_000],
  );
  t.is(result.endMs, 40_000);
  t.regex(lines.join('\n'), /^\d met: all\n30 failed: too many \(counted 3, must be 4\)\n40 met: later$/);
});

test('until › the scenario goes on so long, though all is decided and done before', async (t) => {
  const { result } = await play(`${DEPLOYMENT}
actions:
  - { at: 10s, scale: { object: deployment/web, replicas: 1 } }
expectations:
  - { by: 1m, pods: { selector: app=web, ready: true }, count: 3 }
until: 5m
`);
  t.is(result.endMs, 300_000);
});

test('at › looks once; always and never look at each moment of their time', async (t) => {
  const { result } = await play(`${DEPLOYMENT}
actions:
  - { at: 1m, scale: { object: deployment/web, replicas: 1 } }
  - { at: 2m, scale: { object: deployment/web, replicas: 3 } }
expectations:
  - { at: 90s, pods: { selector: app=web, ready: true }, count: 1 }
  - { at: 90s, pods: { selector: app=web, ready: true }, count: 3 }
  - { always: { pods: { selector: app=web, ready: true }, atLeast: 1 }, from: 30s }
  - { always: { pods: { selector: app=web, ready: true }, atLeast: 3 }, from: 30s, until: 1m }
  - { always: { pods: { selector: app=web, ready: true }, atLeast: 3 }, from: 30s, until: 3m }
  - { never: { pods: { selector: app=web }, atLeast: 4 } }
  - { never: { pods: { terminating: true } }, from: 30s }
`);
  t.deepEqual(
    result.expectations.map(({ title, isMet }) => [title, isMet]),
    [
      ['at 90s: pods {selector: app=web, ready: true}, count 1', true],
      ['at 90s: pods {selector: app=web, ready: true}, count 3', false],
      ['always pods {selector: app=web, ready: true}, atLeast 1', true],
      ['always pods {selector: app=web, ready: true}, atLeast 3', true],
      ['always pods {selector: app=web, ready: true}, atLeast 3', false],
      ['never pods {selector: app=web}, atLeast 4', true],
      ['never pods {terminating: true}', false],
    ],
  );
  t.deepEqual(
    result.expectations.map(({ atMs }) => Math.floor(atMs / 1000)),
    [90, 90, 180, 60, 60, 180, 60],
  );
});

test('conditions › count nodes, objects, events, processes and budgets as they say', async (t) => {
  const { result } = await play(`${DEPLOYMENT}${BUDGET}
actions:
  - { at: 30s, cordon: node-1 }
  - { at: 40s, taint: { node: node-2, key: maintenance, value: soon, effect: NoSchedule } }
  - { at: 50s, patch: { object: deployment/web, type: merge, patch: { metadata: { annotations: { team: shop } } } } }
  - { at: 60s, delete: { object: pod/none }, mayFail: true }
  - { at: 70s, untaint: { node: node-2, key: maintenance } }
  - { at: 80s, uncordon: node-1 }
expectations:
  - { by: 10s, complete: deployment/web }
  - { by: 10s, nodes: { condition: Ready }, count: 3 }
  - { by: 10s, events: { reason: Scheduled, type: Normal, message: Successfully assigned }, count: 3 }
  - { by: 10s, events: { about: node/node-1, reason: NodeReady }, count: 1 }
  - { by: 10s, processes: { node: node-1 }, count: 1 }
  - { at: 35s, nodes: { unschedulable: true, name: node-1 }, count: 1 }
  - { at: 35s, nodes: { unschedulable: false }, count: 2 }
  - { at: 45s, nodes: { taint: maintenance, where: { metadata.name: node-2 } }, count: 1 }
  - { at: 55s, objects: { kind: Deployment, where: { metadata.annotations.team: shop, spec.replicas: 3 } }, count: 1 }
  - { at: 75s, nodes: { taint: maintenance }, count: 0 }
  - { at: 85s, nodes: { unschedulable: true }, count: 0 }
  - { at: 85s, objects: { kind: Deployment, where: { spec.paused: null }, condition: Available }, count: 1 }
  - { never: { brokenBudgets: {} } }
`);
  t.deepEqual(
    result.expectations.filter(({ isMet }) => !isMet),
    [],
  );
  t.true(result.isMet);
});

function note(text: string): string {
  return `patch: { metadata: { annotations: { note: ${text} } } }`;
}

test('an edit puts back what was read, unless it was written meanwhile', async (t) => {
  const { result, lines } = await play(`${DEPLOYMENT}
actions:
  - { at: 30s, for: 10s, edit: { object: deployment/web, ${note('kept')} } }
  - { at: 50s, for: 10s, name: late, edit: { object: deployment/web, ${note('lost')} } }
  - { at: 55s, scale: { object: deployment/web, replicas: 2 } }
expectations:
  - { at: 35s, objects: { kind: Deployment, where: { metadata.annotations.note: kept } }, count: 0 }
  - { at: 45s, objects: { kind: Deployment, where: { metadata.annotations.note: kept } }, count: 1 }
  - { at: 90s, objects: { kind: Deployment, where: { metadata.annotations.note: kept, spec.replicas: 2 } }, count: 1 }
`);
  t.deepEqual(
    result.expectations.filter(({ isMet }) => !isMet),
    [],
  );
  t.deepEqual(result.refusals, [
    'late: Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
  ]);
  t.is(lines[0], '30 action: deployment/web is being edited');
  t.true(lines.includes('40 told: deployment/web edited'));
});

test('a drain goes on while its budget says no, and counts as refused when it gives up', async (t) => {
  const { result, lines } = await play(`${DEPLOYMENT}${BUDGET}
actions:
  - { at: 30s, name: patient, drain: { node: node-1, timeout: 20s } }
  - { at: 1m, evict: pod/none }
`);
  t.false(result.isMet);
  t.is(result.refusals.length, 2);
  t.is(result.refusals[0], 'patient: unable to drain node "node-1" due to error: drain did not complete within 20s');
  t.is(result.refusals[1], 'evict: pods "none" not found');
  t.is(lines[0], '30 action: node/node-1 is being drained (patient)');
  t.is(lines[1], '30 told: node/node-1 cordoned');
  t.regex(lines[2] ?? '', /^30 told: evicting pod default\/web-/);
  t.regex(
    lines[3] ?? '',
    /^30 told: error when evicting pods.* \(will retry after 5s\): Cannot evict pod as it would violate/,
  );
});

test('a budget that is broken by a deletion is named', async (t) => {
  const { result, lines } = await play(`${DEPLOYMENT}${BUDGET}
actions:
  - { at: 30s, drain: { node: node-1, disableEviction: true } }
expectations:
  - { by: 40s, brokenBudgets: { budget: web }, count: 1 }
  - { by: 41s, from: 41s, brokenBudgets: {}, count: 1 }
`);
  t.true(result.isMet);
  t.deepEqual(result.violations, { unconfirmedDeletions: 0, splitBrains: 0, brokenBudgets: ['default/web'] });
  t.true(
    lines.some((line) => /^30 violation: budget default\/web was broken: default\/web-\S+ was asked to go$/.test(line)),
  );
});

test('faults › begin and end when the scenario says it, by name, by their time, or all at once', async (t) => {
  const { result, lines } = await play(`${DEPLOYMENT}
actions:
  - { at: 30s, name: dark, powerOff: { node: node-0 } }
  - { at: 40s, cut: { node: node-1, direction: out }, for: 10s }
  - { at: 60s, stopController: { controller: deployment-controller } }
  - { at: 61s, stopKubelet: { node: node-2 } }
  - { at: 62s, runTwice: { controller: replicaset-controller } }
  - { at: 70s, heal: dark }
  - { at: 80s, heal: all }
  - { at: 90s, heal: all, mayFail: true }
`);
  t.true(result.isMet);
  t.deepEqual(lines, [
    '30 action: powerOff node-0 (dark)',
    '40 action: cut node-1, out',
    '50 told: healed: cut node-1, out',
    '60 action: stopController deployment-controller',
    '61 action: stopKubelet node-2',
    '62 action: runTwice replicaset-controller',
    '70 action: healed dark',
    '80 action: healed 3 faults',
    '90 refused: heal: nothing is broken',
  ]);
});

test('a node may be named by a pod of it, and by the action that it was in', async (t) => {
  const { result, lines } = await play(`
cluster: { nodes: 3 }
workloads:
  - { apiVersion: v1, kind: Pod, metadata: { name: p, labels: { app: p } }, spec: { nodeName: node-2, containers: [{ name: c, image: i }] } }
actions:
  - { at: 30s, name: first, cordon: { ofPod: p } }
  - { at: 40s, delete: { node: { ofAction: first } } }
  - { at: 36s, uncordon: { ofPods: app=p } }
  - { at: 50s, drain: { ofPod: none }, mayFail: true }
  - { at: 51s, drain: { ofPods: app=none }, mayFail: true }
expectations:
  - { at: 35s, nodes: { name: { ofAction: first }, unschedulable: true }, count: 1 }
  - { at: 35s, pods: { node: { ofAction: first } }, count: 1 }
  - { by: 45s, nodes: {}, count: 2 }
`);
  t.deepEqual(
    result.expectations.map(({ isMet }) => isMet),
    [true, true, true],
  );
  t.deepEqual(
    lines.filter((line) => !line.includes(' met: ')),
    [
      '30 action: node/node-2 cordoned (first)',
      '36 action: node/node-2 uncordoned',
      '40 action: node/node-2 deleted',
      '50 refused: drain: no node is known: pod default/none is not there, or bound to no node',
      '51 refused: drain: no node is known: no pod with app=none is bound to a node',
    ],
  );
});

test('the same scenario and seed give the same trace and the same times; another seed another trace', async (t) => {
  const text = `${DEPLOYMENT}
actions: [{ at: 20s, powerOff: { node: { ofPod: none } }, mayFail: true }, { at: 30s, cut: { node: node-1 }, for: 30s }]
expectations: [{ by: 1m, complete: deployment/web }]
`;
  const first = await play(text);
  const again = await play(text);
  const other = await play(text, '99');
  t.deepEqual(again, first);
  t.is(first.result.seed, '4');
  t.is(other.result.seed, '99');
  t.not(other.result.traceHash, first.result.traceHash);
});

test('load › requests come to a service, and its autoscaler follows', async (t) => {
  const { result, lines } = await play(`
cluster: { nodes: 3, seed: 4 }
workloads:
  - apiVersion: apps/v1
    kind: Deployment
    metadata: { name: web }
    spec:
      replicas: 1
      selector: { matchLabels: { app: web } }
      template:
        metadata: { labels: { app: web }, annotations: { kubeloom.dev/request-cost: 10ms } }
        spec: { containers: [{ name: web, image: web, resources: { requests: { cpu: 500m }, limits: { cpu: 1 } } }] }
  - { apiVersion: v1, kind: Service, metadata: { name: web }, spec: { selector: { app: web }, ports: [{ port: 80 }] } }
  - apiVersion: autoscaling/v2
    kind: HorizontalPodAutoscaler
    metadata: { name: web }
    spec:
      scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
      maxReplicas: 9
      metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 50 } } }]
actions:
  - { at: 30s, load: { service: web, rate: 150 } }
  - { at: 10m, load: { service: web, rate: 0 } }
expectations:
  - { name: up, by: 5m, pods: { selector: app=web, ready: true }, count: 6 }
  - { name: down, by: 20m, from: 10m, pods: { selector: app=web, ready: true }, count: 1 }
`);
  t.deepEqual(
    result.expectations.map(({ title, isMet }) => [title, isMet]),
    [
      ['up', true],
      ['down', true],
    ],
  );
  t.true(lines.includes('30 action: load of service/web is 150'), lines.join('\n'));
});
