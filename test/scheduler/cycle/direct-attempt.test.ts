/** Decisions by a direct walk are those of the plain forms of all plugins, node by node. */
import test from 'ava';
import type { core, Node, Pod } from '../../../src/api/objects.js';
import { randomStream, type RandomStream } from '../../../src/kernel/random.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import { DEFAULT_PLUGINS, type PluginSpec } from '../../../src/scheduler/plugins/registry.js';
import { Algorithm } from '../support/algorithm.js';
import { testNode, testPod } from '../support/objects.js';

/** The same cluster twice: decided fast, and by the plain forms. */
class Pair {
  readonly fast: Algorithm;
  readonly plain: Algorithm;
  /** Decisions that kept nothing for the pod's shape. */
  direct = 0;

  constructor(percentageOfNodesToScore: number, plugins: readonly PluginSpec[] = DEFAULT_PLUGINS) {
    this.fast = new Algorithm({ percentageOfNodesToScore, plugins });
    this.plain = new Algorithm({ percentageOfNodesToScore, plugins, isPlain: true });
  }

  set(...nodes: readonly Node[]): void {
    this.fast.addNodes(nodes);
    this.plain.addNodes(nodes);
  }

  remove(name: string): void {
    this.fast.cache.removeNode(name);
    this.plain.cache.removeNode(name);
  }

  place(pod: Pod, nodeName: string): void {
    this.fast.place(pod, nodeName);
    this.plain.place(pod, nodeName);
  }

  /** Both decide; the pod goes where they say. Returns what they said, and where the next scan begins. */
  decide(pod: Pod): readonly [fast: unknown, plain: unknown] {
    const fast = this.fast.decide(pod);
    if (!this.fast.scheduler.evaluations.has(new PodInfo(pod).shape.id)) this.direct += 1;
    const plain = this.plain.decide(pod);
    if (fast.kind === 'placed') this.place(pod, fast.nodeName);
    return [outcome(fast, this.fast), outcome(plain, this.plain)];
  }
}

function outcome(decision: ReturnType<Algorithm['decide']>, { start, scheduler }: Algorithm): unknown {
  const { count, rejectedCount } = scheduler.scan;
  const { index } = start;
  if (decision.kind !== 'placed') return { kind: decision.kind, count, rejectedCount, index };
  const { nodeName, total, ties, position, drawn } = decision;
  return { nodeName, total, ties, position, drawn, count, rejectedCount, index };
}

const SOFT: core.Taint = { key: 'old', value: 'yes', effect: 'PreferNoSchedule' };
const HARD: core.Taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };
const IMAGES: core.ContainerImage[] = [{ names: ['app:latest'], sizeBytes: 600 * 1024 * 1024 }];

function pick<T>(random: RandomStream, choices: readonly T[]): T {
  return choices[random.int(0, choices.length - 1)] as T;
}

/** Nodes with sizes at which scores come out whole, of odd sizes, of none, and beyond what parts can tell. */
function someNode(random: RandomStream, name: string, taint = HARD): Node {
  const cpu = pick(random, ['4', '4', '4', '8', '3333m', '0', '96']);
  const memory = pick(random, ['8Gi', '8Gi', '32Gi', '7777777777', '0', '3Ti']);
  return testNode(name, {
    allocatable: { cpu, memory, pods: pick(random, ['110', '110', '4', '0']) },
    zone: pick(random, ['a', 'b']),
    unschedulable: random.int(0, 9) === 0,
    ...(random.int(0, 9) === 0 ? { taints: [taint] } : {}),
    ...(random.int(0, 4) === 0 ? { images: IMAGES } : {}),
  });
}

/** Pods of which hardly any two request the same. */
function somePod(random: RandomStream, name: string): Pod {
  const cpu = pick(random, [`${random.int(1, 1900)}m`, `${25 * random.int(1, 40)}m`, '0']);
  const memory = pick(random, [`${random.int(1, 3000)}Mi`, `${random.int(1, 3_000_000_000)}`, '512Mi']);
  return testPod(name, {
    requests: pick(random, [{ cpu, memory }, { cpu, memory }, { cpu, memory }, { cpu }, { memory }, {}]),
    spec: pick<Partial<Pod['spec']>>(random, [
      {},
      {},
      { tolerations: [{ key: 'dedicated', operator: 'Exists' }] },
      { nodeSelector: { 'topology.kubernetes.io/zone': 'a' } },
    ]),
  });
}

function change(random: RandomStream, pair: Pair, names: string[], step: number): void {
  const name = pick(random, names);
  if (random.int(0, 3) > 0) pair.set(someNode(random, name));
  else {
    const added = `added-${step}`;
    pair.remove(name);
    names[names.indexOf(name)] = added;
    pair.set(someNode(random, added));
  }
}

for (const [percentage, nodeCount] of [
  [0, 160],
  [100, 130],
  [35, 400],
] as const) {
  test(`direct decisions › ${nodeCount} nodes at ${percentage} %, of all sizes and changing, are those of the plain forms`, (t) => {
    const random = randomStream(`direct/${percentage}`, 'cluster');
    const pair = new Pair(percentage);
    const names = Array.from({ length: nodeCount }, (_value, index) => `n${index}`);
    for (const name of names) pair.set(someNode(random, name));
    for (let step = 0; step < 300; step += 1) {
      if (step % 20 === 19) change(random, pair, names, step);
      const [fast, plain] = pair.decide(somePod(random, `p${step}`));
      t.deepEqual(fast, plain, `pod ${step}`);
    }
    t.true(pair.direct > 150, `${pair.direct} of 300 decisions were direct`);
  });
}

test('direct decisions › step aside where a score has to be normalised over the nodes that fit', (t) => {
  const random = randomStream('direct/soft', 'cluster');
  const pair = new Pair(100);
  for (let index = 0; index < 120; index += 1) pair.set(someNode(random, `n${index}`));
  pair.set(testNode('n7', { taints: [SOFT] }));
  for (let step = 0; step < 60; step += 1) {
    const [fast, plain] = pair.decide(somePod(random, `p${step}`));
    t.deepEqual(fast, plain, `pod ${step}`);
  }
  t.is(pair.direct, 0);
});

test('direct decisions › nodes that are all alike are ties, and the draw among them is that of the plain forms', (t) => {
  const pair = new Pair(100);
  for (let index = 0; index < 150; index += 1) pair.set(testNode(`n${index}`));
  for (let step = 0; step < 80; step += 1) {
    const [fast, plain] = pair.decide(testPod(`p${step}`, { requests: { cpu: `${100 + step}m`, memory: '200Mi' } }));
    t.deepEqual(fast, plain);
  }
  t.true(pair.direct >= 78, `${pair.direct} of 80 decisions were direct`);
});

test('direct decisions › weights of plugins and of resources count', (t) => {
  const plugins = DEFAULT_PLUGINS.map((spec): PluginSpec => {
    if (spec.name === 'NodeResourcesBalancedAllocation') return { ...spec, weight: 7 };
    if (spec.name !== 'NodeResourcesFit') return spec;
    const resources = [
      { name: 'cpu', weight: 5 },
      { name: 'memory', weight: 2 },
    ];
    return { ...spec, weight: 3, args: { scoringStrategy: { type: 'LeastAllocated', resources } } };
  });
  const random = randomStream('direct/weights', 'cluster');
  const pair = new Pair(100, plugins);
  for (let index = 0; index < 120; index += 1) pair.set(someNode(random, `n${index}`));
  for (let step = 0; step < 150; step += 1) {
    const [fast, plain] = pair.decide(somePod(random, `p${step}`));
    t.deepEqual(fast, plain, `pod ${step}`);
  }
  t.true(pair.direct > 100, `${pair.direct} of 150 decisions were direct`);
});

test('direct decisions › who asks afterwards is told every verdict and every score of every node', (t) => {
  const random = randomStream('direct/details', 'cluster');
  const pair = new Pair(0);
  for (let index = 0; index < 200; index += 1) pair.set(someNode(random, `n${index}`));
  for (let step = 0; step < 40; step += 1) {
    const pod = somePod(random, `p${step}`);
    const fast = pair.fast.decideInDetail(pod);
    const plain = pair.plain.decideInDetail(pod);
    t.deepEqual(
      [fast.feasible, [...fast.rejected], fast.raw, fast.normalized, fast.totals, fast.best],
      [plain.feasible, [...plain.rejected], plain.raw, plain.normalized, plain.totals, plain.best],
    );
    if (fast.decision.kind === 'placed') pair.place(pod, fast.decision.nodeName);
  }
});

test('direct decisions › more pods on a node than it has room for leave it out, and do not upset its score', (t) => {
  const pair = new Pair(100);
  for (let index = 0; index < 110; index += 1) pair.set(testNode(`n${index}`));
  for (let index = 0; index < 20; index += 1)
    pair.place(testPod(`big${index}`, { requests: { cpu: '6', memory: `${index}Gi` } }), `n${index}`);
  for (let step = 0; step < 60; step += 1) {
    const requests = step % 2 === 0 ? { memory: `${64 + step}Mi` } : { cpu: `${64 + step}m` };
    const [fast, plain] = pair.decide(testPod(`p${step}`, { requests }));
    t.deepEqual(fast, plain, `pod ${step}`);
  }
  t.true(pair.direct >= 58, `${pair.direct} of 60 decisions were direct`);
});
