import test, { type ExecutionContext } from 'ava';
import {
  createCluster,
  OptionError,
  type Cluster,
  type ClusterOptions,
  type Draft,
  type FencingAction,
  type FencingOptions,
} from '../../../src/index.js';

const LABELS = { app: 'db' };
const POD_SPEC = { terminationGracePeriodSeconds: 5, containers: [{ name: 'db', image: 'db' }] };

/** A set of that size; `spec` goes over the pods' own. */
function statefulSet(replicas: number, spec: object = {}): Draft {
  const template = { metadata: { labels: LABELS }, spec: { ...POD_SPEC, ...spec } };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db' },
    spec: { serviceName: 'db', replicas, selector: { matchLabels: LABELS }, template },
  };
}

const SPREAD = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: LABELS } },
      ],
    },
  },
};

const budget = (minAvailable: number): Draft => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'db' },
  spec: { minAvailable, selector: { matchLabels: LABELS } },
});

/** What the fencing controller has said, and when in seconds since the cut. */
interface Scene {
  readonly cluster: Cluster;
  readonly node: string;
  readonly told: readonly string[];
}

interface SceneOptions {
  readonly fencing?: FencingOptions;
  readonly objects?: readonly Draft[];
  readonly cluster?: ClusterOptions;
}

/** A cluster of four nodes with a set, of which the node of db-0 is cut off. */
async function createScene(t: ExecutionContext, options: SceneOptions = {}): Promise<Scene> {
  const { fencing = {}, objects = [statefulSet(1)], cluster: others } = options;
  const cluster = createCluster({ nodes: 4, seed: 6, latency: 1, ...others, fencing });
  t.teardown(() => cluster.dispose());
  await cluster.ready();
  cluster.apply(objects);
  await cluster.run({ limit: '1m' });
  const node = cluster.get('Pod', 'db-0').spec.nodeName ?? '';
  const cutMs = cluster.nowMs;
  const told: string[] = [];
  cluster.events$.subscribe(({ atMs, event: { reason = '', source } }) => {
    if (source?.component === 'fencing-controller') told.push(`${Math.floor((atMs - cutMs) / 1000)} ${reason}`);
  });
  cluster.faults.cut({ node });
  return { cluster, node, told };
}

const reasons = (told: readonly string[]): string[] => told.map((line) => line.replace(/^\d+ /, ''));

/** Of the first time that something was told, in seconds. */
const secondsOf = (told: readonly string[], reason: string): number =>
  Number(told.find((line) => line.endsWith(` ${reason}`))?.split(' ')[0]);

test('9.30 › detect, decide, fence, confirm, and only then release', async (t) => {
  const steps: string[] = [];
  let confirm: ((isConfirmed: boolean) => void) | undefined;
  const action: FencingAction = {
    name: 'switch',
    endsProcesses: true,
    fence(node, done) {
      steps.push(`fence ${node}`);
      confirm = done;
    },
  };
  const { cluster, node, told } = await createScene(t, { fencing: { action, toleranceSeconds: 30 } });
  await cluster.run({ limit: '20m' });
  t.deepEqual(steps, [`fence ${node}`]);
  t.deepEqual(reasons(told), ['Fencing']);
  const decidedAfter = secondsOf(told, 'Fencing');
  t.true(decidedAfter >= 40 + 30 && decidedAfter <= 60 + 30, `${decidedAfter}`);
  // Taint eviction has deleted the pod gracefully; it is not removed while the fence is not certain.
  t.is(cluster.get('Pod', 'db-0').spec.nodeName, node);
  t.false((cluster.get('Node', node).spec.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/out-of-service'));
  cluster.faults.powerOff(node);
  confirm?.(true);
  await cluster.run({ limit: '1m' });
  t.deepEqual(reasons(told), ['Fencing', 'Fenced']);
  t.not(cluster.get('Pod', 'db-0').spec.nodeName, node);
  t.is(cluster.readyPods, 1);
  t.deepEqual(cluster.truth.counts, { unconfirmedDeletions: 0, splitBrains: 0 });
});

test('9.30 › a fence that is not confirmed releases nothing, and is tried again', async (t) => {
  let attempts = 0;
  const action: FencingAction = {
    name: 'broken switch',
    endsProcesses: true,
    fence(_node, done) {
      attempts += 1;
      done(false);
    },
  };
  const { cluster, node, told } = await createScene(t, { fencing: { action, toleranceSeconds: 0 } });
  await cluster.run({ limit: '30m' });
  t.true(attempts > 5, `${attempts}`);
  t.deepEqual([...new Set(reasons(told))], ['Fencing', 'FencingFailed']);
  t.is(cluster.get('Pod', 'db-0').spec.nodeName, node);
});

test('fencing › a controller that crashes between any two steps goes on where it was', async (t) => {
  for (const crashAfterMs of [0, 10, 500, 2000, 4000, 5000, 5010, 8000]) {
    const { cluster, node, told } = await createScene(t, { fencing: { action: 'powerOff', toleranceSeconds: 0 } });
    await cluster.run({ until: () => told.length > 0, limit: '2m' });
    await cluster.run({ limit: crashAfterMs });
    const crash = cluster.faults.stopController('fencing-controller');
    await cluster.run({ limit: '1m' });
    crash.heal();
    await cluster.run({ limit: '2m' });
    t.is(cluster.readyPods, 1, `crash after ${crashAfterMs} ms`);
    t.not(cluster.get('Pod', 'db-0').spec.nodeName, node);
    t.is(cluster.get('Node', node).metadata.annotations?.['kubeloom.dev/fencing'], 'fenced');
    t.deepEqual(cluster.truth.counts, { unconfirmedDeletions: 0, splitBrains: 0 });
  }
});

test('fencing › two instances of the controller fence once', async (t) => {
  const { cluster, told } = await createScene(t, { fencing: { action: 'powerOff', toleranceSeconds: 10 } });
  cluster.faults.runTwice('fencing-controller');
  await cluster.run({ limit: '3m' });
  t.is(reasons(told).filter((reason) => reason === 'Fencing').length, 1);
  t.is(cluster.readyPods, 1);
  t.deepEqual(cluster.truth.counts, { unconfirmedDeletions: 0, splitBrains: 0 });
});

test('fencing › a pod that tolerates less than the policy shortens the wait; a patient budget lengthens it', async (t) => {
  const tolerations = [
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 20 },
  ];
  const hasty = await createScene(t, {
    fencing: { toleranceSeconds: 600, confirmSeconds: 1 },
    objects: [statefulSet(1, { tolerations })],
  });
  await hasty.cluster.run({ limit: '3m' });
  const hastyAfter = secondsOf(hasty.told, 'Fencing');
  t.true(hastyAfter >= 40 + 20 && hastyAfter <= 60 + 20, `${hastyAfter}`);
  const waits = new Map<number, number>();
  for (const minAvailable of [2, 3]) {
    const { cluster, told } = await createScene(t, {
      fencing: { toleranceSeconds: 30, patienceSeconds: 120 },
      objects: [statefulSet(3, SPREAD), budget(minAvailable)],
    });
    await cluster.run({ limit: '6m' });
    waits.set(minAvailable, secondsOf(told, 'Fencing'));
  }
  const [patient = 0, urgent = 0] = waits.values();
  t.true(urgent >= 70 && urgent <= 90, `${urgent}`);
  t.is(patient - urgent, 120);
});

test('fencing › a node without pods that wait for their end is left to taint eviction', async (t) => {
  const replicaSet: Draft = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web' },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: POD_SPEC },
    },
  };
  const { cluster, told } = await createScene(t, {
    fencing: { toleranceSeconds: 0, minPriority: 100 },
    objects: [statefulSet(1), replicaSet],
  });
  await cluster.run({ limit: '10m' });
  t.deepEqual(told, []);
});

test('fencing › no node is fenced while too many are unreachable: then the controller may be the one cut off', async (t) => {
  const { cluster, node, told } = await createScene(t, {
    fencing: { toleranceSeconds: 20, maxUnreachablePercent: 40 },
  });
  const others = cluster.list('Node').filter(({ metadata }) => metadata.name !== node);
  const second = cluster.faults.cut({ node: others[0]?.metadata.name ?? '' });
  await cluster.run({ limit: '3m' });
  t.deepEqual(reasons(told), ['FencingRefused']);
  const [event] = cluster.list('Event').filter(({ reason }) => reason === 'FencingRefused');
  t.is(
    event?.message,
    `Node ${node} is not fenced: 2 of 4 nodes are unreachable, more than the share of 0.4 that may be`,
  );
  second.heal();
  await cluster.run({ limit: '2m' });
  t.deepEqual(reasons(told).slice(0, 3), ['FencingRefused', 'Fencing', 'Fenced']);
});

test('fencing › a controller that is cut off itself fences no node', async (t) => {
  const { cluster, told } = await createScene(t, { fencing: { toleranceSeconds: 30 } });
  await cluster.run({ limit: '65s' });
  const cut = cluster.faults.cut({ component: 'operator/fencing-controller' });
  await cluster.run({ limit: '10m' });
  t.deepEqual(
    cluster.list('Node').filter(({ metadata }) => metadata.annotations?.['kubeloom.dev/fencing']),
    [],
  );
  cut.heal();
  await cluster.run({ limit: '2m' });
  t.deepEqual(reasons(told), ['Fencing', 'Fenced']);
});

test('fencing › the fence is lifted once the machine has booted and its node is back, and not before', async (t) => {
  const { cluster, node, told } = await createScene(t, { fencing: { action: 'powerCycle', toleranceSeconds: 0 } });
  await cluster.run({ limit: '5m' });
  t.deepEqual(reasons(told), ['Fencing', 'Fenced']);
  cluster.faults.healAll();
  await cluster.run({ limit: '1m' });
  t.deepEqual(reasons(told), ['Fencing', 'Fenced', 'FencingLifted']);
  const { metadata, spec } = cluster.get('Node', node);
  t.deepEqual(spec.taints ?? [], []);
  t.deepEqual(
    Object.keys(metadata.annotations ?? {}).filter((key) => key.includes('fenc')),
    [],
  );
});

test('fencing › a node that comes back without a boot shows that its fence was none', async (t) => {
  const action: FencingAction = { name: 'liar', endsProcesses: true, fence: (_node, done) => done(true) };
  const { cluster, told } = await createScene(t, { fencing: { action, toleranceSeconds: 0 } });
  await cluster.run({ limit: '5m' });
  t.deepEqual(cluster.truth.counts, { unconfirmedDeletions: 1, splitBrains: 1 });
  cluster.faults.healAll();
  await cluster.run({ limit: '1m' });
  t.deepEqual(reasons(told), ['Fencing', 'Fenced', 'FencingBroken']);
});

test('fencing › options are checked at the door', (t) => {
  const refusals: readonly (readonly [FencingOptions, string])[] = [
    [
      { action: 'shout' as never },
      'fencing.action must be one of powerOff, powerCycle, cutStorage, or an action, got "shout"',
    ],
    [{ toleranceSeconds: -1 }, 'fencing.toleranceSeconds must be an integer in 0..86400, got -1'],
    [{ maxUnreachablePercent: 101 }, 'fencing.maxUnreachablePercent must be an integer in 0..100, got 101'],
    [
      { tolerance: 3 } as never,
      'option fencing.tolerance must be one of action, toleranceSeconds, patienceSeconds, confirmSeconds, minPriority, maxUnreachablePercent, got "tolerance"',
    ],
  ];
  for (const [fencing, message] of refusals) {
    t.throws(() => createCluster({ nodes: 1, fencing }), { instanceOf: OptionError, message });
  }
});
