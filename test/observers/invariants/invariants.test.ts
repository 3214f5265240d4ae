import test from 'ava';
import type { Draft, Pod } from '../../../src/api/objects/objects.js';
import { createCluster, defineController, INVARIANTS, type Cluster, type Invariant } from '../../../src/index.js';

function deployment(name: string, replicas: number): Draft {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'app', image: 'app', resources: { requests: { cpu: '100m' } } }] },
      },
    },
  };
}

function statefulSet(name: string, replicas: number): Draft {
  const { spec } = deployment(name, replicas) as { spec: object };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name }, spec: { ...spec, serviceName: name } };
}

async function started(invariants: boolean | readonly Invariant[], nodes = 4): Promise<Cluster> {
  const cluster = createCluster({ nodes, invariants });
  await cluster.ready();
  cluster.apply([deployment('web', 6), statefulSet('db', 2)]);
  await cluster.run({ limit: '1m' });
  return cluster;
}

function found(cluster: Cluster): readonly (readonly [string, string, string | undefined])[] {
  return cluster.invariants.violations.map(({ invariant, object, asked }) => [invariant, object, asked] as const);
}

test('invariants › hold through a rollout, a drain, a lost node and its return', async (t) => {
  const cluster = await started(true);
  cluster.patch('Deployment', 'web', {
    spec: { template: { spec: { containers: [{ name: 'app', image: 'app:2' }] } } },
  });
  await cluster.run({ limit: '2m' });
  const drained = cluster.drain('node-1').subscribe();
  await cluster.run({ limit: '2m' });
  drained.unsubscribe();
  const partition = cluster.faults.inject({ cut: { node: 'node-2' } });
  await cluster.run({ limit: '10m' });
  partition.heal();
  await cluster.run({ limit: '5m' });
  cluster.delete('Deployment', 'web');
  await cluster.run({ limit: '5m' });
  t.deepEqual(cluster.invariants.checkAtRest(), []);
  t.deepEqual(cluster.invariants.violations, []);
  const idle = [...cluster.invariants.evaluated].filter(([, times]) => times === 0).map(([name]) => name);
  // Nothing was parted from its object, there are no budgets, jobs and volumes.
  t.deepEqual(idle, [
    'one-process-set',
    'budgets-not-overdrawn',
    'budgets-add-up',
    'evictions-counted',
    'counted-once',
    'cron-policy-kept',
    'jobs-end-whole',
    'ended-jobs-kept',
    'one-slice-an-endpoint',
    'attach-records-swapped',
    'mounted-stays-attached',
    'used-claims-stay',
    'cron-jobs-run-on',
  ]);
  await cluster.dispose();
});

test('invariants › are as many as the names they have, and change nothing that happens', async (t) => {
  t.is(new Set(INVARIANTS.map(({ name }) => name)).size, INVARIANTS.length);
  const [watched, unwatched] = await Promise.all([started(true), started(false)]);
  t.is(watched.traceHash, unwatched.traceHash);
  t.is(unwatched.invariants.evaluated.size, 0);
  await watched.dispose();
  await unwatched.dispose();
});

test('invariants › a forced deletion of a pod that runs on is counted, and named as what it is', async (t) => {
  const cluster = await started(true);
  const pod = cluster.get('Pod', 'db-0');
  cluster.faults.inject({ cut: { node: pod.spec.nodeName ?? '' } });
  await cluster.run({ limit: '2m' });
  cluster.delete('Pod', 'db-0', { force: true });
  await cluster.run({ limit: '5m' });
  const about = found(cluster).filter(([, object]) => object === 'Pod default/db-0');
  t.deepEqual(about, [
    ['removed-by-its-kubelet', 'Pod default/db-0', 'user'],
    ['one-process-set', 'Pod default/db-0', 'user'],
    ['one-process-set', 'Pod default/db-0', 'user'],
  ]);
  t.deepEqual(cluster.invariants.faults, []);
  await cluster.dispose();
});

test('invariants › a component that forces a deletion on a node that was not given up is at fault', async (t) => {
  const cluster = await started(true);
  cluster.addController(
    defineController({
      name: 'hasty',
      setup: ({ queue }) => queue.add('default/db-0'),
      async reconcile({ api }) {
        await api.delete('Pod', { namespace: 'default', name: 'db-0' }, { gracePeriodSeconds: 0 });
      },
    }),
  );
  await cluster.run({ limit: '10s' });
  const [first] = cluster.invariants.faults;
  t.deepEqual(
    [first?.invariant, first?.object, first?.asked],
    ['removed-by-its-kubelet', 'Pod default/db-0', undefined],
  );
  await cluster.dispose();
});

/** A volume that needs no attaching, with its claim, and pods on the first and the second node that mount it. */
const SHARED = `
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: { name: disk.example.com }
spec: { attachRequired: false }
---
apiVersion: v1
kind: PersistentVolume
metadata: { name: disk }
spec:
  capacity: { storage: 1Gi }
  accessModes: [ReadWriteOnce]
  storageClassName: ''
  csi: { driver: disk.example.com, volumeHandle: disk }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: disk }
spec: { storageClassName: '', accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`;
const userOn = (node: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: on-${node} }
spec:
  nodeName: ${node}
  containers: [{ name: app, image: app, volumeMounts: [{ name: disk, mountPath: /data }] }]
  volumes: [{ name: disk, persistentVolumeClaim: { claimName: disk } }]
`;

/** The party that is told to have accepted what broke `one-writer`, once two nodes have the volume. */
async function askedForSecondWriter(between: (cluster: Cluster) => Promise<void>): Promise<readonly unknown[]> {
  const cluster = createCluster({ nodes: 2, invariants: true });
  await cluster.ready();
  cluster.apply(SHARED);
  await cluster.run({ limit: '20s' });
  cluster.apply(userOn('node-0'));
  await cluster.run({ limit: '1m' });
  await between(cluster);
  cluster.apply(userOn('node-1'));
  await cluster.run({ limit: '1m' });
  const asked = cluster.invariants.violations.flatMap((each) => (each.invariant === 'one-writer' ? [each.asked] : []));
  await cluster.dispose();
  return [...new Set(asked)];
}

test('invariants › a volume that two nodes have mounted is a fault, unless one of them was given up', async (t) => {
  t.deepEqual(await askedForSecondWriter(async () => {}), [undefined]);
  const asked = await askedForSecondWriter(async (cluster) => {
    cluster.faults.stopKubelet('node-0');
    cluster.delete('Node', 'node-0');
    await cluster.run({ limit: '2m' });
  });
  t.deepEqual(asked, ['kube-controller-manager']);
  const lost = await askedForSecondWriter(async (cluster) => {
    cluster.faults.cut({ node: 'node-0' });
    await cluster.run({ limit: '2m' });
  });
  t.deepEqual(lost, ['kube-controller-manager']);
});

test('invariants › a false report about a pod is found out, with time, seed and object', async (t) => {
  const cluster = await started(true);
  const pod = cluster.list('Pod', { labelSelector: 'app=web' })[0] as Pod;
  const key = `Pod default/${pod.metadata.name}`;
  const [status] = pod.status.containerStatuses ?? [];
  cluster.updateStatus('Pod', {
    ...pod,
    status: { ...pod.status, containerStatuses: [{ ...status, restartCount: 3 }] },
  });
  cluster.updateStatus('Pod', {
    ...cluster.get('Pod', pod.metadata.name),
    status: { ...pod.status, containerStatuses: [{ ...status, restartCount: 1 }] },
  });
  t.deepEqual(cluster.invariants.violations, [
    {
      invariant: 'restart-count-rises',
      promise: 'the restart count of a container never falls',
      atMs: cluster.nowMs,
      seed: '1',
      object: key,
      text: 'container app had 3 restarts, and now 1',
      asked: undefined,
    },
  ]);
  await cluster.dispose();
});

test('invariants › a user may add some', async (t) => {
  const fewPods: Invariant = {
    name: 'few-pods',
    promise: 'there are never more than 7 pods',
    onWrite: {
      Pod: ({ type, object }, world) =>
        type === 'ADDED' && world.list('Pod').length > 7
          ? { object: `Pod ${object.metadata.name}`, text: 'is one too many' }
          : undefined,
    },
  };
  const cluster = await started([fewPods]);
  t.deepEqual(found(cluster), [['few-pods', 'Pod db-1', undefined]]);
  await cluster.dispose();
});

test('invariants › what is no list of invariants is refused', (t) => {
  const options = [
    3,
    [{}],
    [{ name: 'a' }],
    [
      { name: 'a', promise: 'b' },
      { name: 'a', promise: 'b' },
    ],
  ];
  const messages = options.map((invariants) => {
    return t.throws(() => createCluster({ invariants: invariants as never })).message;
  });
  t.deepEqual(messages, [
    'invariants must be true, false or a list of invariants, got 3',
    'invariants[0].name must be a non-empty text, got undefined',
    'invariants[0].promise must be a non-empty text, got undefined',
    'invariants[1].name must be unlike those before it, got "a"',
  ]);
});
