import type { Selector } from '../../../api/selectors/labels.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { NodeLog } from './node-log.js';

/** Shapes of which it is remembered whether they match; a power of two. */
const MEMO_SIZE = 1024;

/** Called with the changes of the counts. */
export interface CountListener {
  /** Everything may have changed. */
  recount(counts: Int32Array): void;
  /** The node in a slot has other labels or taints, or is another one; it has `pods` matching pods. */
  place(slot: number, pods: number): void;
  changePods(slot: number, difference: number): void;
}

/**
 * How many pods of a namespace that a selector matches stand on each node. Pods that are being deleted
 * do not count, and an empty selector counts nothing. Upstream: `countPodsMatchSelector` of
 * kube-scheduler v1.34.
 */
export class PodCounter {
  /** Matching pods by slot, as of the last refresh. */
  readonly counts: Int32Array;
  readonly listeners = new Set<CountListener>();
  readonly #namespace: string;
  readonly #selector: Selector;
  readonly #log: NodeLog;
  #position: number;
  /** `2 · shape id + (1 if it matches)` at a place that several shapes share. */
  readonly #memo = new Int32Array(MEMO_SIZE);

  constructor(namespace: string, selector: Selector, log: NodeLog) {
    this.#namespace = namespace;
    this.#selector = selector;
    this.#log = log;
    this.counts = new Int32Array(log.columns.capacity);
    this.#position = log.end;
    this.#countAll();
  }

  /** Catches up with the log. */
  refresh(): void {
    const log = this.#log;
    const { end, begin } = log;
    let position = this.#position;
    this.#position = end;
    if (position < begin) {
      this.#countAll();
      for (const listener of this.listeners) listener.recount(this.counts);
      return;
    }
    for (; position < end; position += 1) {
      const slot = log.slotAt(position);
      const pod = log.podAt(position);
      if (pod === undefined) {
        const count = this.counts[slot] as number;
        for (const listener of this.listeners) listener.place(slot, count);
      } else if (this.#counts(pod)) {
        const sign = log.signAt(position);
        this.counts[slot] = (this.counts[slot] as number) + sign;
        for (const listener of this.listeners) listener.changePods(slot, sign);
      }
    }
  }

  /** Pods on a node, counted now. */
  countOn({ pods }: NodeInfo): number {
    return this.#countIn(pods);
  }

  #countIn(pods: readonly PodInfo[]): number {
    let count = 0;
    for (let index = 0; index < pods.length; index += 1) if (this.#counts(pods[index] as PodInfo)) count += 1;
    return count;
  }

  #countAll(): void {
    this.counts.fill(0);
    for (const [shape, slots] of this.#log.tallyOf(this.#namespace)) {
      if (!this.#matches(shape)) continue;
      for (const [slot, count] of slots) this.counts[slot] = (this.counts[slot] as number) + count;
    }
  }

  #counts({ pod, shape }: PodInfo): boolean {
    return this.#matches(shape) && pod.metadata.deletionTimestamp === undefined;
  }

  #matches(shape: PodInfo['shape']): boolean {
    const { id } = shape;
    const place = id & (MEMO_SIZE - 1);
    const known = this.#memo[place] as number;
    if (known >>> 1 === id) return (known & 1) === 1;
    const selector = this.#selector;
    const isMatch = !selector.isEmpty && shape.namespace === this.#namespace && selector.matches(shape.labels);
    this.#memo[place] = id * 2 + (isMatch ? 1 : 0);
    return isMatch;
  }
}
