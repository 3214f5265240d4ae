import test from 'ava';
import { parseSchedulerPerf, type PerfWorkload } from '../../../src/index.js';

const POD =
  'apiVersion: v1\nkind: Pod\nmetadata: { generateName: pod- }\nspec: { containers: [{ name: c, image: pause }] }';
const FILES: Readonly<Record<string, string>> = {
  'pod.yaml': POD,
  'node.yaml': 'apiVersion: v1\nkind: Node',
  'claim.yaml': 'apiVersion: v1\nkind: PersistentVolumeClaim',
  'ingress.yaml': 'apiVersion: networking.k8s.io/v1\nkind: Ingress',
};

function parse(text: string): readonly PerfWorkload[] {
  return parseSchedulerPerf(text, 'perf.yaml', {
    read(path) {
      const found = FILES[path];
      if (found === undefined) throw new Error(`no such file: ${path}`);
      return { text: found, source: path };
    },
  });
}

function steps(...lines: readonly string[]): string {
  return `- name: Case\n  workloadTemplate:\n${lines.map((line) => `  - ${line}\n`).join('')}  workloads:\n  - name: small\n`;
}

test('a scheduler_perf configuration › names workloads by test case and size', (t) => {
  const [first, second] = parse(`
- name: Basic
  featureGates: { A: true, B: false }
  labels: [all]
  workloadTemplate: [{ opcode: createNodes, countParam: $nodes }]
  workloads:
  - name: 5Nodes
    labels: [performance]
    featureGates: { B: true }
    threshold: { here: 7, there: 9 }
    thresholdMetricSelector: { name: SchedulingThroughput }
    params: { nodes: 5 }
  - { name: 6Nodes, threshold: 3, params: { nodes: 6 } }
`);
  t.like(first, {
    name: 'Basic/5Nodes',
    testCase: 'Basic',
    labels: ['all', 'performance'],
    featureGates: { A: true, B: true },
    threshold: 9,
    anchor: undefined,
  });
  t.is(second?.threshold, 3);
  t.deepEqual<unknown, unknown>(second?.plan().operations, [
    { opcode: 'createNodes', count: 6, template: undefined, strategy: undefined, kubelets: false },
  ]);
});

test('a scheduler_perf configuration › puts pods without a namespace in one named after their step', (t) => {
  const [workload] = parse(
    steps(
      '{ opcode: createPodSets, count: 2, namespacePrefix: set, createPodsOp: { count: 3, podTemplatePath: pod.yaml } }',
      '{ opcode: createPods, count: 1, collectMetrics: true }',
      '{ opcode: churn, mode: create, templatePaths: [pod.yaml] }',
    ),
  );
  const operations = workload?.plan().operations ?? [];
  const namespaces = operations.map((operation) => ('namespace' in operation ? operation.namespace : ''));
  t.deepEqual(namespaces, ['set-0', 'set-1', 'namespace-2', 'namespace-3']);
});

test('a scheduler_perf configuration › takes the default pod template where a step names none', (t) => {
  const text = steps('{ opcode: createPods, count: 1 }', '{ opcode: createPods, count: 1, podTemplatePath: pod.yaml }');
  const [workload] = parse(text.replace('- name: Case\n', '- name: Case\n  defaultPodTemplatePath: pod.yaml\n'));
  const sources = workload?.plan().operations.map((each) => ('template' in each ? each.template?.source : ''));
  t.deepEqual(sources, ['pod.yaml', 'pod.yaml']);
});

const refusals: readonly (readonly [title: string, text: string, message: string])[] = [
  ['no list', 'name: x', 'perf.yaml: must be one list of test cases, got a mapping'],
  ['no text at all', '', 'perf.yaml: must be one list of test cases, got nothing'],
  [
    'broken YAML',
    '- name: [',
    'perf.yaml:1: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
  ['a test case without a name', '- workloads: []', 'perf.yaml:1: [0].name is missing, must be a text'],
  [
    'a field that is not known',
    `${steps('{ opcode: barrier }')}  colour: red\n`,
    'perf.yaml:6: [0].colour is not known here; known are anchor, defaultPodTemplatePath, defaultThresholdMetricSelector, featureGates, labels, metricsCollectorConfig, name, schedulerConfigPath, workloadTemplate, workloads',
  ],
  [
    'two workloads of one name',
    `${steps('{ opcode: barrier }')}  - name: small\n`,
    'perf.yaml: has two workloads called Case/small',
  ],
  [
    'a threshold that is none',
    `${steps('{ opcode: barrier }')}    threshold: -1\n`,
    'perf.yaml:6: [0].workloads[0].threshold must be a number >= 0, or one for each topic, got -1',
  ],
];

for (const [title, text, message] of refusals) {
  test(`a scheduler_perf configuration › is refused for ${title}`, (t) => {
    const error = t.throws(() => parse(text));
    t.is(error.message, message);
    t.is(error.name, 'SchedulerPerfError');
  });
}

const STEP = 'perf.yaml:3: [0].workloadTemplate[0]';
const ALL_OPCODES =
  'createNodes, createNamespaces, createPods, createPodSets, deletePods, churn, createAny, updateAny, barrier, sleep, startCollectingMetrics, stopCollectingMetrics';

const wrongSteps: readonly (readonly [title: string, step: string, message: string])[] = [
  [
    'an opcode that there is not',
    '{ opcode: flyNodes }',
    `${STEP}.opcode must be one of ${ALL_OPCODES}, got "flyNodes"`,
  ],
  [
    'dynamic resource allocation',
    '{ opcode: createResourceDriver }',
    `${STEP}.opcode "createResourceDriver" is not simulated: it needs dynamic resource allocation`,
  ],
  [
    'a field that is not known',
    '{ opcode: barrier, colour: red }',
    `${STEP}.colour is not known here; known are labelSelector, namespaces, opcode, stageRequirement`,
  ],
  [
    'a missing count',
    '{ opcode: createNodes }',
    `${STEP}.count is missing, must be an integer >= 0; or name a parameter in countParam`,
  ],
  ['a negative count', '{ opcode: createNodes, count: -1 }', `${STEP}.count must be an integer >= 0, got -1`],
  [
    'a parameter without $',
    '{ opcode: createNodes, countParam: nodes }',
    `${STEP}.countParam must begin with $, got "nodes"`,
  ],
  [
    'a parameter that there is not',
    '{ opcode: createNodes, countParam: $nodes }',
    `${STEP}.countParam $nodes is not among the params of the workload ()`,
  ],
  [
    'a template that there is not',
    '{ opcode: createPods, count: 1, podTemplatePath: x.yaml }',
    `${STEP}.podTemplatePath cannot be read: no such file: x.yaml`,
  ],
  [
    'a template of another kind',
    '{ opcode: createPods, count: 1, podTemplatePath: node.yaml }',
    'node.yaml: kind must be Pod, got "Node"',
  ],
  [
    'a kind that is not simulated',
    '{ opcode: createAny, templatePath: ingress.yaml }',
    'ingress.yaml: kind Ingress of networking.k8s.io/v1 is not simulated',
  ],
  [
    'an object without its namespace',
    '{ opcode: createAny, templatePath: pod.yaml }',
    `${STEP}.namespace is missing: a Pod needs one`,
  ],
  [
    'a namespace for an object without one',
    '{ opcode: createAny, templatePath: node.yaml, namespace: a }',
    `${STEP}.namespace must be absent: a Node has none`,
  ],
  [
    'a steady state',
    '{ opcode: createPods, count: 1, steadyState: true }',
    `${STEP}.steadyState is not simulated: pods are created all at once`,
  ],
  [
    'measuring what is not waited for',
    '{ opcode: createPods, count: 1, collectMetrics: true, skipWaitToCompletion: true }',
    `${STEP}.skipWaitToCompletion and collectMetrics cannot be true at the same time`,
  ],
  [
    'claims without volumes',
    '{ opcode: createPods, count: 1, persistentVolumeClaimTemplatePath: claim.yaml }',
    `${STEP}.persistentVolumeTemplatePath is missing, must name the volume for each claim`,
  ],
  [
    'a recreation without a number',
    '{ opcode: churn, mode: recreate, templatePaths: [pod.yaml] }',
    `${STEP}.number cannot be 0 when mode is recreate`,
  ],
  ['a churn of nothing', '{ opcode: churn, mode: create }', `${STEP}.templatePaths must name at least one template`],
  [
    'a churn that there is not',
    '{ opcode: churn, mode: delete }',
    `${STEP}.mode must be one of create, recreate, got "delete"`,
  ],
  [
    'a stage that there is not',
    '{ opcode: barrier, stageRequirement: Done }',
    `${STEP}.stageRequirement must be one of Scheduled, Attempted, Ready, NodesSchedulable, got "Done"`,
  ],
  ['a sleep of no length', '{ opcode: sleep }', `${STEP}.duration is missing, must be a text`],
  [
    'a sleep of a strange length',
    '{ opcode: sleep, duration: long }',
    `${STEP}.duration must be a duration such as 5s, got "long"`,
  ],
  ['collecting nowhere', '{ opcode: startCollectingMetrics }', `${STEP}.namespaces cannot be empty`],
  [
    'two strategies',
    '{ opcode: createNodes, count: 1, labelNodePrepareStrategy: { labelKey: a, labelValues: [b] }, uniqueNodeLabelStrategy: { labelKey: c } }',
    `${STEP}.uniqueNodeLabelStrategy cannot stand beside labelNodePrepareStrategy`,
  ],
  [
    'no label values',
    '{ opcode: createNodes, count: 1, labelNodePrepareStrategy: { labelKey: a } }',
    `${STEP}.labelNodePrepareStrategy.labelValues must hold at least one value`,
  ],
  [
    'a quantity that is none',
    '{ opcode: createNodes, count: 1, nodeAllocatableStrategy: { nodeAllocatable: { cpu: [] } } }',
    `${STEP}.nodeAllocatableStrategy.nodeAllocatable must hold a quantity under cpu, got a list`,
  ],
  [
    'a subresource that is not simulated',
    '{ opcode: updateAny, namespace: a, templatePath: pod.yaml, subresources: [resize] }',
    `${STEP}.subresources "resize" is not simulated; status is`,
  ],
  [
    'kubelets beside a template',
    '{ opcode: createNodes, count: 1, kubelets: true, nodeTemplatePath: node.yaml }',
    `${STEP}.nodeTemplatePath cannot stand beside kubelets, whose nodes describe themselves`,
  ],
  [
    'labels that are no texts',
    '{ opcode: barrier, labelSelector: { a: 1 } }',
    `${STEP}.labelSelector must hold a text under a, got 1`,
  ],
];

for (const [title, step, message] of wrongSteps) {
  test(`a workload › cannot be planned for ${title}`, (t) => {
    const [workload] = parse(steps(step));
    t.is(t.throws(() => workload?.plan()).message, message);
  });
}

test('a workload › cannot be planned with an unused parameter', (t) => {
  const [workload] = parse(`${steps('{ opcode: barrier }')}    params: { nodes: 5 }\n`);
  t.is(
    t.throws(() => workload?.plan()).message,
    'perf.yaml:6: [0].workloads[0].params has nodes, which no step of the workload uses',
  );
});

test('a workload › reads durations as Go writes them', (t) => {
  const [workload] = parse(`${steps('{ opcode: sleep, durationParam: $pause }')}    params: { pause: 1m30.5s }\n`);
  t.deepEqual<unknown, unknown>(workload?.plan().operations, [{ opcode: 'sleep', durationMs: 90_500 }]);
});
