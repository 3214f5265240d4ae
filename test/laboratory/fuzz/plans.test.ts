import test from 'ava';
import { drawPlan } from '../../../src/laboratory/fuzz/draw-plan.js';
import {
  FAULT_VERBS,
  foundText,
  parseBase,
  parseBounds,
  parseFound,
  playPlan,
  ScenarioError,
  search,
  type PlanDocument,
  type PlanOutcome,
} from '../../../src/index.js';

const SCENARIO = `
cluster: { nodes: [{ count: 2, namePrefix: small- }, { count: 1, namePrefix: large-, capacity: { cpu: '64', memory: 256Gi, pods: '110' } }] }
scripts:
  - selector: { matchLabels: { app: mine } }
    script: { shutdown: { delay: 3s } }
workloads:
  - mine.yaml
  - apiVersion: v1
    kind: Service
    metadata: { name: mine }
    spec: { selector: { app: mine }, ports: [{ port: 80 }] }
actions:
  - at: 90s
    scale: { object: statefulset/mine, replicas: 3 }
  - at: 2m
    apply: more.yaml
`;
const FILES: Readonly<Record<string, string>> = {
  'mine.yaml': `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: mine }
spec:
  replicas: 2
  selector: { matchLabels: { app: mine } }
  template: { metadata: { labels: { app: mine } }, spec: { containers: [{ name: app, image: mine:1 }] } }
`,
  'more.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: { name: more }
`,
};
const readFile = (path: string): string => FILES[path] ?? '';

/** As if something had gone wrong. */
function violated(outcome: PlanOutcome): PlanOutcome {
  const violation = { invariant: 'i', promise: 'p', atMs: 1, seed: '5', object: 'o', text: 't', asked: undefined };
  return { ...outcome, violations: [violation] };
}

const verbsOf = ({ actions }: PlanDocument): readonly string[] =>
  actions.flatMap((action) => FAULT_VERBS.filter((verb) => verb in action));

test('plans › every kind of fault is drawn, or those that the bounds name', (t) => {
  const seeds = Array.from({ length: 100 }, (_, seed) => String(seed));
  const drawn = new Set(seeds.flatMap((seed) => verbsOf(drawPlan(seed))));
  const unusual: readonly string[] = ['partition', 'breakAttachment', 'failPool'];
  t.deepEqual([...drawn].sort(), FAULT_VERBS.filter((verb) => !unusual.includes(verb)).sort());
  const named = parseBounds('kinds: [partition, breakAttachment, failPool]', 'b.yaml');
  t.deepEqual(
    [...new Set(seeds.flatMap((seed) => verbsOf(drawPlan(seed, { bounds: named }))))].sort(),
    unusual.toSorted(),
  );
  const bounds = parseBounds('kinds: [skewClock, cut, cut]\nskewSeconds: [-5, -5]\nlastSeconds: [7, 7]', 'b.yaml');
  const faults = seeds.flatMap((seed) =>
    drawPlan(seed, { bounds }).actions.filter((action) => 'for' in action && !('edit' in action)),
  );
  t.deepEqual([...new Set(faults.flatMap((fault) => ['skewClock', 'cut'].filter((verb) => verb in fault)))].sort(), [
    'cut',
    'skewClock',
  ]);
  t.true(faults.every((fault) => fault['for'] === '7s'));
  const skews = faults.flatMap((fault) => ('skewClock' in fault ? [fault['skewClock']] : []));
  t.true(skews.length > 0 && skews.every((skew) => (skew as { readonly by: string }).by === '-5s'));
});

for (const kind of ['partition', 'breakAttachment', 'failPool'] as const) {
  test(`plans › ${kind} meets work in at least a third of its draws`, async (t) => {
    const { faults, discoveries } = await search({ seeds: 4, bounds: { kinds: [kind], reference: 0 } });
    const { injected = 0, tookEffect = 0 } = faults.get(kind) ?? {};
    t.deepEqual(discoveries, []);
    t.true(injected > 5 && 3 * tookEffect >= injected, `${tookEffect} of ${injected}`);
  });
}

/** Of 200 plans. */
function compared(reference: number): number {
  const plans = Array.from({ length: 200 }, (_, seed) => drawPlan(String(seed), { bounds: { reference } }));
  return plans.filter((plan) => plan.reference === true).length;
}

test('plans › one in so many is compared with its run without faults', (t) => {
  t.deepEqual([compared(0), compared(1)], [0, 200]);
  t.true(compared(4) > 20 && compared(4) < 90);
});

test('plans › in a file of what was found they are what they were', async (t) => {
  const base = await parseBase(SCENARIO, 'mine/scenario.yaml', readFile);
  const plan = drawPlan('5', { base, bounds: { reference: 1, faults: [3, 3] } });
  const outcome = await playPlan({ ...plan, actions: [] });
  const text = foundText({ seed: 5, plan, outcome, shrunk: plan, shrunkOutcome: violated(outcome) }, '1.2.3');
  t.deepEqual(parseFound(text, 'found.yaml').plan, plan);
});

test('plans › bounds that cannot be are refused with the path of the field', (t) => {
  const refusals: readonly (readonly [text: string, message: string])[] = [
    ['nodes: [0, 3]', 'b.yaml:1: nodes must be two integers in 1..1000, the lesser first, got a list'],
    ['shares: [0.5, 2]', 'b.yaml:1: shares must be two numbers in 0..1, the lesser first, got a list'],
    [
      'skewSeconds: [5, -5]',
      'b.yaml:1: skewSeconds must be two integers in -1000000..1000000, the lesser first, got a list',
    ],
    ['reference: -1', 'b.yaml:1: reference must be an integer >= 0, got -1'],
    [
      'kinds: [cut, skewclock]',
      `b.yaml:1: kinds[1] must be one of ${FAULT_VERBS.join(', ')}, got "skewclock"; did you mean skewClock?`,
    ],
    ['kinds: []', `b.yaml:1: kinds must name at least one of ${FAULT_VERBS.join(', ')}`],
  ];
  for (const [text, message] of refusals) {
    t.throws(() => parseBounds(text, 'b.yaml'), { instanceOf: ScenarioError, message });
  }
});

test('base › cluster, scripts, workloads and actions of a scenario take the place of drawn ones', async (t) => {
  const base = await parseBase(SCENARIO, 'mine/scenario.yaml', readFile);
  t.deepEqual(base.nodes, ['small-0', 'small-1', 'large-0']);
  const plan = drawPlan('5', { base, bounds: { faults: [30, 30], changes: [30, 30] } });
  t.deepEqual(
    plan.workloads.map((object) => object['kind']),
    ['StatefulSet', 'Service'],
  );
  t.deepEqual(plan.actions[0], { at: '90s', scale: { object: 'statefulset/mine', replicas: 3 } });
  const text = JSON.stringify(plan.actions);
  t.true(text.includes('"node":"large-0"') && text.includes('"object":"statefulset/mine"'));
  t.false(text.includes('node-0') || text.includes('deployment/web'));
  const { violations, podsCreated } = await playPlan(plan);
  t.deepEqual(violations, []);
  t.true(podsCreated >= 2);
});

test('base › what is wrong in the scenario is found before anything is played', async (t) => {
  const refusals: readonly (readonly [text: string, message: string])[] = [
    ['cluster: { nodes: [{ count: -1 }] }', 's.yaml:1: cluster.nodes[0].count must be an integer in 0..100000, got -1'],
    [
      'cluster: { nodes: 2 }\nactions: [{ at: 1m, cut: { node: node-7 } }]',
      's.yaml:2: actions[0].cut.node must be a node of the cluster (node-0, node-1), got "node-7"; did you mean node-0?',
    ],
    [
      'cluster: { nodes: 2 }\nfaults: []',
      's.yaml:2: faults is not known here; known are title, cluster, scripts, workloads, actions, expectations, thresholds, until',
    ],
  ];
  for (const [text, message] of refusals) {
    await t.throwsAsync(parseBase(text, 's.yaml', readFile), { instanceOf: ScenarioError, message });
  }
});
