/** Groups that are alike, and how a scale-up is spread over them. Mirrors cluster-autoscaler v1.34 `processors/nodegroupset`. */
import type { ResourceList, StringMap } from '../../api/objects/objects.js';
import { parseQuantity } from '../../api/values/quantity.js';
import type { NodeGroup, Placement } from './autoscaler-seams.js';
import { amountsOf } from './node-capacity.js';
import type { TemplateNode } from './template-nodes.js';

/** Shares by which memory, and what pods may use, may differ. */
const MEMORY_RATIO = 0.015;
const ALLOCATABLE_RATIO = 0.05;
const FREE_RATIO = 0.05;
const IGNORED_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'beta.kubernetes.io/fluentd-ds-ready',
  'kops.k8s.io/instancegroup',
  // Each of our pools has a value of its own, as each cloud's groups have.
  'kubeloom.dev/pool',
]);

/** A group that is to grow. */
export interface Growth {
  readonly group: NodeGroup;
  readonly from: number;
  readonly to: number;
}

/** Whether nodes of two groups are near enough to stand for each other. */
export function areSimilarNodes(one: TemplateNode, other: TemplateNode, placement: Placement): boolean {
  const [first, second] = [one.node, other.node];
  const capacities = [first.status.capacity ?? {}, second.status.capacity ?? {}] as const;
  if (!isWithin(...capacities, (name) => (name === 'memory' ? MEMORY_RATIO : 0))) return false;
  const allocatables = [first.status.allocatable ?? {}, second.status.allocatable ?? {}] as const;
  if (!isWithin(...allocatables, () => ALLOCATABLE_RATIO)) return false;
  const [free, otherFree] = [freeOf(one, placement), freeOf(other, placement)];
  if (!isNear(free.cpuMillis, otherFree.cpuMillis, FREE_RATIO)) return false;
  if (!isNear(free.memoryBytes, otherFree.memoryBytes, FREE_RATIO)) return false;
  return haveSameLabels(first.metadata.labels ?? {}, second.metadata.labels ?? {});
}

/** So many nodes, one by one to the smallest group that may still grow. */
export function balance(groups: readonly NodeGroup[], nodes: number): readonly Growth[] {
  const sizes = groups
    .filter(({ targetSize, maxSize }) => targetSize < maxSize)
    .map((group) => ({ group, from: group.targetSize, to: group.targetSize }));
  for (let left = nodes; left > 0; left -= 1) {
    const open = sizes.filter(({ group, to }) => to < group.maxSize);
    const [first] = open;
    if (first === undefined) break;
    open.reduce((smallest, size) => (size.to < smallest.to ? size : smallest), first).to += 1;
  }
  return sizes.filter(({ from, to }) => from !== to);
}

function freeOf({ node, pods }: TemplateNode, placement: Placement): { cpuMillis: number; memoryBytes: number } {
  const free = { ...amountsOf(node.status.allocatable ?? {}) };
  for (const pod of pods) {
    const asked = placement.requestsOf(pod);
    free.cpuMillis -= asked.cpuMillis;
    free.memoryBytes -= asked.memoryBytes;
  }
  return free;
}

function isWithin(one: ResourceList, other: ResourceList, ratioOf: (name: string) => number): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => {
    const [first, second] = [one[name], other[name]];
    return first !== undefined && second !== undefined && isNear(amount(first), amount(second), ratioOf(name));
  });
}

function amount(text: string): number {
  return Number(parseQuantity(text).nanos);
}

function isNear(one: number, other: number, ratio: number): boolean {
  return Math.abs(one - other) <= Math.max(one, other) * ratio;
}

function haveSameLabels(one: StringMap, other: StringMap): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => IGNORED_LABELS.has(name) || one[name] === other[name]);
}
