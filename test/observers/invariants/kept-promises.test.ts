import type { Cluster } from '../../../src/index.js';
import type { Draft } from '../../../src/api/objects/objects.js';
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

const RUN_TEN_MINUTES = { annotations: { 'kubeloom.dev/run-for': '10m' }, pod: { restartPolicy: 'Never' } };

/** A job whose pods run for as long as that. */
function job(name: string, runFor: string, spec: Fields = {}): Draft {
  const own = template(name, { pod: { restartPolicy: 'Never' }, annotations: { 'kubeloom.dev/run-for': runFor } });
  return simple('batch/v1', 'Job', name, { spec: { template: own, ...spec } });
}

/** A container that leaves no room for a second one on a node. */
function wide(cluster: Cluster, name: string, spec: Fields = {}): Draft {
  const cpu = cluster.get('Node', 'node-0').status.allocatable?.['cpu'] ?? '1';
  const resources = { requests: { cpu: `${Math.floor(milliOf(cpu) * 0.6)}m` } };
  return pod(name, { containers: [{ name: 'app', image: 'app', resources }], ...spec });
}

const using = (claimName: string): Fields => ({
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  containers: [{ name: 'app', image: 'app', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
});

const SCENES: readonly Scene[] = [
  {
    promise: 'surge-kept',
    bug: 'an update makes one pod more than the surge allows',
    async play(cluster) {
      cluster.apply(workload('Deployment', 'web', { replicas: 4 }));
      await cluster.run({ limit: '2m' });
      cluster.patch('Deployment', 'web', { spec: { template: template('web', { container: { image: 'web:2' } }) } });
      await cluster.run({ limit: '3m' });
    },
  },
  {
    promise: 'parallelism-kept',
    bug: 'a job makes more pods than it has completions left',
    async play(cluster) {
      await cluster.run({ limit: '1m' });
      cluster.apply(job('batch', 'uniform(5s, 40s)', { completions: 3, parallelism: 2 }));
      await cluster.run({ limit: '4m' });
    },
  },
  {
    promise: 'victims-are-lower',
    bug: 'a pod is displaced by one of its own priority',
    options: { nodes: 1 },
    async play(cluster) {
      cluster.apply(simple('scheduling.k8s.io/v1', 'PriorityClass', 'high', { value: 1000 }));
      cluster.apply(wide(cluster, 'first', { priorityClassName: 'high' }));
      await cluster.run({ limit: '1m' });
      cluster.apply(wide(cluster, 'second', { priorityClassName: 'high' }));
      await cluster.run({ limit: '2m' });
    },
  },
  {
    promise: 'foreground-waits',
    bug: 'a foreground deletion does not wait for dependents',
    async play(cluster) {
      const annotations = { 'kubeloom.dev/shutdown': '20s' };
      cluster.apply(workload('ReplicaSet', 'web', { replicas: 3, annotations }));
      await cluster.run({ limit: '3m' });
      cluster.delete('ReplicaSet', 'web', { propagationPolicy: 'Foreground' });
      await cluster.run({ limit: '1m' });
    },
  },
  {
    promise: 'used-claims-stay',
    bug: 'a claim goes while a pod uses it',
    async play(cluster) {
      cluster.apply([volume('disk'), claim('disk'), pod('user', using('disk'))]);
      await cluster.run({ limit: '3m' });
      cluster.delete('PersistentVolumeClaim', 'disk');
      await cluster.run({ limit: '1m' });
    },
  },
  {
    promise: 'cron-jobs-run-on',
    bug: 'the history of a cron job is trimmed of jobs that run',
    async play(cluster) {
      const jobTemplate = { spec: { template: template('tick', RUN_TEN_MINUTES) } };
      const spec = { schedule: '* * * * *', failedJobsHistoryLimit: 0, jobTemplate };
      cluster.apply(simple('batch/v1', 'CronJob', 'tick', { spec }));
      await cluster.run({ limit: '4m' });
    },
  },
  {
    promise: 'mounted-before-start',
    bug: 'containers start before their volumes are mounted',
    async play(cluster) {
      cluster.apply([volume('disk'), claim('disk'), pod('user', using('disk'))]);
      await cluster.run({ limit: '2m' });
    },
  },
  {
    promise: 'replicas-kept',
    bug: 'a replica set takes pods that are going for pods that are there',
    async play(cluster) {
      const annotations = { 'kubeloom.dev/shutdown': '20m' };
      const shape = { replicas: 3, annotations, pod: { terminationGracePeriodSeconds: 1200 } };
      cluster.apply(workload('ReplicaSet', 'web', shape));
      await cluster.run({ limit: '2m' });
      cluster.delete('Pod', cluster.list('Pod')[0]?.metadata.name ?? '');
      await cluster.run({ limit: '2m' });
      stir(cluster, 'late');
    },
  },
  {
    promise: 'statuses-follow',
    bug: 'a replica set never counts a pod out that turns unready',
    async play(cluster) {
      const annotations = { 'kubeloom.dev/readiness': 'ok 1m, fail 10m' };
      const container = { readinessProbe: { httpGet: { port: 80 } } };
      cluster.apply(workload('ReplicaSet', 'web', { replicas: 3, annotations, container }));
      await cluster.run({ limit: '4m' });
      stir(cluster, 'late');
    },
  },
  {
    promise: 'deletions-expected',
    bug: 'a replica set that is made smaller takes one pod too many away',
    async play(cluster) {
      cluster.apply(workload('ReplicaSet', 'web', { replicas: 6 }));
      await cluster.run({ limit: '2m' });
      cluster.scale('ReplicaSet', 'web', 3);
      await cluster.run({ limit: '1m' });
    },
  },
  {
    promise: 'counted-once',
    bug: 'a job forgets which finalizers it has taken off',
    async play(cluster) {
      cluster.faults.inject({ delayWatch: { controller: 'job-controller', kind: 'Pod', by: '20s' } });
      cluster.apply(job('batch', '5s', { completions: 6, parallelism: 2 }));
      await cluster.run({ limit: '5m' });
    },
  },
  {
    promise: 'jobs-end-whole',
    bug: 'a job is complete while pods of it run',
    async play(cluster) {
      cluster.apply(job('queue', 'choice(5s, 5m)', { parallelism: 4 }));
      await cluster.run({ limit: '4m' });
    },
  },
  {
    promise: 'ended-jobs-kept',
    bug: 'finished jobs go before their time',
    async play(cluster) {
      cluster.apply(job('batch', '5s', { ttlSecondsAfterFinished: 60 }));
      await cluster.run({ limit: '3m' });
    },
  },
  {
    promise: 'cron-history-kept',
    bug: 'a cron job never takes ended jobs off its list',
    async play(cluster) {
      const jobTemplate = {
        spec: {
          template: template('tick', {
            pod: { restartPolicy: 'Never' },
            annotations: { 'kubeloom.dev/run-for': '5s' },
          }),
        },
      };
      cluster.apply(simple('batch/v1', 'CronJob', 'tick', { spec: { schedule: '*/5 * * * *', jobTemplate } }));
      await cluster.run({ limit: '8m' });
    },
  },
  {
    promise: 'reports-keep-others',
    bug: "a kubelet's report drops the conditions of others",
    async play(cluster) {
      const annotations = { 'kubeloom.dev/shutdown': '10s' };
      cluster.apply(workload('ReplicaSet', 'web', { replicas: 3, annotations }));
      await cluster.run({ limit: '1m' });
      cluster.evict(cluster.list('Pod')[0]?.metadata.name ?? '');
      await cluster.run({ limit: '1m' });
    },
  },
  {
    promise: 'leases-renewed',
    bug: 'a lease that was paused stays silent',
    async play(cluster) {
      await cluster.run({ limit: '1m' });
      const cut = cluster.faults.cut({ node: 'node-1' });
      await cluster.run({ limit: '20s' });
      cut.heal();
      await cluster.run({ limit: '35s' });
      stir(cluster, 'late');
      await cluster.run({ limit: '10s' });
    },
  },
  {
    promise: 'leases-renewed',
    bug: 'a lease that was taken away is not made anew',
    async play(cluster) {
      await cluster.run({ limit: '1m' });
      cluster.delete('Lease', { namespace: 'kube-node-lease', name: 'node-1' });
      await cluster.run({ limit: '35s' });
      stir(cluster, 'late');
      await cluster.run({ limit: '10s' });
    },
  },
  {
    promise: 'silent-pods-unready',
    bug: 'pods of a silent node stay ready',
    async play(cluster) {
      cluster.apply(workload('Deployment', 'web', { replicas: 3 }));
      await cluster.run({ limit: '2m' });
      cluster.faults.cut({ node: ofNode(cluster, 'web') });
      await cluster.run({ limit: '4m' });
      stir(cluster, 'late');
      await cluster.run({ limit: '10s' });
    },
  },
  {
    promise: 'one-slice-an-endpoint',
    bug: 'a slice is made anew while the cache does not show it',
    async play(cluster) {
      const controller = 'endpointslice-controller';
      cluster.faults.inject({ delayWatch: { controller, kind: 'EndpointSlice', by: '20s' } });
      cluster.apply([workload('Deployment', 'web', { replicas: 2 }), service('web')]);
      await cluster.run({ limit: '2m' });
    },
  },
  {
    promise: 'finalizers-hold',
    bug: 'a delete takes what finalizers hold',
    async play(cluster) {
      cluster.apply({ ...pod('held'), metadata: { name: 'held', finalizers: ['example.com/hold'] } });
      await cluster.run({ limit: '1m' });
      cluster.delete('Pod', 'held');
      await cluster.run({ limit: '1m' });
    },
  },
  {
    promise: 'budgets-add-up',
    bug: 'a budget allows one disruption too many',
    async play(cluster) {
      const spec = { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } };
      cluster.apply([
        workload('ReplicaSet', 'web', { replicas: 3 }),
        simple('policy/v1', 'PodDisruptionBudget', 'web', { spec }),
      ]);
      await cluster.run({ limit: '2m' });
    },
  },
  {
    promise: 'orphans-let-go',
    bug: 'orphaned dependents keep the reference to their owner',
    async play(cluster) {
      cluster.apply(workload('ReplicaSet', 'web', { replicas: 2 }));
      await cluster.run({ limit: '2m' });
      cluster.delete('ReplicaSet', 'web', { propagationPolicy: 'Orphan' });
      await cluster.run({ limit: '3m' });
    },
  },
  {
    promise: 'no-wait-beside-room',
    bug: 'a node that comes or changes wakes nobody',
    options: { nodes: 1 },
    async play(cluster) {
      cluster.apply(wide(cluster, 'first'));
      await cluster.run({ limit: '10s' });
      cluster.apply(wide(cluster, 'second'));
      await cluster.run({ limit: '30s' });
      cluster.addNodes([{ count: 1, namePrefix: 'late-' }]);
      await cluster.run({ limit: '3m' });
      stir(cluster, 'late');
      await cluster.run({ limit: '10s' });
    },
  },
];

testScenes(SCENES);
