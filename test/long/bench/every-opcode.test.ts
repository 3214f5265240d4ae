import test from 'ava';
import { runAlgorithm } from '../../../bench/algorithm/algorithm-run.js';
import { runFullPath } from '../../../bench/full-path/full-path-run.js';
import { parseSchedulerPerf, type Node, type PerfPlan, type Pod } from '../../../src/index.js';

const TEST_CASE = `
- name: EveryOpcode
  featureGates: { SchedulerQueueingHints: true }
  defaultPodTemplatePath: pod.yaml
  schedulerConfigPath: scheduler-config.yaml
  metricsCollectorConfig: { metrics: {} }
  workloadTemplate:
  - opcode: createNodes
    countParam: $nodes
    nodeTemplatePath: node.yaml
    nodeAllocatableStrategy:
      nodeAllocatable: { example.com/gpu: '2' }
      csiNodeAllocatable: { csi.example.com: { count: 3 } }
      migratedPlugins: [kubernetes.io/aws-ebs]
  - opcode: createNodes
    count: 3
    labelNodePrepareStrategy: { labelKey: topology.kubernetes.io/zone, labelValues: [east, west] }
  - opcode: createNodes
    count: 1
    uniqueNodeLabelStrategy: { labelKey: example.com/own }
  - opcode: createNamespaces
    prefix: team
    count: 2
    namespaceTemplatePath: namespace.yaml
  - opcode: createPodSets
    count: 2
    namespacePrefix: team
    createPodsOp:
      opcode: createPods
      countParam: $perTeam
  - opcode: createAny
    namespace: team-0
    count: 2
    templatePath: service.yaml
  - opcode: createPods
    namespace: stores
    count: 2
    persistentVolumeTemplatePath: volume.yaml
    persistentVolumeClaimTemplatePath: claim.yaml
  - opcode: createPods
    namespace: waiting
    count: 4
    podTemplatePath: waiting-pod.yaml
    skipWaitToCompletion: true
  - opcode: barrier
    stageRequirement: Attempted
    labelSelector: { type: waiting }
  - opcode: startCollectingMetrics
    name: waiting
    namespaces: [waiting]
    labelSelector: { type: waiting }
  - opcode: updateAny
    templatePath: node-update.yaml
    count: 1
    updatePerSecond: 10
  - opcode: barrier
    namespaces: [waiting]
    labelSelector: { type: waiting }
  - opcode: stopCollectingMetrics
  - opcode: updateAny
    namespace: waiting
    count: 1
    templatePath: pod-update.yaml
  - opcode: churn
    mode: recreate
    number: 1
    intervalMilliseconds: 100
    templatePaths: [churn-node.yaml, churn-pod.yaml, service.yaml]
  - opcode: churn
    mode: create
    number: 2
    namespace: churned
    templatePaths: [churn-pod.yaml]
  - opcode: sleep
    durationParam: $pause
  - opcode: deletePods
    namespace: team-0
  - opcode: deletePods
    namespace: team-1
    labelSelector: { app: plain }
    deletePodsPerSecond: 50
  - opcode: deletePods
    namespace: waiting
    labelSelector: { type: nobody }
    skipWaitToCompletion: true
  - opcode: createPods
    countParam: $measured
    collectMetrics: true
  workloads:
  - name: small
    threshold: 100
    params: { nodes: 2, perTeam: 3, pause: 1050ms, measured: 5 }
`;

const container = 'containers: [{ name: c, image: pause, resources: { requests: { cpu: 100m } } }]';
const FILES: Readonly<Record<string, string>> = {
  'node.yaml': `
apiVersion: v1
kind: Node
metadata: { name: 'node-{{ .Index }}' }
status:
  capacity: { pods: '{{ AddInt .Count 20 }}', cpu: '4', memory: 8Gi }
  conditions: [{ type: Ready, status: 'True' }]`,
  'node-update.yaml': `
apiVersion: v1
kind: Node
metadata:
  name: node-{{ .Index }}
  labels: { kubernetes.io/hostname: 'node-{{ .Index }}', disk: fast }
status:
  capacity: { pods: '30', cpu: '4', memory: 8Gi }
  allocatable: { pods: '30', cpu: '4', memory: 8Gi, example.com/gpu: '2' }
  conditions: [{ type: Ready, status: 'True' }]`,
  'namespace.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: { labels: { team: devops } }',
  'pod.yaml': `
apiVersion: v1
kind: Pod
metadata: { generateName: pod-, labels: { app: plain } }
spec: { ${container} }`,
  'waiting-pod.yaml': `
apiVersion: v1
kind: Pod
metadata: { name: 'waiting-{{ .Index }}', labels: { type: waiting } }
spec: { nodeSelector: { disk: fast }, ${container} }`,
  'pod-update.yaml': `
apiVersion: v1
kind: Pod
metadata: { name: 'waiting-{{ .Index }}', labels: { type: updated } }
spec: { nodeName: node-0, nodeSelector: { disk: fast }, ${container} }`,
  'service.yaml': `
apiVersion: v1
kind: Service
metadata: { generateName: service- }
spec: { selector: { app: plain }, ports: [{ port: 80 }] }`,
  'volume.yaml': `
apiVersion: v1
kind: PersistentVolume
spec:
  accessModes: [ReadWriteOnce]
  capacity: { storage: 1Gi }
  csi: { driver: csi.example.com, volumeHandle: some }`,
  'claim.yaml': `
apiVersion: v1
kind: PersistentVolumeClaim
spec:
  accessModes: [ReadWriteOnce]
  resources: { requests: { storage: 1Gi } }`,
  'churn-node.yaml': `
apiVersion: v1
kind: Node
metadata: { generateName: node-churn- }
status: { capacity: { pods: '0' }, conditions: [{ type: Ready, status: 'True' }] }`,
  'churn-pod.yaml': `
apiVersion: v1
kind: Pod
metadata: { generateName: large- }
spec: { priority: 10, containers: [{ name: c, image: pause, resources: { requests: { cpu: 9 } } }] }`,
  'scheduler-config.yaml': `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: { scoringStrategy: { type: MostAllocated, resources: [{ name: cpu, weight: 1 }] } }`,
};

function plan(): PerfPlan {
  const [workload] = parseSchedulerPerf(TEST_CASE, 'performance-config.yaml', {
    read: (path) => ({ text: FILES[path] ?? '', source: path }),
  });
  if (workload === undefined) throw new RangeError('there must be a workload');
  return workload.plan();
}

/** Pods of a namespace: how many, and how many of them are on a node. */
function census(pods: Iterable<Pod>): Readonly<Record<string, readonly [number, number]>> {
  const counts: Record<string, [number, number]> = {};
  for (const { metadata, spec } of pods) {
    const count = (counts[metadata.namespace ?? ''] ??= [0, 0]);
    count[0] += 1;
    if (spec.nodeName !== undefined) count[1] += 1;
  }
  return counts;
}

function labelsOf(nodes: Iterable<Node>, key: string): readonly string[] {
  return Array.from(nodes, ({ metadata }) => metadata.labels?.[key] ?? '-').toSorted();
}

test('every opcode of scheduler_perf › works on the whole path', async (t) => {
  const { operations, schedulerConfig = '' } = plan();
  const outcome = await runFullPath(operations, { seed: '1', workers: 0, schedulerConfig }, (cluster) => {
    t.deepEqual(census(cluster.list('Pod')), {
      churned: [2, 0],
      'namespace-15': [1, 0],
      'namespace-21': [5, 5],
      stores: [2, 2],
      waiting: [4, 4],
    });
    const nodes = cluster.list('Node');
    // The recreated node is there or not: after 11 rounds it is.
    t.deepEqual(labelsOf(nodes, 'topology.kubernetes.io/zone'), ['-', '-', '-', '-', 'east', 'east', 'west']);
    t.deepEqual(labelsOf(nodes, 'example.com/own'), ['-', '-', '-', '-', '-', '-', 'node-2-00000']);
    t.deepEqual(labelsOf(nodes, 'disk'), ['-', '-', '-', '-', '-', '-', 'fast']);
    t.is(cluster.get('Node', 'node-1').status.allocatable?.['example.com/gpu'], '2');
    t.is(cluster.get('Node', 'node-1').status.capacity?.['pods'], '22');
    t.is(cluster.get('Node', 'node-0').status.capacity?.['pods'], '30');
    const csiNode = cluster.get('CSINode', 'node-0');
    t.deepEqual(
      csiNode.spec.drivers.map(({ name, allocatable }) => [name, allocatable]),
      [['csi.example.com', { count: 3 }]],
    );
    t.is(csiNode.metadata.annotations?.['storage.alpha.kubernetes.io/migrated-plugins'], 'kubernetes.io/aws-ebs');
    t.is(cluster.get('Namespace', 'team-1').metadata.labels?.['team'], 'devops');
    t.deepEqual(
      cluster.list('Service', { namespace: 'team-0' }).map(({ metadata }) => metadata.name),
      ['service-00000', 'service-00001'],
    );
    t.is(cluster.list('Service', { namespace: 'namespace-15' }).length, 1);
    t.deepEqual(
      [
        cluster.get('PersistentVolume', 'stores-vol-1').status.phase,
        cluster.get('PersistentVolumeClaim', 'stores/pvc-1').status.phase,
      ],
      ['Bound', 'Bound'],
    );
    t.is(cluster.get('PersistentVolume', 'stores-vol-1').spec.csi?.volumeHandle, 'stores-vol-1');
    t.is(cluster.get('Pod', 'waiting/waiting-0').metadata.labels?.['type'], 'updated');
    // Five that packed themselves tightly, as the configuration says.
    t.is(new Set(cluster.list('Pod', { namespace: 'namespace-21' }).map(({ spec }) => spec.nodeName)).size, 1);
  });
  t.deepEqual([outcome.times.pods, outcome.outcomes], [9, { scheduled: 9 }]);
});

test('every opcode of scheduler_perf › works on the algorithm alone, where each pod has one try', async (t) => {
  const outcome = await runAlgorithm(
    plan().operations,
    { seed: '1', workers: 0, percentageOfNodesToScore: 0 },
    (algorithm) => {
      t.deepEqual(census(algorithm.objects<Pod>('Pod')), {
        churned: [2, 0],
        'namespace-15': [1, 0],
        'namespace-21': [5, 5],
        stores: [2, 2],
        waiting: [4, 1],
      });
      const nodes = [...algorithm.objects<Node>('Node')];
      t.deepEqual(labelsOf(nodes, 'topology.kubernetes.io/zone'), ['-', '-', '-', '-', 'east', 'east', 'west']);
      t.deepEqual(labelsOf(nodes, 'disk'), ['-', '-', '-', '-', '-', '-', 'fast']);
      t.is([...algorithm.objects('Service')].length, 3);
    },
  );
  t.deepEqual([outcome.times.pods, outcome.outcomes], [5, { placed: 5 }]);
});

test('a barrier › says which pods it waits for in vain, and why', async (t) => {
  const [workload] = parseSchedulerPerf(
    `
- name: Vain
  workloadTemplate:
  - { opcode: createNodes, count: 1 }
  - { opcode: createPods, count: 2, namespace: waiting, podTemplatePath: waiting-pod.yaml }
  workloads: [{ name: small }]`,
    'performance-config.yaml',
    { read: (path) => ({ text: FILES[path] ?? '', source: path }) },
  );
  const error = await t.throwsAsync(runFullPath(workload?.plan().operations ?? [], { seed: '1', workers: 0 }));
  t.is(
    error.message,
    "2 pods of waiting are not scheduled: 0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. " +
      'no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  );
});
