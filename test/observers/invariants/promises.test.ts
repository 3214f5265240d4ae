import {
  claim,
  milliOf,
  ofNode,
  pod,
  service,
  simple,
  stir,
  template,
  testScenes,
  volume,
  workload,
  type Fields,
  type Scene,
} from './scene.js';
import type { Draft } from '../../../src/api/objects/objects.js';

const SCENES: readonly Scene[] = [
  {
    promise: 'slices-follow',
    bug: 'slices do not notice that a pod turns unready',
    async play(cluster) {
      cluster.apply([workload('Deployment', 'web', { replicas: 3 }), service('web')]);
      await cluster.run({ limit: '2m' });
      cluster.faults.cut({ node: ofNode(cluster, 'web') });
      await cluster.run({ limit: '3m' });
      stir(cluster, 'late');
      await cluster.run({ limit: '10s' });
    },
  },
  {
    promise: 'no-lost-update',
    bug: 'one stale write in twenty is accepted',
    play(cluster) {
      const read = cluster.apply(simple('v1', 'ConfigMap', 'notes', { data: {} }));
      for (let turn = 0; turn < 40; turn += 1) {
        cluster.patch('ConfigMap', 'notes', { data: { turn: String(turn) } });
        const [first] = read;
        const { resourceVersion } = (first as { readonly object: Draft }).object.metadata ?? {};
        try {
          cluster.update('ConfigMap', {
            ...simple('v1', 'ConfigMap', 'notes', { data: { turn: 'old' } }),
            metadata: { name: 'notes', ...(resourceVersion === undefined ? {} : { resourceVersion }) },
          });
        } catch {
          // As it should be.
        }
      }
      return Promise.resolve();
    },
  },
  {
    promise: 'job-pods-let-go',
    bug: 'pods that have lost their job keep its finalizer',
    async play(cluster) {
      const run = template('batch', {
        pod: { restartPolicy: 'Never' },
        annotations: { 'kubeloom.dev/run-for': '10m' },
      });
      cluster.apply(simple('batch/v1', 'Job', 'batch', { spec: { template: run } }));
      await cluster.run({ limit: '1m' });
      cluster.delete('Job', 'batch', { propagationPolicy: 'Background' });
      await cluster.run({ limit: '3m' });
    },
  },
  {
    promise: 'cron-policy-kept',
    bug: 'Forbid lets a second job start',
    async play(cluster) {
      const run = template('tick', { pod: { restartPolicy: 'Never' }, annotations: { 'kubeloom.dev/run-for': '5m' } });
      const spec = { schedule: '* * * * *', concurrencyPolicy: 'Forbid', jobTemplate: { spec: { template: run } } };
      cluster.apply(simple('batch/v1', 'CronJob', 'tick', { spec }));
      await cluster.run({ limit: '4m' });
    },
  },
  {
    promise: 'updates-keep-available',
    bug: 'an update takes one available pod too many',
    async play(cluster) {
      const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
      const strategy = { type: 'RollingUpdate', rollingUpdate };
      cluster.apply(workload('Deployment', 'web', { replicas: 4 }, { strategy }));
      await cluster.run({ limit: '2m' });
      cluster.patch('Deployment', 'web', { spec: { template: template('web', { container: { image: 'web:2' } }) } });
      await cluster.run({ limit: '3m' });
    },
  },
  {
    promise: 'highest-first',
    bug: 'a stateful set scales down from the lowest ordinal',
    async play(cluster) {
      cluster.apply(workload('StatefulSet', 'db', { replicas: 4 }, { serviceName: 'db' }));
      await cluster.run({ limit: '3m' });
      cluster.scale('StatefulSet', 'db', 1);
      await cluster.run({ limit: '3m' });
    },
  },
  {
    promise: 'present-nodes-spared',
    bug: 'pod GC does not ask whether the node is back',
    async play(cluster) {
      cluster.apply(workload('Deployment', 'web', { replicas: 6 }));
      await cluster.run({ limit: '1m' });
      const controller = 'pod-garbage-collector-controller';
      cluster.faults.inject({ delayWatch: { controller, kind: 'Pod', by: 0 } });
      await cluster.run({ limit: '1m' });
      cluster.delete('Node', 'node-1');
      const stopped = cluster.faults.stopKubelet('node-1');
      await cluster.run({ limit: '2s' });
      cluster.faults.inject({ delayWatch: { controller, kind: 'Node', by: '5m' } });
      await cluster.run({ limit: '10s' });
      stopped.heal();
      await cluster.run({ limit: '3m' });
    },
  },
  {
    promise: 'silent-nodes-given-up',
    bug: 'a silent node is given up after twice its grace',
    async play(cluster) {
      await cluster.run({ limit: '2m' });
      cluster.faults.cut({ node: 'node-1' });
      await cluster.run({ limit: '5m' });
    },
  },
  {
    promise: 'tolerations-hold',
    bug: 'an eviction goes on when the taint is gone',
    async play(cluster) {
      cluster.apply(workload('Deployment', 'web', { replicas: 3 }));
      await cluster.run({ limit: '2m' });
      const cut = cluster.faults.cut({ node: ofNode(cluster, 'web') });
      await cluster.run({ limit: '2m' });
      cut.heal();
      await cluster.run({ limit: '8m' });
    },
  },
  {
    promise: 'spared-while-all-are-lost',
    bug: 'pods are evicted while all zones are lost',
    async play(cluster) {
      cluster.apply(workload('Deployment', 'web', { replicas: 3 }));
      await cluster.run({ limit: '2m' });
      for (const node of cluster.list('Node')) cluster.faults.cut({ node: node.metadata.name });
      await cluster.run({ limit: '8m' });
    },
  },
  {
    promise: 'no-wait-beside-room',
    bug: 'a pod that goes wakes nobody that waits',
    options: { nodes: 1 },
    async play(cluster) {
      const container = { resources: { requests: { cpu: '60%' } } };
      const cpu = cluster.get('Node', 'node-0').status.allocatable?.['cpu'] ?? '1';
      const half = { ...container, resources: { requests: { cpu: `${Math.floor(milliOf(cpu) * 0.6)}m` } } };
      cluster.apply([pod('first', { containers: [{ name: 'app', image: 'app', ...half }] })]);
      await cluster.run({ limit: '1m' });
      cluster.apply([pod('second', { containers: [{ name: 'app', image: 'app', ...half }] })]);
      await cluster.run({ limit: '1m' });
      cluster.delete('Pod', 'first');
      await cluster.run({ limit: '3m' });
      cluster.apply([pod('third', { schedulerName: 'another' })]);
      await cluster.run({ limit: '10s' });
    },
  },
  {
    promise: 'claims-match-volumes',
    bug: 'a claim takes a volume without looking who has it',
    async play(cluster) {
      cluster.apply(volume('disk'));
      await cluster.run({ limit: '70s' });
      cluster.apply(claim('z-claim'));
      await cluster.run({ limit: '5s' });
      cluster.apply(claim('a-claim'));
      cluster.faults.runTwice('persistentvolume-binder-controller');
      const staleReads = { component: 'kube-controller-manager/2', kind: 'PersistentVolume', by: '30s' } as const;
      cluster.faults.inject({ staleReads });
      await cluster.run({ limit: '20s' });
    },
  },
  {
    promise: 'mounted-stays-attached',
    bug: "a healthy node's volume is detached by force after 6 minutes",
    async play(cluster) {
      const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'disk' } }];
      const mounts = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
      const containers = [{ name: 'app', image: 'app', ...mounts }];
      cluster.apply([volume('disk'), claim('disk'), pod('user', { volumes, containers })]);
      await cluster.run({ limit: '1m' });
      const node = cluster.get('Pod', 'user').spec.nodeName ?? '';
      cluster.faults.inject({ failVolume: { node, operation: 'unmount' } });
      cluster.delete('Pod', 'user');
      await cluster.run({ limit: '8m' });
      cluster.patch('Node', node, { metadata: { labels: { seen: 'again' } } });
      await cluster.run({ limit: '1m' });
    },
  },
  {
    promise: 'budgets-count-pods',
    bug: 'a budget does not notice that pods change',
    async play(cluster) {
      const spec = { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } };
      cluster.apply([
        workload('Deployment', 'web', { replicas: 3 }),
        simple('policy/v1', 'PodDisruptionBudget', 'web', { spec }),
      ]);
      await cluster.run({ limit: '3m' });
    },
  },
  {
    promise: 'namespaces-emptied',
    bug: 'a namespace goes before what is in it',
    async play(cluster) {
      const metadata = { name: 'web', namespace: 'guests' };
      const annotations = { 'kubeloom.dev/shutdown': '20s' };
      cluster.apply([
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'guests' } },
        { ...workload('Deployment', 'web', { replicas: 2, annotations }), metadata },
      ]);
      await cluster.run({ limit: '1m' });
      cluster.delete('Namespace', 'guests');
      await cluster.run({ limit: '15s' });
    },
  },
  {
    promise: 'told-once',
    bug: 'one write in a hundred is not told',
    async play(cluster) {
      cluster.apply(workload('Deployment', 'web', { replicas: 10 }));
      await cluster.run({ limit: '2m' });
    },
  },
  {
    promise: 'sets-in-order',
    bug: 'a stateful set updates the pods below its partition',
    async play(cluster) {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
      cluster.apply(workload('StatefulSet', 'db', { replicas: 3 }, { serviceName: 'db', updateStrategy }));
      await cluster.run({ limit: '3m' });
      cluster.patch('StatefulSet', 'db', { spec: { template: template('db', { container: { image: 'db:2' } }) } });
      await cluster.run({ limit: '5m' });
    },
  },
  {
    promise: 'recreate-waits',
    bug: 'Recreate does not wait for the old pods',
    async play(cluster) {
      const annotations = { 'kubeloom.dev/shutdown': '20s' };
      cluster.apply(workload('Deployment', 'web', { replicas: 3, annotations }, { strategy: { type: 'Recreate' } }));
      await cluster.run({ limit: '2m' });
      cluster.patch('Deployment', 'web', { spec: { template: template('web', { container: { image: 'web:2' } }) } });
      await cluster.run({ limit: '2m' });
    },
  },
  {
    promise: 'bound-where-it-fits',
    bug: 'host ports are not looked at',
    async play(cluster) {
      await cluster.run({ limit: '2m' });
      const ports = [{ containerPort: 80, hostPort: 8080 }];
      const spec = { containers: [{ name: 'app', image: 'app', ports }] };
      cluster.apply(['a', 'b', 'c', 'd'].map((name) => pod(name, spec)));
      await cluster.run({ limit: '1m' });
    },
  },
  {
    promise: 'bound-where-it-fits',
    bug: 'taints do not keep pods from a node',
    async play(cluster) {
      await cluster.run({ limit: '2m' });
      for (const { metadata } of cluster.list('Node')) {
        cluster.patch('Node', metadata.name, { spec: { taints: [{ key: 'mine', effect: 'NoSchedule' }] } });
      }
      await cluster.run({ limit: '2s' });
      cluster.apply(pod('a', {}));
      await cluster.run({ limit: '1m' });
    },
  },
  {
    promise: 'nothing-left-behind',
    bug: 'a node that is back keeps the taint of a lost one',
    async play(cluster) {
      await cluster.run({ limit: '1m' });
      const cut = cluster.faults.cut({ node: 'node-1' });
      await cluster.run({ limit: '3m' });
      cut.heal();
      await cluster.run({ limit: '3m' });
    },
  },
  {
    promise: 'one-daemon-a-node',
    bug: 'a daemon set does not wait to see the pods that it has made',
    async play(cluster) {
      const controller = 'daemonset-controller';
      cluster.faults.inject({ delayWatch: { controller, kind: 'Pod', by: '20s' } });
      await cluster.run({ limit: '1m' });
      const { spec, ...rest } = workload('DaemonSet', 'agent', {}) as { readonly spec: Fields };
      const { replicas: _replicas, ...own } = spec as { readonly replicas?: number };
      cluster.apply({ ...rest, spec: own });
      await cluster.run({ limit: '5s' });
      cluster.patch('DaemonSet', 'agent', { spec: { minReadySeconds: 1 } });
      await cluster.run({ limit: '2m' });
    },
  },
];

testScenes(SCENES);
