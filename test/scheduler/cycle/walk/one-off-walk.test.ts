/** Decisions by a direct walk are those of the plain forms of all plugins, node by node. */
import test from 'ava';
import type { core, Pod } from '../../../../src/api/objects/objects.js';
import { randomStream } from '../../../../src/kernel/random.js';
import { DEFAULT_PLUGINS, type PluginSpec } from '../../../../src/scheduler/plugins/registry.js';
import { change, Pair, someNode, somePod } from '../../support/direct-pair.js';
import { testNode, testPod } from '../../support/objects.js';

const SOFT: core.Taint = { key: 'old', value: 'yes', effect: 'PreferNoSchedule' };

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
  pair.set(testNode('n7', { taints: [SOFT], zone: 'a' }));
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

test('direct decisions › over nodes of few sizes, where many are alike and nothing but room matters', (t) => {
  const random = randomStream('direct/classes', 'cluster');
  const pair = new Pair(100);
  for (let index = 0; index < 240; index += 1) {
    const size = random.int(1, 3);
    pair.set(testNode(`n${index}`, { allocatable: { cpu: `${size}`, memory: `${2 * size}Gi`, pods: `${2 * size}` } }));
  }
  const there: Pod[] = [];
  for (let step = 0; step < 500; step += 1) {
    if (step % 3 === 2) {
      const [pod] = there.splice(random.int(0, there.length - 1), 1);
      pair.fast.cache.removePod(pod as Pod);
      pair.plain.cache.removePod(pod as Pod);
    }
    const requests = { cpu: `${random.int(1, 1500)}m`, memory: `${random.int(1, 3000)}Mi` };
    const pod = testPod(`p${step}`, { requests });
    const [fast, plain] = pair.decide(pod);
    t.deepEqual(fast, plain, `pod ${step}`);
    const { nodeName } = fast as { nodeName?: string };
    if (nodeName !== undefined) there.push({ ...pod, spec: { ...pod.spec, nodeName } });
  }
  t.true(pair.direct > 400, `${pair.direct} of 500 decisions were direct`);
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
