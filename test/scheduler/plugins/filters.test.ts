import test, { type ExecutionContext } from 'ava';
import type { core, Node, Pod } from '../../../src/api/objects/objects.js';
import { codeName } from '../../../src/scheduler/framework/status.js';
import { DEFAULT_PLUGINS, type PluginSpec } from '../../../src/scheduler/plugins/registry.js';
import { Algorithm, type AlgorithmOptions } from '../support/algorithm.js';
import { testNode, testPod } from '../support/objects.js';

/** The verdict on a single node, in both forms: `plugin code: reasons`, or `fits`. */
function verdict(
  t: ExecutionContext,
  pod: Pod,
  node: Node,
  placed: readonly Pod[] = [],
  options: AlgorithmOptions = {},
): string {
  const [columns = '', plain = ''] = [false, true].map((isPlain) => {
    const algorithm = new Algorithm({ ...options, isPlain });
    algorithm.addNodes([node]);
    for (const each of placed) algorithm.place(each, node.metadata.name);
    const { rejected, decision } = algorithm.decideInDetail(pod);
    if (decision.kind === 'placed') return 'fits';
    if (decision.kind === 'error') return `error: ${decision.status.reasons.join(', ')}`;
    const status = rejected.get(node.metadata.name) ?? decision.diagnosis.nodeToStatus.absentStatus;
    return `${status.plugin} ${codeName(status.code)}: ${status.reasons.join(', ')}`;
  });
  t.is(columns, plain, 'the column form says what the plain form says');
  return columns;
}

const NO_TOLERATION = 'TaintToleration UnschedulableAndUnresolvable: node(s) had untolerated taint';
const NO_AFFINITY = "NodeAffinity UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity/selector";

test('NodeUnschedulable › rejects a cordoned node unless the pod tolerates its taint', (t) => {
  const node = testNode('n', { unschedulable: true });
  t.is(verdict(t, testPod('p'), node), 'NodeUnschedulable UnschedulableAndUnresolvable: node(s) were unschedulable');
  const toleration = { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' };
  t.is(verdict(t, testPod('p', { spec: { tolerations: [toleration] } }), node), 'fits');
  const other = { ...toleration, effect: 'NoExecute' };
  t.regex(verdict(t, testPod('p', { spec: { tolerations: [other] } }), node), /^NodeUnschedulable/u);
});

test('NodeName › rejects every node but the named one', (t) => {
  const pod = testPod('p', { spec: { nodeName: 'other' } });
  t.is(
    verdict(t, pod, testNode('n')),
    "NodeName UnschedulableAndUnresolvable: node(s) didn't match the requested node name",
  );
  t.is(verdict(t, pod, testNode('other')), 'fits');
});

test('TaintToleration › names the first taint that keeps the pod away; an empty value keeps its space', (t) => {
  const taints: core.Taint[] = [
    { key: 'soft', effect: 'PreferNoSchedule' },
    { key: 'k', effect: 'NoExecute' },
    { key: 'd', value: 'v', effect: 'NoSchedule' },
  ];
  t.is(verdict(t, testPod('p'), testNode('n', { taints })), `${NO_TOLERATION} {k: }`);
  const tolerations: core.Toleration[] = [{ key: 'k', operator: 'Exists' }];
  t.is(verdict(t, testPod('p', { spec: { tolerations } }), testNode('n', { taints })), `${NO_TOLERATION} {d: v}`);
});

test('TaintToleration › Equal without a key compares the value alone, an unknown operator bears nothing', (t) => {
  const node = testNode('n', { taints: [{ key: 'd', value: 'v', effect: 'NoSchedule' }] });
  const bears = (toleration: core.Toleration): string =>
    verdict(t, testPod('p', { spec: { tolerations: [toleration] } }), node);
  t.is(bears({ operator: 'Equal', value: 'v' }), 'fits');
  t.is(bears({ value: 'v', key: 'd' }), 'fits');
  t.is(bears({ operator: 'Equal', value: 'w' }), `${NO_TOLERATION} {d: v}`);
  t.is(bears({ key: 'd', operator: 'In', value: 'v' }), `${NO_TOLERATION} {d: v}`);
  t.is(bears({ key: 'd', operator: 'Exists', effect: 'NoExecute' }), `${NO_TOLERATION} {d: v}`);
});

function requiring(...nodeSelectorTerms: core.NodeSelectorTerm[]): Pod {
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return testPod('p', { spec: { affinity: { nodeAffinity } } });
}

function expression(operator: string, ...values: string[]): core.NodeSelectorTerm {
  return { matchExpressions: [{ key: 'gen', operator, values }] };
}

test('NodeAffinity › every operator, just at its limit', (t) => {
  const node = testNode('n', { labels: { gen: '5' } });
  const bare = testNode('n');
  const fits = (pod: Pod, on = node): boolean => verdict(t, pod, on) === 'fits';
  t.true(fits(requiring(expression('In', '4', '5'))));
  t.false(fits(requiring(expression('In', '4'))));
  t.false(fits(requiring(expression('NotIn', '5'))));
  t.true(fits(requiring(expression('NotIn', '5')), bare));
  t.true(fits(requiring(expression('Exists'))));
  t.false(fits(requiring(expression('Exists')), bare));
  t.true(fits(requiring(expression('DoesNotExist')), bare));
  t.true(fits(requiring(expression('Gt', '4'))));
  t.false(fits(requiring(expression('Gt', '5'))));
  t.true(fits(requiring(expression('Lt', '6'))));
  t.false(fits(requiring(expression('Lt', '5'))));
  t.false(fits(requiring(expression('Gt', '4')), testNode('n', { labels: { gen: '9223372036854775808' } })));
});

test('NodeAffinity › terms are ORed; empty and malformed ones match nothing', (t) => {
  const node = testNode('n', { labels: { gen: '5' } });
  t.is(verdict(t, requiring(expression('In', '4'), expression('In', '5')), node), 'fits');
  t.is(verdict(t, requiring(), node), NO_AFFINITY);
  t.is(verdict(t, requiring({}), node), NO_AFFINITY);
  t.is(verdict(t, requiring(expression('In')), node), NO_AFFINITY);
  t.is(verdict(t, requiring(expression('Exists', 'x')), node), NO_AFFINITY);
  t.is(verdict(t, requiring(expression('Gt', 'x')), node), NO_AFFINITY);
  t.is(
    verdict(t, requiring({ matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['n'] }] }), node),
    NO_AFFINITY,
  );
});

const isNamed = (name: string): core.NodeSelectorRequirement => ({
  key: 'metadata.name',
  operator: 'In',
  values: [name],
});

test('NodeAffinity › names that exclude each other are refused before any node is visited', (t) => {
  t.is(
    verdict(t, requiring({ matchFields: [isNamed('a'), isNamed('b')] }), testNode('a')),
    'NodeAffinity UnschedulableAndUnresolvable: pod affinity terms conflict',
  );
});

test('NodeAffinity › nodeSelector and required terms must both match', (t) => {
  const pod = requiring(expression('Exists'));
  const both = { ...pod, spec: { ...pod.spec, nodeSelector: { disk: 'ssd' } } };
  t.is(verdict(t, both, testNode('n', { labels: { gen: '1', disk: 'ssd' } })), 'fits');
  t.is(verdict(t, both, testNode('n', { labels: { gen: '1' } })), NO_AFFINITY);
});

test('NodeAffinity › affinity that the profile adds has its own text', (t) => {
  const addedAffinity: core.NodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [expression('Exists')] },
  };
  const plugins: readonly PluginSpec[] = DEFAULT_PLUGINS.map((spec) =>
    spec.name === 'NodeAffinity' ? { ...spec, args: { addedAffinity } } : spec,
  );
  t.is(
    verdict(t, testPod('p'), testNode('n'), [], { plugins }),
    "NodeAffinity UnschedulableAndUnresolvable: node(s) didn't match scheduler-enforced node affinity",
  );
  t.is(verdict(t, testPod('p'), testNode('n', { labels: { gen: '1' } }), [], { plugins }), 'fits');
});

const withPort = (name: string, hostPort: number, hostIP?: string, protocol?: string): Pod =>
  testPod(name, {
    ports: [
      {
        containerPort: 80,
        hostPort,
        ...(hostIP === undefined ? {} : { hostIP }),
        ...(protocol === undefined ? {} : { protocol }),
      },
    ],
  });

test('NodePorts › a port conflicts on the same address, and with all addresses either way', (t) => {
  const node = testNode('n');
  const rejected = "NodePorts Unschedulable: node(s) didn't have free ports for the requested pod ports";
  const on = (wanted: Pod, taken: Pod): string => verdict(t, wanted, node, [taken]);
  t.is(on(withPort('a', 80), withPort('b', 80)), rejected);
  t.is(on(withPort('a', 80, '10.0.0.1'), withPort('b', 80, '10.0.0.2')), 'fits');
  t.is(on(withPort('a', 80, '10.0.0.1'), withPort('b', 80, '10.0.0.1')), rejected);
  t.is(on(withPort('a', 80, '0.0.0.0'), withPort('b', 80, '10.0.0.2')), rejected);
  t.is(on(withPort('a', 80, '10.0.0.1'), withPort('b', 80)), rejected);
  t.is(on(withPort('a', 80), withPort('b', 80, undefined, 'UDP')), 'fits');
  t.is(on(withPort('a', 80), withPort('b', 81)), 'fits');
});

const withInit = (init: core.Container): Pod =>
  testPod('a', { spec: { containers: [{ name: 'm' }], initContainers: [init] } });

test('NodePorts › ports of sidecars count, those of plain init containers do not', (t) => {
  const container: core.Container = { name: 'i', ports: [{ containerPort: 80, hostPort: 80 }] };
  const taken = testPod('b', { ports: [{ containerPort: 80, hostPort: 80 }] });
  t.regex(verdict(t, withInit({ ...container, restartPolicy: 'Always' }), testNode('n'), [taken]), /^NodePorts/u);
  t.is(verdict(t, withInit(container), testNode('n'), [taken]), 'fits');
});

test('NodeResourcesFit › rejects a node one millicore short, and says whether it could ever fit', (t) => {
  const node = testNode('n', { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } });
  const used = testPod('used', { requests: { cpu: '900m' } });
  const asking = (cpu: string): string => verdict(t, testPod('p', { requests: { cpu } }), node, [used]);
  t.is(asking('100m'), 'fits');
  t.is(asking('101m'), 'NodeResourcesFit Unschedulable: Insufficient cpu');
  t.is(asking('1000m'), 'NodeResourcesFit Unschedulable: Insufficient cpu');
  t.is(asking('1001m'), 'NodeResourcesFit UnschedulableAndUnresolvable: Insufficient cpu');
  t.is(asking('100.0001m'), 'NodeResourcesFit Unschedulable: Insufficient cpu');
});

test('NodeResourcesFit › lists every shortage in order; one beyond help makes the verdict so', (t) => {
  const node = testNode('n', { allocatable: { cpu: '1', memory: '1Gi', pods: '1', 'example.com/gpu': '1' } });
  const used = testPod('used', { requests: { cpu: '1', 'example.com/gpu': '1' } });
  const requests = { 'example.com/gpu': '1', 'ephemeral-storage': '1', memory: '2Gi', cpu: '1' };
  t.is(
    verdict(t, testPod('p', { requests }), node, [used]),
    'NodeResourcesFit UnschedulableAndUnresolvable: Too many pods, Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage, Insufficient example.com/gpu',
  );
});

test('NodeResourcesFit › a pod without requests needs nothing but its place', (t) => {
  const node = testNode('n', { allocatable: { cpu: '1', pods: '1' } });
  t.is(verdict(t, testPod('p'), node), 'fits');
  t.is(verdict(t, testPod('p'), node, [testPod('q')]), 'NodeResourcesFit Unschedulable: Too many pods');
  t.is(
    verdict(t, testPod('p'), testNode('n', { allocatable: { cpu: '1' } })),
    'NodeResourcesFit Unschedulable: Too many pods',
  );
});

const requests = (cpu: string): core.ResourceRequirements => ({ requests: { cpu } });

const withCpu = (cpu: string): Node => testNode('n', { allocatable: { cpu, memory: '1Gi', pods: '10' } });

test('NodeResourcesFit › sidecars add up, plain init containers compete with what runs beside them', (t) => {
  const pod = testPod('p', {
    spec: {
      containers: [{ name: 'm', resources: requests('500m') }],
      initContainers: [
        { name: 'side', restartPolicy: 'Always', resources: requests('200m') },
        { name: 'init', resources: requests('900m') },
      ],
      overhead: { cpu: '50m' },
    },
  });
  t.is(verdict(t, pod, withCpu('1150m')), 'fits');
  t.is(verdict(t, pod, withCpu('1149m')), 'NodeResourcesFit UnschedulableAndUnresolvable: Insufficient cpu');
});

test('NodeResourcesFit › pod-level requests replace those of the containers', (t) => {
  const pod = testPod('p', { requests: { cpu: '3', memory: '1Gi' }, spec: { resources: { requests: { cpu: '1' } } } });
  const node = testNode('n', { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } });
  t.is(verdict(t, pod, node), 'fits');
  t.regex(verdict(t, pod, node, [testPod('used', { requests: { cpu: '1m' } })]), /Insufficient cpu$/u);
});

const resizing = (infeasible: boolean): Pod =>
  testPod('used', {
    requests: { cpu: '600m' },
    status: {
      containerStatuses: [
        {
          name: 'main',
          ready: true,
          restartCount: 0,
          image: '',
          imageID: '',
          resources: { requests: { cpu: '300m' } },
          allocatedResources: { cpu: '400m' },
        },
      ],
      ...(infeasible ? { conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }] } : {}),
    },
  });

test('NodeResourcesFit › a pod that is being resized counts for the larger of spec and status', (t) => {
  const node = testNode('n', { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } });
  const pod = testPod('p', { requests: { cpu: '600m' } });
  t.is(verdict(t, pod, node, [resizing(false)]), 'NodeResourcesFit Unschedulable: Insufficient cpu');
  t.is(verdict(t, pod, node, [resizing(true)]), 'fits');
});

test('NodeResourcesFit › ignored extended resources are not looked at', (t) => {
  const plugins = DEFAULT_PLUGINS.map((spec) =>
    spec.name === 'NodeResourcesFit'
      ? { ...spec, args: { ignoredResources: ['a.com/x'], ignoredResourceGroups: ['b.com'] } }
      : spec,
  );
  const asking = (name: string): string =>
    verdict(t, testPod('p', { requests: { [name]: '1' } }), testNode('n'), [], { plugins });
  t.is(asking('a.com/x'), 'fits');
  t.is(asking('b.com/y'), 'fits');
  t.is(asking('a.com/y'), 'NodeResourcesFit UnschedulableAndUnresolvable: Insufficient a.com/y');
});
