/**
 * How far the pods of a namespace have come, counted as their watch events arrive. Which labels will be
 * asked for is known from the steps of the workload beforehand, so that a barrier never looks at a pod.
 */
import type { Pod } from '../../src/index.js';
import type { PerfOperation, RequiredLabels } from '../../src/workload/scheduler-perf/operations.js';
import { matchesLabels } from '../required-labels.js';

/** Pods of one namespace with some labels. */
export interface PodCounter {
  /** Pods that are there. */
  present: number;
  /** Of these, on a node. */
  scheduled: number;
  /** Of these, on a node or refused at least once, gates included. */
  attempted: number;
  /** Bindings ever seen. */
  bound: number;
}

interface Entry {
  readonly counters: readonly PodCounter[];
  isAttempted: boolean;
  isScheduled: boolean;
}

interface Selection {
  readonly labels: RequiredLabels;
  readonly byNamespace: Map<string, PodCounter>;
}

const NO_LABELS: RequiredLabels = {};

/** See the file header. */
export class PodCounters {
  /** By the labels as text. */
  readonly #selections = new Map<string, Selection>();
  readonly #entries = new Map<string, Entry>();
  #last: { namespace: string; labels: Pod['metadata']['labels']; counters: readonly PodCounter[] } | undefined;

  constructor(operations: readonly PerfOperation[]) {
    const asked = operations.flatMap((operation) => ('labelSelector' in operation ? [operation.labelSelector] : []));
    for (const labels of [NO_LABELS, ...asked])
      this.#selections.set(JSON.stringify(labels), { labels, byNamespace: new Map() });
  }

  get(namespace: string, labels: RequiredLabels): PodCounter {
    const selection = this.#selections.get(JSON.stringify(labels));
    if (selection === undefined) throw new RangeError('no step of the workload asks for these labels');
    return counterOf(selection, namespace);
  }

  /** A pod was made: it counts at once, though its watch event is still to come. */
  created(pod: Pod): void {
    if (!this.#entries.has(pod.metadata.uid)) this.#enter(pod);
  }

  /** A pod is as it is now; the counters that have seen it bound for the first time. */
  changed(pod: Pod): readonly PodCounter[] {
    const entry = this.#entries.get(pod.metadata.uid) ?? this.#enter(pod);
    const isScheduled = (pod.spec.nodeName ?? '') !== '';
    const isAttempted = isScheduled || (pod.status.conditions ?? []).some(isRefusal);
    if (isAttempted && !entry.isAttempted) {
      entry.isAttempted = true;
      for (const counter of entry.counters) counter.attempted += 1;
    }
    if (!isScheduled || entry.isScheduled) return [];
    entry.isScheduled = true;
    for (const counter of entry.counters) {
      counter.scheduled += 1;
      counter.bound += 1;
    }
    return entry.counters;
  }

  /** A pod is gone. */
  deleted(pod: Pod): void {
    const entry = this.#entries.get(pod.metadata.uid);
    if (entry === undefined) return;
    this.#entries.delete(pod.metadata.uid);
    for (const counter of entry.counters) {
      counter.present -= 1;
      if (entry.isAttempted) counter.attempted -= 1;
      if (entry.isScheduled) counter.scheduled -= 1;
    }
  }

  #enter(pod: Pod): Entry {
    const counters = this.#countersOf(pod);
    for (const counter of counters) counter.present += 1;
    const entry = { counters, isAttempted: false, isScheduled: false };
    this.#entries.set(pod.metadata.uid, entry);
    return entry;
  }

  /** Pods of one template come one after the other, and count for the same. */
  #countersOf(pod: Pod): readonly PodCounter[] {
    const { namespace = '', labels } = pod.metadata;
    const last = this.#last;
    if (last !== undefined && last.namespace === namespace && last.labels === labels) return last.counters;
    const counters: PodCounter[] = [];
    for (const selection of this.#selections.values()) {
      if (matchesLabels(pod, selection.labels)) counters.push(counterOf(selection, namespace));
    }
    this.#last = { namespace, labels, counters };
    return counters;
  }
}

function counterOf({ byNamespace }: Selection, namespace: string): PodCounter {
  let counter = byNamespace.get(namespace);
  if (counter === undefined) {
    counter = { present: 0, scheduled: 0, attempted: 0, bound: 0 };
    byNamespace.set(namespace, counter);
  }
  return counter;
}

function isRefusal({ type, status }: { readonly type: string; readonly status: string }): boolean {
  return type === 'PodScheduled' && status === 'False';
}
