import test from 'ava';
import type { Pod } from '../../../../src/api/objects/objects.js';
import { randomStream } from '../../../../src/kernel/random.js';
import type { FilterPlugin, PluginFactory, PreFilterPlugin } from '../../../../src/scheduler/framework/interface.js';
import { DEFAULT_PLUGINS, IN_TREE_PLUGINS } from '../../../../src/scheduler/plugins/registry.js';
import { Algorithm, type DecisionDetails } from '../../support/algorithm.js';
import { testNode, testPod } from '../../support/objects.js';

const SHAPES: readonly Parameters<typeof testPod>[1][] = [
  { requests: { cpu: '100m', memory: '200Mi' } },
  { requests: { cpu: '250m', memory: '64Mi' } },
  { requests: { memory: '300Mi', 'ephemeral-storage': '1Gi' } },
  { requests: { cpu: '50m' }, spec: { nodeSelector: { disk: 'ssd' } } },
  { requests: { cpu: '10m' }, ports: [{ containerPort: 80, hostPort: 80 }] },
  {},
];

/** What decides is compared whole; the names in it are those of the shape's first pod and of nodes. */
function facts({ decision, feasible, rejected, totals, best, raw, normalized }: DecisionDetails): unknown {
  if (decision.kind !== 'placed') return [decision.kind, feasible, [...rejected]];
  const { diagnosis: _, ...choice } = decision;
  return [choice, feasible, [...rejected], totals, best, raw, normalized];
}

/** Random changes of nodes between decisions about pods of a few shapes, told to both. */
class Story {
  readonly #random;
  readonly #sides: readonly Algorithm[];
  readonly #placed: Pod[] = [];
  #nodes = 0;

  constructor(seed: string, sides: readonly Algorithm[]) {
    this.#random = randomStream(seed, 'story');
    this.#sides = sides;
    for (let index = 0; index < 120; index += 1) this.#setNode(`n${this.#nodes++}`);
  }

  /** What each side decides about the next pod, after something else has happened. */
  next(index: number): readonly unknown[] {
    const event = this.#random.int(0, 30);
    if (event < 4) this.#setNode(`n${this.#random.int(0, this.#nodes - 1)}`);
    if (event === 5) this.#setNode(`n${this.#nodes++}`);
    if (event > 20 && this.#placed.length > 0) {
      const [pod] = this.#placed.splice(this.#random.int(0, this.#placed.length - 1), 1);
      for (const { cache } of this.#sides) cache.removePod(pod as Pod);
    }
    const pod = testPod(`pod-${index}`, SHAPES[this.#random.int(0, SHAPES.length - 1)]);
    const details = this.#sides.map((side) => side.decideInDetail(pod));
    const decision = details[0]?.decision;
    if (decision?.kind === 'placed') {
      this.#placed.push(pod);
      for (const side of this.#sides) side.place(pod, decision.nodeName);
    }
    return [...details.map(facts), ...this.#sides.map(({ start }) => start.index)];
  }

  #setNode(name: string): void {
    const node = testNode(name, {
      allocatable: { cpu: `${this.#random.int(1, 4)}`, memory: '4Gi', pods: '8', 'ephemeral-storage': '8Gi' },
      labels: { disk: this.#random.int(0, 1) === 0 ? 'ssd' : 'hdd' },
      unschedulable: this.#random.int(0, 9) === 0,
    });
    for (const side of this.#sides) side.addNodes([node]);
  }
}

test('steady shapes › decide as the plain forms do, whatever becomes of the nodes in between', (t) => {
  for (const percentageOfNodesToScore of [0, 100]) {
    const sides = [{}, { isEager: true }, { isPlain: true }].map(
      (forms) => new Algorithm({ percentageOfNodesToScore, ...forms }),
    );
    const story = new Story(`steady ${percentageOfNodesToScore}`, sides);
    for (let index = 0; index < 120; index += 1) {
      const [usual, eager, plain, ...starts] = story.next(index);
      t.deepEqual(usual, plain);
      t.deepEqual(eager, plain);
      t.is(new Set(starts).size, 1);
    }
  }
});

test('steady shapes › PreFilter is called for two pods of a shape, and for all pods of a plugin that does not say that it may be left out', (t) => {
  const calls = { steady: 0, other: 0 };
  const counting =
    (name: keyof typeof calls, answersByShape: boolean): PluginFactory =>
    (): PreFilterPlugin & FilterPlugin => ({
      name,
      filterScope: 'node',
      preFilter: () => {
        calls[name] += 1;
        return undefined;
      },
      filter: () => undefined,
      compileFilter: () => ({ filter: () => undefined, statusOf: () => ({ code: 2, reasons: [], plugin: name }) }),
      answersByShape: () => answersByShape,
    });
  for (const name of ['steady', 'other'] as const) {
    const registry = new Map([...IN_TREE_PLUGINS, [name, counting(name, name === 'steady')] as const]);
    const algorithm = new Algorithm({ registry, plugins: [{ name }, ...DEFAULT_PLUGINS] });
    algorithm.addNodes(Array.from({ length: 10 }, (_, index) => testNode(`n${index}`)));
    for (let index = 0; index < 10; index += 1) algorithm.decide(testPod(`pod-${index}`, SHAPES[0]));
  }
  t.deepEqual(calls, { steady: 2, other: 10 });
});
