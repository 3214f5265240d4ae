/**
 * What was found out about single nodes for pods of one shape and priority, kept from attempt to attempt:
 * it holds until the node changes, or which pods are nominated to it. Only for pods whose filters
 * look at nothing but the node; see {@link judgesByNodeAlone}.
 */
import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework } from '../../framework/framework.js';
import type { Snapshot } from '../../framework/interface.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { RecentlyUsed } from './recently-used.js';
import { KINDS_KEPT } from './tuning.js';

/**
 * Whether all filters that have something to say about the pod depend on its shape and on the single
 * node, with the pods on it, and on nothing else.
 */
export function judgesByNodeAlone(framework: Framework, state: CycleState, { pod }: PodInfo): boolean {
  const { areNodeScoped, countsPods } = framework.activeFilters(state);
  return areNodeScoped && !countsPods && (pod.spec.nodeName ?? '') === '';
}

/** Distinguishes pods whose results on a node may differ, if {@link judgesByNodeAlone} holds for them. */
export function kindOf({ shape, priority }: PodInfo): string {
  return `${shape.id}/${priority}`;
}

/** See the file header. */
export class KeptResults<T> {
  readonly #snapshot: Snapshot;
  /** By {@link kindOf}. */
  readonly #kinds = new RecentlyUsed<string, KindResults<T>>(() => KINDS_KEPT);
  #nodeCount = -1;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** The results for pods like this one. */
  of(pod: PodInfo): KindResults<T> {
    const { nodeCount } = this.#snapshot.columns;
    // Filters may depend on the number of nodes as well.
    if (this.#nodeCount !== nodeCount) {
      this.#nodeCount = nodeCount;
      this.#kinds.clear();
    }
    const key = kindOf(pod);
    let kind = this.#kinds.get(key);
    if (kind === undefined) {
      kind = new KindResults<T>(this.#snapshot);
      this.#kinds.set(key, kind);
    }
    return kind;
  }
}

interface Entry<T> {
  version: number;
  nominated: readonly PodInfo[];
  value: T;
}

/** The results for one kind of pod. */
export class KindResults<T> {
  readonly #snapshot: Snapshot;
  /** By slot. */
  readonly #entries: (Entry<T> | undefined)[] = [];

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** @param nominated - the pods nominated to the node, as the nominator gives them */
  get(node: NodeInfo, nominated: readonly PodInfo[]): T | undefined {
    const { slot } = node;
    const entry = this.#entries[slot];
    if (
      entry === undefined ||
      entry.version !== this.#snapshot.columns.arrays.version[slot] ||
      (entry.nominated !== nominated && (entry.nominated.length > 0 || nominated.length > 0))
    ) {
      return undefined;
    }
    return entry.value;
  }

  set(node: NodeInfo, nominated: readonly PodInfo[], value: T): void {
    const { slot } = node;
    const version = this.#snapshot.columns.arrays.version[slot] as number;
    this.#entries[slot] = { version, nominated, value };
  }
}
