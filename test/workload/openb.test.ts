import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import test from 'ava';
import type { Pod } from '../../src/api/objects/objects.js';
import { parseOpenb, TraceError, type OpenbOptions } from '../../src/workload/openb.js';

const NODES = `sn,cpu_milli,memory_mib,gpu,model
openb-node-0000,32000,262144,0,
openb-node-0001,96000,393216,8,G2
`;
const HEADER =
  'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n';
const PODS = `${HEADER}later,1000,0,0,0,,BE,Failed,100,160,110
openb-pod-0001,6000,12288,1,460,A10|V100M16,LS,Running,0,50,25
never-scheduled,6000,12288,2,1000,,LS,Pending,40,70,
endless,1000,0,0,0,,BE,Succeeded,50,0,50
no-end,1000,0,0,0,,,Running,50,,50
`;

const parse = (pods = PODS, nodes = NODES, options: Partial<OpenbOptions> = {}): ReturnType<typeof parseOpenb> =>
  parseOpenb({ nodes: { text: nodes, source: 'nodes.csv' }, pods: { text: pods, source: 'pods.csv' }, ...options });

const row = (text: string): string => `${HEADER}ok,1,1,0,0,,LS,Running,0,5,0\n${text}\n`;

const timesAt = (compression: number): unknown =>
  parse(PODS, NODES, { compression }).arrivals.map(({ atMs, draft }) => [
    atMs,
    draft.metadata?.annotations?.['kubeloom.dev/run-for'],
  ]);

test('nodes have the GPUs and the model of the trace', (t) => {
  t.deepEqual(parse().nodes[1], {
    name: 'openb-node-0001',
    labels: {
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/os': 'linux',
      'kubernetes.io/hostname': 'openb-node-0001',
      'nvidia.com/gpu.product': 'G2',
    },
    annotations: {},
    taints: [],
    capacity: { cpu: '96000m', memory: '393216Mi', 'ephemeral-storage': '512Gi', pods: '110', 'nvidia.com/gpu': '8' },
    allocatable: {
      cpu: '96000m',
      memory: '393216Mi',
      'ephemeral-storage': '512Gi',
      pods: '110',
      'nvidia.com/gpu': '8',
    },
    images: [],
  });
  t.false('nvidia.com/gpu' in (parse().nodes[0]?.capacity ?? {}));
});

test('pods arrive in order of creation, run for the recorded time and end as recorded', (t) => {
  const trace = parse();
  t.deepEqual(
    trace.arrivals.map(({ atMs, draft: { metadata } }) => [atMs, metadata?.name, metadata?.annotations]),
    [
      [0, 'openb-pod-0001', { 'kubeloom.dev/run-for': '25000ms', 'kubeloom.dev/exit-code': '0' }],
      [40_000, 'never-scheduled', { 'kubeloom.dev/run-for': '30000ms', 'kubeloom.dev/exit-code': '0' }],
      [50_000, 'endless', {}],
      [50_000, 'no-end', {}],
      [100_000, 'later', { 'kubeloom.dev/run-for': '50000ms', 'kubeloom.dev/exit-code': '1' }],
    ],
  );
  t.deepEqual([trace.sharedGpuPods, trace.endlessPods], [1, 2]);
});

test('a pod requests whole GPUs of the models that it names', (t) => {
  t.deepEqual(parse().arrivals[0], {
    atMs: 0,
    kind: 'Pod',
    draft: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'openb-pod-0001',
        namespace: 'default',
        labels: { app: 'openb', 'kubeloom.dev/qos': 'LS', 'kubeloom.dev/trace-phase': 'Running' },
        annotations: { 'kubeloom.dev/run-for': '25000ms', 'kubeloom.dev/exit-code': '0' },
      },
      spec: {
        restartPolicy: 'Never',
        containers: [
          {
            name: 'main',
            image: 'registry.example/openb:1.0',
            resources: {
              requests: { cpu: '6000m', memory: '12288Mi', 'nvidia.com/gpu': '1' },
              limits: { 'nvidia.com/gpu': '1' },
            },
          },
        ],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'nvidia.com/gpu.product', operator: 'In', values: ['A10', 'V100M16'] }] },
              ],
            },
          },
        },
      },
    },
  });
});

test('pods of one shape share their specs', (t) => {
  const { arrivals } = parse();
  t.is(arrivals[2]?.draft['spec'], arrivals[3]?.draft['spec']);
});

test('compression divides arrivals and run times alike; no pod runs for less than a millisecond', (t) => {
  t.deepEqual(timesAt(1000), [
    [0, '25ms'],
    [40, '30ms'],
    [50, undefined],
    [50, undefined],
    [100, '50ms'],
  ]);
  t.deepEqual(timesAt(1e9), [
    [0, '1ms'],
    [0, '1ms'],
    [0, undefined],
    [0, undefined],
    [0, '1ms'],
  ]);
});

test('bad rows name file, line, column, value and what is allowed', (t) => {
  const message = (pods: string, nodes = NODES): string | undefined =>
    t.throws(() => parse(pods, nodes), { instanceOf: TraceError })?.message;
  t.is(message(row('a,x,1,0,0,,LS,Running,0,5,0')), 'pods.csv:3: cpu_milli must be a whole number >= 0, got "x"');
  t.is(message(row('a,-1,1,0,0,,LS,Running,0,5,0')), 'pods.csv:3: cpu_milli must be a whole number >= 0, got "-1"');
  t.is(message(row('a,1,1,0.5,0,,LS,Running,0,5,0')), 'pods.csv:3: num_gpu must be a whole number >= 0, got "0.5"');
  t.is(
    message(row('a,1,1,0,0,,LS,Gone,0,5,0')),
    'pods.csv:3: pod_phase must be one of Running, Pending, Succeeded, Failed, got "Gone"',
  );
  t.is(message(row('a,1,1,0,0,,LS,Running,,5,0')), 'pods.csv:3: creation_time must be seconds >= 0, got ""');
  t.is(
    message(row('a,1,1,0,0,,LS,Running,0,5,10')),
    'pods.csv:3: deletion_time must be empty, 0 or at least 10, got "5"',
  );
  t.is(message(row('A_b,1,1,0,0,,LS,Running,0,5,0')), 'pods.csv:3: name must be a name in lower case, got "A_b"');
  t.is(message(row('ok,1,1,0,0,,LS,Running,0,5,0')), 'pods.csv:3: name must be distinct, got "ok" again');
  t.is(message('name,cpu_milli\na,1\n'), 'pods.csv:1: column memory_mib is missing, got name, cpu_milli');
  t.is(message('')?.startsWith('pods.csv:1: the table is empty, must have columns name, cpu_milli'), true);
  t.is(message(row('a,1'))?.startsWith('pods.csv:3: '), true);
  t.is(
    message(PODS, 'sn,cpu_milli,memory_mib,gpu,model\nn1,1,1,lots,\n'),
    'nodes.csv:2: gpu must be a whole number >= 0, got "lots"',
  );
});

test('the recorded trace: every node and pod is there', (t) => {
  const folder = resolve(process.cwd(), '../shared/inputs/traces');
  const files = ['openb_node_list_all_node.csv', 'openb_pod_list_default.csv'].map((name) => resolve(folder, name));
  if (!files.every((file) => existsSync(file))) {
    t.log(`skipped: ${folder} is not there`);
    t.pass();
    return;
  }
  const [nodes = '', pods = ''] = files.map((file) => readFileSync(file, 'utf8'));
  const trace = parse(pods, nodes);
  t.is(trace.nodes.length, 1523);
  t.is(trace.arrivals.length, 8152);
  t.is(trace.endlessPods, 0);
  t.is(trace.sharedGpuPods, 3078);
  t.is(trace.arrivals.at(-1)?.atMs, 12_901_761_000);
  const gpus = trace.arrivals.reduce((sum, { draft }) => {
    const { containers } = draft['spec'] as Pod['spec'];
    return sum + Number(containers[0]?.resources?.requests?.['nvidia.com/gpu'] ?? 0);
  }, 0);
  t.is(gpus, 6989 + 44 * 8 + 16 * 2 + 15 * 4);
});
