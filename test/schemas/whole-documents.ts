/** Documents in which every field stands, so that changes to them try every place. */
import type { Document } from './documents.js';

const DRAWN = { lognormal: { medianMs: 10, sigma: 0.5 } };

export const WHOLE_SCRIPTS: Document = {
  source: 'whole scripts',
  value: [
    {
      selector: {
        matchLabels: { app: 'web' },
        matchExpressions: [
          { key: 'a', operator: 'In', values: ['b'] },
          { key: 'a', operator: 'Exists' },
        ],
      },
      namespace: 'prod',
      container: 'web',
      script: {
        imagePull: { duration: '5s', failures: 'all', error: 'no' },
        creation: { failures: 2, reason: 'CreateContainerError', error: 'no' },
        startDelay: DRAWN,
        readinessDelay: { choice: [1, 2] },
        runs: [{ duration: { uniform: [1, 2] }, exitCode: [0, 1], isOutOfMemory: false }, { exitCode: 3 }],
        shutdown: { delay: { exponential: { meanMs: 5 } }, ignoresTerm: false, exitCode: 143 },
        readiness: { okFor: '5m', failFor: 5, output: 'no', isTimeout: true, isError: false, redirectBody: 'yes' },
        liveness: { okFor: '5m' },
        needs: { atLeast: 2, selector: 'app=web', failsLiveness: true, exitAfter: '30s', exitCode: 1 },
        postStart: { duration: '5s', fails: true, error: 'no' },
        preStop: { duration: 'uniform(1s, 2s)' },
        cpuMillis: {
          points: [
            [0, 100],
            ['10m', '2'],
          ],
          repeatMs: '1h',
        },
        memoryBytes: 5,
        storageBytes: '0s=100Mi, 10m=2Gi',
        processes: { points: [[0, 1]] },
        logs: [{ atMs: '1s', everyMs: 1000, text: 'ready' }],
        exec: [{ command: 'ls', stdout: 'x', stderr: '', exitCode: 0 }],
      },
    },
    {
      selector: {},
      script: { imagePull: '5s fail 2: no', runs: '10s exit 1, forever', needs: '2 of app=etcd', logs: '1s: ready' },
    },
  ],
};

const CLUSTER = {
  seed: 3,
  nodes: [
    {
      count: 3,
      namePrefix: 'node-',
      zones: ['zone-a'],
      region: 'r',
      labels: { a: 'b' },
      annotations: { a: 'b' },
      taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
      capacity: { cpu: '4', memory: '8Gi', pods: '10' },
      allocatable: { cpu: '4' },
      images: [],
      kubelet: { maxPods: 5 },
      staticPods: [],
    },
    { name: 'own', labels: {}, annotations: {}, taints: [], capacity: { cpu: '4' }, images: [] },
  ],
  workers: 0,
  epoch: '2030-01-01T00:00:00Z',
  latency: 3,
  clientLimits: 'unlimited',
  runtime: { imagePull: 5, sandbox: { uniform: [1, 2] } },
  kubelet: {
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
    evictionSoft: { 'memory.available': '200Mi' },
    evictionSoftGracePeriod: { 'memory.available': '30s' },
    evictionMinimumReclaim: { 'memory.available': '10Mi' },
    evictionMaxPodGracePeriod: 5,
    evictionPressureTransitionPeriod: '5m',
    mergeDefaultEvictionSettings: true,
    shutdownGracePeriod: '30s',
    shutdownGracePeriodCriticalPods: '10s',
    maxPods: 110,
    systemReserved: { cpu: '100m' },
    kubeReserved: { memory: '1Gi' },
    imageGCHighThresholdPercent: 90,
    imageGCLowThresholdPercent: 80,
    imageMinimumGCAge: '2m',
    allowedUnsafeSysctls: ['net.*'],
    kubeAPIQPS: 50,
    kubeAPIBurst: 100,
    eventRecordQPS: 50,
    eventBurst: 100,
    registryPullQPS: 5,
    registryBurst: 10,
    serializeImagePulls: false,
    maxParallelImagePulls: 3,
  },
  scheduler: {
    percentageOfNodesToScore: 50,
    podInitialBackoffSeconds: 1,
    podMaxBackoffSeconds: 10,
    clientConnection: { qps: 50, burst: 100 },
    cycleMs: 1,
    minPrefetchWork: 1,
  },
  controllers: ['deployment-controller', 'replicaset-controller'],
  without: ['kube-scheduler'],
  controllerManagers: 1,
  schedulers: 1,
  controllerManager: {
    kubeAPIQPS: 20,
    kubeAPIBurst: 30,
    terminatedPodGCThreshold: 5,
    nodeMonitorPeriod: '5s',
    nodeMonitorGracePeriod: 50_000,
    nodeStartupGracePeriod: '1m',
    nodeEvictionRate: 0.1,
    secondaryNodeEvictionRate: 0.01,
    largeClusterSizeThreshold: 50,
    unhealthyZoneThreshold: 0.55,
    disableForceDetachOnTimeout: false,
    volumeAttachMs: 1,
    volumeDetachMs: 1,
    volumeProvisionMs: 1,
    volumeDeleteMs: 1,
    volumeExpandMs: 1,
  },
  invariants: true,
  fencing: {
    action: 'powerCycle',
    toleranceSeconds: 60,
    patienceSeconds: 240,
    confirmSeconds: 5,
    minPriority: 0,
    maxUnreachablePercent: 40,
  },
  attachRecords: true,
  defaultStorageClass: true,
  watchHistory: 1000,
  holdWarningAfter: '5s',
};

/** What a cluster may not say beside {@link CLUSTER}. */
const GRACES = { kubelet: { shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: 5 }] } };

const ACTIONS: readonly object[] = [
  { at: '1m', delete: { object: 'pod/a', namespace: 'b', gracePeriodSeconds: 5, propagationPolicy: 'Orphan' } },
  { at: '1m', delete: { node: { ofPod: 'a' }, force: true } },
  { at: '1m', evict: 'pod/a' },
  { at: '1m', evict: { object: 'pod/a', namespace: 'b' } },
  { at: '1m', scale: { object: 'deployment/a', namespace: 'b', replicas: 3 } },
  { at: '1m', patch: { object: 'deployment/a', namespace: 'b', type: 'merge', patch: {} } },
  { at: '1m', edit: { node: 'node-0', patch: {} }, for: '20s' },
  { at: '1m', cordon: 'node-0' },
  { at: '1m', drain: { ofPods: 'app=a' } },
  {
    at: '1m',
    drain: {
      node: 'node-0',
      force: true,
      ignoreDaemonSets: true,
      deleteEmptyDirData: true,
      disableEviction: true,
      gracePeriodSeconds: 5,
      timeout: '5m',
      podSelector: 'a=b',
    },
  },
  { at: '1m', taint: { node: 'node-0', key: 'a', value: 'b', effect: 'NoExecute' } },
  { at: '1m', untaint: { node: 'node-0', key: 'a', effect: 'NoExecute' } },
  { at: '1m', powerOff: { node: { ofPod: 'a' } }, for: '5m' },
  { at: '1m', skewClock: { component: 'kube-scheduler', by: '-30s' } },
  { at: '1m', heal: 'all' },
];

const EXPECTATIONS: readonly object[] = [
  {
    name: 'pods',
    by: '5m',
    from: '1m',
    pods: {
      namespace: 'a',
      name: 'b',
      selector: 'c=d',
      node: { ofPod: 'a' },
      phase: 'Running',
      ready: true,
      terminating: false,
      where: { 'spec.nodeName': null },
    },
    atLeast: 1,
    atMost: 5,
  },
  {
    at: '5m',
    nodes: { name: 'node-0', selector: 'a=b', condition: 'Ready', status: 'False', taint: 'a', unschedulable: true },
    count: 1,
  },
  {
    always: { objects: { kind: 'job', namespace: 'a', name: 'b', condition: 'Complete', status: 'True' }, count: 1 },
    from: '1m',
    until: '5m',
  },
  { by: '1m', complete: 'prod/deployment/a' },
  { by: '1m', events: { reason: 'a', type: 'Normal', message: 'b', about: 'pod/a', namespace: 'c' } },
  { by: '1m', processes: { pod: 'a', node: 'node-0' } },
  { by: '1m', mounts: { volume: 'a', pod: 'b', node: 'node-0' } },
  { never: { splitBrains: { pod: 'a' } } },
  { never: { unconfirmedDeletions: { pod: 'a' } } },
  { never: { brokenBudgets: { budget: 'a' } } },
];

/** One document for each part, since each change is read with all that stands beside it. */
export const WHOLE_SCENARIOS: readonly Document[] = [
  ...Object.entries(CLUSTER).map(([name, value]) => ({ cluster: { [name]: value } })),
  { cluster: GRACES },
  { cluster: { fencing: true, nodes: 3 } },
  {
    title: 'everything',
    workloads: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }],
    thresholds: { pod_startup_ms: ['p(99)<5000', 'max<=30000'], 'api_request_ms{verb:LIST}': 'max<1e4' },
    until: '5m',
    actions: [
      { at: 0, delete: 'pod/a', name: 'first', mayFail: true },
      { at: '1m', uncordon: { ofAction: 'first' } },
    ],
  },
  ...ACTIONS.map((action) => ({ actions: [action] })),
  ...EXPECTATIONS.map((expectation) => ({ expectations: [expectation] })),
].map((value) => ({ source: JSON.stringify(value), value }));

const RUN = { nodes: 3, pods: 5, manifests: ['app.yaml'], compress: 1, limit: '30m' };

export const WHOLE_VARIANTS: readonly Document[] = [
  { title: 'all of it', run: RUN, cluster: { clientLimits: 'unlimited', fencing: true } },
  { run: {} },
].map((value) => ({ source: JSON.stringify(value), value }));
