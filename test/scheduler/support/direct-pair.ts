/** Clusters of odd nodes, and pods that are all different, decided fast and by the plain forms. */
import type { core, Node, Pod } from '../../../src/api/objects/objects.js';
import type { RandomStream } from '../../../src/kernel/random.js';
import { PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import { DEFAULT_PLUGINS, type PluginSpec } from '../../../src/scheduler/plugins/registry.js';
import { Algorithm } from './algorithm.js';
import { testNode, testPod } from './objects.js';

/** The same cluster twice: decided fast, and by the plain forms. */
export class Pair {
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

const HARD: core.Taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };
const IMAGES: core.ContainerImage[] = [{ names: ['app:latest'], sizeBytes: 600 * 1024 * 1024 }];

function pick<T>(random: RandomStream, choices: readonly T[]): T {
  return choices[random.int(0, choices.length - 1)] as T;
}

/** Nodes with sizes at which scores come out whole, of odd sizes, of none, and beyond what parts can tell. */
export function someNode(random: RandomStream, name: string, taint = HARD): Node {
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
export function somePod(random: RandomStream, name: string): Pod {
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

export function change(random: RandomStream, pair: Pair, names: string[], step: number): void {
  const name = pick(random, names);
  if (random.int(0, 3) > 0) pair.set(someNode(random, name));
  else {
    const added = `added-${step}`;
    pair.remove(name);
    names[names.indexOf(name)] = added;
    pair.set(someNode(random, added));
  }
}
