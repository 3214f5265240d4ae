import type { Kind, KubeObject, Pod } from '../../api/objects/objects.js';
import type { PodDisruptionBudget } from '../../api/objects/workload-objects.js';

/**
 * The orders that upstream leaves to Go's maps, where they decide what happens: which of equal pods goes first, which
 * node of a daemon set is seen to first, which kind a namespace is emptied of first, which of several budgets hears of
 * a pod. Without one, what came first is first. Those of two are comparisons: negative = left first, 0 = as they came.
 * Two are orders of goroutines: what comes first of a write's answer and a watch that tells of it, and of the pods that
 * a set makes at the same time.
 */
export interface MapOrder {
  /** Pods of one owner that nothing else tells apart. */
  pods(left: Pod, right: Pod): number;
  /** Nodes with a daemon set's pods there, as its sync walks them. */
  nodes(owner: KubeObject, left: NodeOfPods, right: NodeOfPods): number;
  /** Kinds of what a namespace holds. */
  kinds(namespace: string, left: Kind, right: Kind): number;
  /** The budget that comes first of several that select a pod; asked at each change of the pod. `undefined` = as they came. */
  budget(pod: Pod, matching: readonly PodDisruptionBudget[]): PodDisruptionBudget | undefined;
  /** Ordinals of a stateful set whose pods are made at the same time. */
  ordinals(owner: KubeObject, left: number, right: number): number;
  /** Whether a watch tells of the slices of a service, by its key, before their writes are answered. */
  slicesToldFirst(service: string): boolean;
}

/** A node, by name, and the pods that its daemon set has there. */
export interface NodeOfPods {
  readonly name: string;
  readonly pods: readonly Pod[];
}

/** The items in the order of a map; as they are without one. */
export function inMapOrder<T>(items: Iterable<T>, compare: ((left: T, right: T) => number) | undefined): Iterable<T> {
  return compare === undefined ? items : [...items].sort(compare);
}
