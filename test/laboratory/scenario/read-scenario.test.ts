import test from 'ava';
import { parseScenario, type Draft } from '../../../src/index.js';
import { refusal } from './scene.js';

const REFUSALS: readonly (readonly [text: string, message: string])[] = [
  [
    'cluster: { nodes: 3 }\nacctions: []',
    'x.yaml:2: acctions is not known here; known are title, cluster, scripts, workloads, actions, expectations, thresholds, until; did you mean actions?',
  ],
  ['cluster:\n  nodes: -1', 'x.yaml:2: cluster.nodes must be an integer in 0..100000, got -1'],
  ['cluster: { nodes: [{ count: -1 }] }', 'x.yaml:1: cluster.nodes[0].count must be an integer in 0..100000, got -1'],
  [
    'cluster: { kubelet: { maxPods: -3 } }',
    'x.yaml:1: cluster.kubelet.maxPods must be an integer in 1..2147483647, got -3',
  ],
  ['cluster: { realtime: 3 }', 'x.yaml:1: cluster.realtime cannot be: scenarios run in virtual time'],
  ['cluster: { scripts: [] }', 'x.yaml:1: cluster.scripts stands beside cluster, not in it'],
  [
    'scripts:\n  - selector: {}\n    script:\n      runs: [{ exitCode: 900 }]',
    'x.yaml:4: scripts[0].script.runs[0].exitCode must be an integer in 0..255, got 900',
  ],
  ['workloads: [{ kind: Pod }]', 'x.yaml:1: workloads[0].apiVersion is missing, must be a text such as v1 or apps/v1'],
  ['workloads: [3]', 'x.yaml:1: workloads[0] must be an object or the name of a file, got 3'],
  ['workloads: a.yaml', 'x.yaml:1: workloads names a.yaml, which cannot be read: no such file: a.yaml'],
  [
    'actions: [{ at: 1m, cutt: { node: node-0 } }]',
    'x.yaml:1: actions[0].cutt is not known here; known are at, name, mayFail, for, apply, delete, evict, scale, load, patch, edit, cordon, uncordon, drain, taint, untaint, cut, partition, slow, lossy, refuse, delayWatch, coalesceWatch, staleReads, restartApiServer, stopKubelet, powerOff, shutDown, failRuntime, failVolume, failPool, breakAttachment, stopController, runTwice, crashAfterWrites, stopComponent, skewClock, heal; did you mean cut?',
  ],
  [
    'actions: [{ at: 1m }]',
    'x.yaml:1: actions[0] must have one of apply, delete, evict, scale, load, patch, edit, cordon, uncordon, drain, taint, untaint, cut, partition, slow, lossy, refuse, delayWatch, coalesceWatch, staleReads, restartApiServer, stopKubelet, powerOff, shutDown, failRuntime, failVolume, failPool, breakAttachment, stopController, runTwice, crashAfterWrites, stopComponent, skewClock, heal',
  ],
  [
    'actions: [{ at: 1m, cut: { nod: node-0 } }]',
    'x.yaml:1: actions[0].cut.nod is not known here; known are node, zone, component, controller, direction; did you mean node?',
  ],
  [
    'actions: [{ at: 1m, cut: {} }]',
    'x.yaml:1: actions[0].cut must name one of a node, a zone, a component or a controller',
  ],
  [
    'actions:\n  - at: 1m\n    cut:\n      node: nod-0',
    'x.yaml:4: actions[0].cut.node must be a node of the cluster (node-0, node-1, node-2), got "nod-0"; did you mean node-0?',
  ],
  [
    'actions: [{ at: 1m, cut: { node: node-0, direction: up } }]',
    'x.yaml:1: actions[0].cut.direction must be in or out (absent = both), got "up"',
  ],
  [
    'actions: [{ at: 1m, powerOff: { node: { ofPod: a, ofAction: b } } }]',
    'x.yaml:1: actions[0].powerOff.node must have one of ofPod, ofPods, ofAction',
  ],
  [
    'actions: [{ at: soon, heal: all }]',
    'x.yaml:1: actions[0].at must be a duration such as 90s, 10m or 1h30m, got "soon"',
  ],
  ['actions: [{ heal: all }]', 'x.yaml:1: actions[0].at is missing, must be a duration such as 90s, 10m or 1h30m'],
  [
    'actions: [{ at: 1m, heal: all, for: 1m }]',
    'x.yaml:1: actions[0].for is not known here; known are at, name, mayFail, heal',
  ],
  [
    'actions: [{ at: 1m, heal: all, cordon: node-0 }]',
    'x.yaml:1: actions[0].heal cannot stand beside cordon: an action does one thing',
  ],
  [
    'actions: [{ at: 1m, heal: partitoin }, { at: 0s, name: partition, cut: { node: node-0 } }]',
    'x.yaml:1: actions[0].heal refers to "partitoin", which is the name of no action; did you mean partition?',
  ],
  [
    'actions: [{ at: 1m, name: a, cordon: node-0 }, { at: 1m, name: a, uncordon: node-0 }]',
    'x.yaml:1: actions[1].name must be the name of one action, got "a" twice',
  ],
  [
    'actions: [{ at: 1m, delete: pods }]',
    'x.yaml:1: actions[0].delete must be KIND/NAME such as pod/web-0, got "pods"',
  ],
  [
    'actions: [{ at: 1m, delete: deploymnt/web }]',
    'x.yaml:1: actions[0].delete must name a kind that is simulated, got "deploymnt"; did you mean deployment?',
  ],
  [
    'actions: [{ at: 1m, delete: { object: pod/x, force: true, gracePeriodSeconds: 5 } }]',
    'x.yaml:1: actions[0].delete.gracePeriodSeconds must be absent or 0 beside force, got 5',
  ],
  ['actions: [{ at: 1m, evict: job/x }]', 'x.yaml:1: actions[0].evict must be a pod, got Job'],
  [
    'actions: [{ at: 1m, scale: { object: deployment/web } }]',
    'x.yaml:1: actions[0].scale.replicas is missing, must be an integer >= 0',
  ],
  [
    'actions: [{ at: 1m, load: { service: web } }]',
    'x.yaml:1: actions[0].load.rate is missing, must be requests a second such as 200, or a text such as "200", "0s=10, 5m=500", "steps 0s=10, 5m=500 repeat 1h" or "sine 100..500 every 24h"',
  ],
  [
    'actions: [{ at: 1m, load: { service: web, rate: -3 } }]',
    'x.yaml:1: actions[0].load.rate must be requests a second such as 200, or a text such as "200", "0s=10, 5m=500", "steps 0s=10, 5m=500 repeat 1h" or "sine 100..500 every 24h", got -3',
  ],
  [
    'actions: [{ at: 1m, load: { service: web, rate: 3, table: day.csv } }]',
    'x.yaml:1: actions[0].load.table cannot stand beside rate',
  ],
  [
    'actions: [{ at: 1m, load: { service: web, table: day.csv } }]',
    'x.yaml:1: actions[0].load.table names day.csv, which cannot be read: no such file: day.csv',
  ],
  [
    'actions: [{ at: 1m, taint: { node: node-0, key: a, effect: NoExcute } }]',
    'x.yaml:1: actions[0].taint.effect must be one of NoSchedule, PreferNoSchedule, NoExecute, got "NoExcute"',
  ],
  ['expectations: [{ pods: {} }]', 'x.yaml:1: expectations[0] must have one of by, at, always, never'],
  [
    'expectations: [{ by: 1m }]',
    'x.yaml:1: expectations[0] must have one of pods, nodes, objects, complete, events, processes, mounts, splitBrains, unconfirmedDeletions, brokenBudgets',
  ],
  [
    'expectations: [{ by: 1m, pods: { redy: true } }]',
    'x.yaml:1: expectations[0].pods.redy is not known here; known are namespace, name, selector, node, phase, ready, terminating, where; did you mean ready?',
  ],
  [
    'expectations: [{ by: 1m, pods: {}, nodes: {} }]',
    'x.yaml:1: expectations[0].nodes cannot stand beside pods: a condition counts one thing',
  ],
  [
    'expectations: [{ by: 1m, pods: {}, count: 1, atLeast: 3 }]',
    'x.yaml:1: expectations[0].atLeast cannot stand beside count',
  ],
  [
    'expectations: [{ by: 1m, complete: pod/x }]',
    'x.yaml:1: expectations[0].complete must name one of Deployment, StatefulSet, DaemonSet, ReplicaSet, ReplicationController, Job, got Pod',
  ],
  ['expectations: [{ always: { pods: {} }, by: 1m }]', 'x.yaml:1: expectations[0].always cannot stand beside by'],
  ['expectations: [{ by: 1m, from: 2m, pods: {} }]', 'x.yaml:1: expectations[0].from must be before by'],
  [
    'expectations: [{ by: 1m, nodes: { status: "True" } }]',
    'x.yaml:1: expectations[0].nodes.status needs condition beside it',
  ],
  [
    'expectations: [{ never: { splitBrains: { pods: x } } }]',
    'x.yaml:1: expectations[0].never.splitBrains.pods is not known here; known are pod; did you mean pod?',
  ],
  ['', 'x.yaml: must be one document, got 0'],
  ['- 1', 'x.yaml:1: must be a mapping, got a list'],
  ['actions: 3', 'x.yaml:1: actions must be a list that is not empty, got 3'],
];

const names = (objects: readonly Draft[]): unknown[] => objects.map(({ metadata }) => metadata?.name);

const endOf = (text: string): number => parseScenario(text, 'x.yaml', () => '').endMs;

const optionsOf = (text: string): unknown => {
  const [step] = parseScenario(`actions: [{ at: 1m, delete: ${text} }]`, 'x.yaml', () => '').actions.map(
    (action) => action.step,
  );
  return step?.verb === 'delete' ? step.options : undefined;
};

test('a scenario that cannot be played is refused with the line, the path, what it got and what is allowed', async (t) => {
  for (const [text, message] of REFUSALS) t.is(await refusal(t, text), message);
});

test('workloads and applied objects stand inline or in files, mixed at will', (t) => {
  const file =
    'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n---\napiVersion: v1\nkind: Pod\nmetadata: { name: b }';
  const { workloads, actions } = parseScenario(
    `
workloads: [pods.yaml, { apiVersion: v1, kind: Pod, metadata: { name: c } }]
actions: [{ at: 1m, apply: pods.yaml }]
`,
    'x.yaml',
    (path) => (path === 'pods.yaml' ? file : ''),
  );
  t.deepEqual(names(workloads), ['a', 'b', 'c']);
  const [step] = actions.map((action) => action.step);
  t.deepEqual(step?.verb === 'apply' ? names(step.objects) : undefined, ['a', 'b']);
});

test('a scenario lasts until the latest of all times that it names', (t) => {
  t.is(endOf('title: nothing'), 0);
  t.is(endOf('actions: [{ at: 1m, cordon: node-0 }]'), 60_000);
  t.is(endOf('actions: [{ at: 1m, powerOff: { node: node-0 }, for: 2m }]'), 180_000);
  t.is(endOf('expectations: [{ by: 10s, pods: {} }, { never: { pods: {} }, until: 20s }]'), 20_000);
  t.is(endOf('until: 1h\nexpectations: [{ at: 10s, pods: {} }]'), 3_600_000);
});

test('a deletion with no time at all means a second, as with kubectl, unless it is forced', (t) => {
  t.deepEqual(optionsOf('pod/x'), {});
  t.deepEqual(optionsOf('{ object: pod/x, gracePeriodSeconds: 0 }'), { gracePeriodSeconds: 1 });
  t.deepEqual(optionsOf('{ object: pod/x, gracePeriodSeconds: 0, force: true }'), {
    force: true,
    gracePeriodSeconds: 0,
  });
  t.deepEqual(optionsOf('{ object: pod/x, propagationPolicy: Orphan }'), { propagationPolicy: 'Orphan' });
});
