import test from 'ava';
import {
  createCluster,
  type Cluster,
  type ClusterOptions,
  type MetricValues,
  type Measurement,
} from '../../src/index.js';

const POD = `{ containers: [{ name: c, image: registry.example/app:1 }] }`;

/** Times that are the same in every run, so that what is measured can be said beforehand. */
const FIXED: ClusterOptions = {
  nodes: 2,
  latency: 3,
  clientLimits: 'unlimited',
  runtime: { sandbox: 100, containerStart: 200, imagePull: 4000, imageCheck: 0 },
};

async function measured(options: ClusterOptions, work: (cluster: Cluster) => void, limit = '2m'): Promise<Measurement> {
  const cluster = createCluster({ ...FIXED, ...options });
  await cluster.ready();
  const measurement = cluster.measure();
  work(cluster);
  await cluster.run({ limit });
  measurement.stop();
  await cluster.dispose();
  return measurement;
}

function valuesOf(measurement: Measurement, name: string, tags: Readonly<Record<string, string>> = {}): MetricValues {
  const found = measurement.metrics.find(
    (each) => each.name === name && JSON.stringify(each.tags) === JSON.stringify(tags),
  );
  if (found === undefined) throw new Error(`no metric ${name} ${JSON.stringify(tags)}`);
  return found.values;
}

async function play(isMeasured: boolean): Promise<readonly [hash: string, reading: string]> {
  const cluster = createCluster({ nodes: 4, seed: 11 });
  const measurement = isMeasured ? cluster.measure() : undefined;
  await cluster.ready();
  cluster.apply(
    `{ apiVersion: apps/v1, kind: Deployment, metadata: { name: web }, spec: { replicas: 12, selector: { matchLabels: { a: b } }, template: { metadata: { labels: { a: b } }, spec: ${POD} } } }`,
  );
  await cluster.run({ limit: '1m' });
  const reading = JSON.stringify(measurement?.read());
  const { traceHash } = cluster;
  await cluster.dispose();
  return [traceHash, reading];
}

test('pod startup leaves out image pulls and init containers, and pods with volumes that outlive them', async (t) => {
  const measurement = await measured({}, (cluster) => {
    cluster.apply(`
apiVersion: v1
kind: Pod
metadata: { name: plain }
spec: ${POD}
---
apiVersion: v1
kind: Pod
metadata: { name: with-init, annotations: { kubeloom.dev/run-for.prepare: 30s } }
spec: { initContainers: [{ name: prepare, image: registry.example/app:1 }], containers: [{ name: c, image: registry.example/app:1 }] }
---
apiVersion: v1
kind: Pod
metadata: { name: on-the-host }
spec: { containers: [{ name: c, image: registry.example/app:1 }], volumes: [{ name: logs, hostPath: { path: /var/log } }] }
`);
  });
  const startup = valuesOf(measurement, 'pod_startup_ms');
  const started = valuesOf(measurement, 'pod_started_ms');
  t.is(startup['count'], 2, 'the pod with a volume of its host is not stateless');
  t.is(started['count'], 3);
  t.true((started['max'] ?? 0) > 34_000, 'a pull of 4 s and an init container of 30 s');
  t.true((startup['max'] ?? Infinity) < 1500, `neither of them counts: ${JSON.stringify(startup)}`);
  const [slowest] = measurement.read().slowest;
  t.is(slowest?.pod, 'default/with-init');
  t.deepEqual(
    slowest?.moments.map(({ what }) => what).filter((what) => what.startsWith('init') || what === 'ready'),
    ['init began', 'init ended', 'ready'],
  );
});

test('a pod that the scheduler refused is no schedulable one: it is counted apart, with its reason', async (t) => {
  const measurement = await measured({}, (cluster) => {
    cluster.create('Pod', {
      metadata: { name: 'huge' },
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1000' } } }] },
    });
    cluster.create('Pod', { metadata: { name: 'small' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  });
  const thresholds = {
    unschedulable: ['count==1', 'max==1'],
    pods_refused: 'count==1',
    pods_scheduled: 'count==1',
    pods_waiting: 'value==1',
    pod_startup_ms: 'count==1',
    nodes_ready: 'value==2',
  };
  t.deepEqual(
    measurement.check(thresholds).filter(({ ok }) => !ok),
    [],
  );
  const { unstarted, refused, unschedulable } = measurement.read();
  t.deepEqual(
    unstarted.map(({ pod, tookMs }) => ({ pod, tookMs })),
    [{ pod: 'default/huge', tookMs: null }],
  );
  t.regex(unstarted[0]?.refusal ?? '', /0\/2 nodes are available: 2 Insufficient cpu/);
  t.is(refused[0]?.reason, 'Insufficient cpu');
  t.is(unschedulable[0]?.count, 1);
});

test('requests are counted by verb, resource, scope and component; their times are those of the links', async (t) => {
  const measurement = await measured({ latency: 7 }, (cluster) => {
    cluster.create('Pod', { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  });
  const tags = { verb: 'POST', resource: 'pods', subresource: 'binding', scope: 'resource', by: 'kube-scheduler' };
  t.is(valuesOf(measurement, 'api_requests', tags)['count'], 1);
  t.deepEqual(
    measurement
      .check({
        'api_request_ms{verb:POST,subresource:binding}': ['min==14', 'max==14', 'count==1'],
        'api_requests{by:kubelet,verb:PATCH,resource:pods}': 'count>0',
        api_errors: 'count==0',
      })
      .map(({ ok, value }) => [ok, value]),
    [
      [true, 14],
      [true, 14],
      [true, 1],
      [
        true,
        valuesOf(measurement, 'api_requests', {
          verb: 'PATCH',
          resource: 'pods',
          subresource: 'status',
          scope: 'resource',
          by: 'kubelet',
        })['count'] ?? 0,
      ],
      [true, 0],
    ],
  );
});

test('requests that wait for their client limit, are refused, or are lost are told apart', async (t) => {
  const measurement = await measured({ clientLimits: 'upstream' }, (cluster) => {
    cluster.faults.inject({
      refuse: { component: 'kube-scheduler', kinds: ['Pod'], verbs: ['create'], with: 'InternalError' },
      for: '5s',
    });
    cluster.apply(
      `{ apiVersion: apps/v1, kind: ReplicaSet, metadata: { name: web }, spec: { replicas: 60, selector: { matchLabels: { a: b } }, template: { metadata: { labels: { a: b } }, spec: ${POD} } } }`,
    );
  });
  const errors = measurement.metrics.filter(({ name, tags }) => name === 'api_errors' && tags['code'] === '500');
  t.true(errors.some(({ tags, values }) => tags['subresource'] === 'binding' && (values['count'] ?? 0) > 0));
  t.true((valuesOf(measurement, 'api_wait_ms', { by: 'kube-controller-manager' })['max'] ?? 0) > 1000);
  const { marks, series } = measurement.read();
  const [fault] = marks.filter(({ kind }) => kind === 'fault');
  t.is((fault?.untilMs ?? 0) - (fault?.atMs ?? 0), 5000);
  t.regex(fault?.text ?? '', /^refuse \{"component":"kube-scheduler"/);
  const requests = series.amounts.find(({ name }) => name === 'requests POST')?.values ?? [];
  t.is(
    requests.reduce((sum, value) => sum + value, 0),
    measurement.check({ 'api_requests{verb:POST}': 'count>0' })[0]?.value ?? 0,
  );
});

test('nodes are as full as the requests of their pods, zone by zone, and empty again when these are gone', async (t) => {
  const capacity = { cpu: '4', memory: '8Gi', pods: '110' };
  const cluster = createCluster({
    ...FIXED,
    nodes: [
      { count: 2, namePrefix: 'a', zones: ['zone-a'], capacity },
      { count: 1, namePrefix: 'b', zones: ['zone-b'], capacity },
    ] as NonNullable<ClusterOptions['nodes']>,
  });
  const measurement = cluster.measure();
  await cluster.ready();
  for (const name of ['x', 'y']) {
    cluster.create('Pod', {
      metadata: { name },
      spec: {
        nodeSelector: { 'topology.kubernetes.io/zone': 'zone-a' },
        containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '2', memory: '2Gi' } } }],
      },
    });
  }
  await cluster.run({ limit: '20s' });
  const [zoneA, zoneB] = measurement.read().zones;
  t.deepEqual([zoneA?.zone, zoneA?.cpu, zoneA?.memory, zoneA?.pods], ['zone-a', [0.5, 0.5], [0.253, 0.253], [1, 1]]);
  t.deepEqual([zoneB?.zone, zoneB?.cpu, zoneB?.pods], ['zone-b', [0], [0]]);
  for (const name of ['x', 'y']) cluster.delete('Pod', name);
  await cluster.run({ limit: '40s' });
  const { zones, series } = measurement.read();
  t.deepEqual(
    [zones[0]?.cpu, zones[0]?.peakCpu],
    [
      [0, 0],
      [0.5, 0.5],
    ],
  );
  const use = series.levels.find(({ name }) => name === 'cpu zone-a')?.values ?? [];
  t.is(Math.max(...use), 0.5);
  t.is(use.at(-1), 0);
  t.is(measurement.check({ pod_deletion_ms: 'count==2' })[0]?.ok, true);
  await cluster.dispose();
});

test('broken promises are counted by their type and stand on the axis of time', async (t) => {
  const measurement = await measured(
    { nodes: 3 },
    (cluster) => {
      cluster.apply(
        `{ apiVersion: apps/v1, kind: StatefulSet, metadata: { name: db }, spec: { serviceName: db, selector: { matchLabels: { a: b } }, template: { metadata: { labels: { a: b } }, spec: ${POD} } } }`,
      );
      cluster.watch('Pod').subscribe((event) => {
        if (event.type !== 'MODIFIED' || event.object.status.phase !== 'Running') return;
        if (cluster.faults.active.length > 0) return;
        cluster.faults.cut({ node: event.object.spec.nodeName ?? '' });
        cluster.delete('Pod', 'db-0', { force: true, gracePeriodSeconds: 0 });
      });
    },
    '3m',
  );
  t.deepEqual(
    measurement
      .check({
        'violations{type:SplitBrain}': 'count==1',
        'violations{type:UnconfirmedDeletion}': 'count==1',
        violations: 'count==2',
      })
      .map(({ ok }) => ok),
    [true, true, true],
  );
  t.is(measurement.read().marks.filter(({ kind, ok }) => kind === 'violation' && ok === false).length, 2);
});

test('a run that is measured is the same as one that is not, and measured twice gives the same numbers', async (t) => {
  const [[plain], first, second] = [await play(false), await play(true), await play(true)];
  t.is(first[0], plain);
  t.deepEqual(first, second);
});

test('a measurement that begins later counts from there on, and one that was stopped changes no more', async (t) => {
  const cluster = createCluster(FIXED);
  await cluster.ready();
  cluster.create('Pod', { metadata: { name: 'before' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await cluster.run({ limit: '20s' });
  const measurement = cluster.measure();
  cluster.create('Pod', { metadata: { name: 'meanwhile' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await cluster.run({ limit: '20s' });
  measurement.stop();
  const values = JSON.stringify(measurement.read());
  cluster.create('Pod', { metadata: { name: 'after' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await cluster.run({ limit: '20s' });
  t.is(JSON.stringify(measurement.read()), values);
  t.deepEqual(
    measurement
      .check({
        pods_created: 'count==1',
        pod_ready_ms: 'count==1',
        pods_running: 'value==2',
        virtual_seconds: 'value==20',
      })
      .filter(({ ok }) => !ok),
    [],
  );
  await cluster.dispose();
});
