/**
 * Counts that conditions are about. Each follows what it counts event by event, so that thousands of objects
 * cost no more than those of them that change.
 */
import { merge, type Subscription } from 'rxjs';
import { getCondition } from '../../api/objects/conditions.js';
import { keyOf, type AnyObject, type EventRecord, type Kind } from '../../api/objects/objects.js';
import type { Selection } from '../../apiserver/store/server-types.js';
import type { Cluster } from '../../cluster/cluster.js';
import { isWorkloadComplete } from '../scene/workload-state.js';
import type { EventSelection, NodeChoice, ObjectSelection, Subject } from './scenario.js';

/** A number that changes while a scenario is played. */
export interface Count {
  readonly value: number;
  /** Counts anew: what the condition refers to may mean something else now. */
  refresh(): void;
  close(): void;
}

/** What counts are made from. */
export interface CountMeans {
  readonly cluster: Cluster;
  /** Budgets that were broken so far, as `namespace/name`. */
  readonly brokenBudgets: readonly string[];
  /** The node that is meant; `undefined` while that is open. */
  readonly nodeName: (choice: NodeChoice) => string | undefined;
}

type SubjectOf<Name extends Subject['of']> = Extract<Subject, { readonly of: Name }>;

/** @param onChange - told whenever the count may have changed */
export function openCount(means: CountMeans, subject: Subject, onChange: () => void): Count {
  const { cluster } = means;
  if (subject.of === 'objects') return new ObjectCount(means, subject.selection, onChange);
  if (subject.of === 'events') return new EventCount(cluster, subject.selection, onChange);
  if (subject.of === 'processes') return new TruthCount(cluster, () => processCount(means, subject), onChange);
  if (subject.of === 'mounts') return new TruthCount(cluster, () => mountCount(means, subject), onChange);
  if (subject.of === 'brokenBudgets') {
    const { budget } = subject;
    return readWhenAsked(() => means.brokenBudgets.filter((each) => budget === undefined || each === budget).length);
  }
  return new ViolationCount(cluster, subject, onChange);
}

class ObjectCount implements Count {
  readonly #means: CountMeans;
  readonly #selection: ObjectSelection;
  readonly #matching = new Set<string>();
  readonly #subscription: Subscription;

  constructor(means: CountMeans, selection: ObjectSelection, onChange: () => void) {
    this.#means = means;
    this.#selection = selection;
    this.#subscription = means.cluster.watch(selection.kind, selectionOf(selection)).subscribe((event) => {
      if (event.type !== 'DELETED' && this.#matches(event.object)) this.#matching.add(keyOf(event.object));
      else this.#matching.delete(keyOf(event.object));
      onChange();
    });
  }

  get value(): number {
    return this.#matching.size;
  }

  refresh(): void {
    const { kind } = this.#selection;
    this.#matching.clear();
    for (const object of this.#means.cluster.list<Kind>(kind, selectionOf(this.#selection))) {
      if (this.#matches(object)) this.#matching.add(keyOf(object));
    }
  }

  close(): void {
    this.#subscription.unsubscribe();
  }

  #matches(object: AnyObject): boolean {
    const { kind, name, node, where, condition, taint, isTerminating, isComplete } = this.#selection;
    const { metadata } = object;
    if (name !== undefined && metadata.name !== (typeof name === 'string' ? name : this.#means.nodeName(name)))
      return false;
    if (isTerminating !== undefined && isTerminating !== (metadata.deletionTimestamp !== undefined)) return false;
    if (node !== undefined && fieldOf(object, ['spec', 'nodeName']) !== this.#means.nodeName(node)) return false;
    if (condition !== undefined && !hasCondition(object, condition)) return false;
    if (taint !== undefined && !taintsOf(object).some(({ key }) => key === taint)) return false;
    if (isComplete && !isWorkloadComplete(kind, object)) return false;
    return where.every(([path, wanted]) => isSame(fieldOf(object, path), wanted));
  }
}

function selectionOf({ namespace, labelSelector }: ObjectSelection): Selection {
  return { namespace, labelSelector };
}

function fieldOf(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** Nothing, zero-length text and false of a field that is left out when it is empty count as `null`. */
function isSame(value: unknown, wanted: unknown): boolean {
  if (wanted === null) return value === undefined || value === null || value === false || value === '';
  return typeof wanted === 'object' ? JSON.stringify(value) === JSON.stringify(wanted) : value === wanted;
}

function hasCondition(
  object: AnyObject,
  { type, status }: { readonly type: string; readonly status: string },
): boolean {
  const conditions = fieldOf(object, ['status', 'conditions']) as
    | readonly { type: string; status: string }[]
    | undefined;
  const found = getCondition(conditions, type)?.status;
  return status === 'not True' ? found !== 'True' : found === status;
}

function taintsOf(object: AnyObject): readonly { readonly key: string }[] {
  return (fieldOf(object, ['spec', 'taints']) as readonly { readonly key: string }[] | undefined) ?? [];
}

/** Occurrences, however many Event objects they share. */
class EventCount implements Count {
  readonly #selection: EventSelection;
  readonly #occurrences = new Map<string, number>();
  readonly #subscription: Subscription;

  constructor(cluster: Cluster, selection: EventSelection, onChange: () => void) {
    this.#selection = selection;
    this.#subscription = cluster.events$.subscribe(({ event }) => {
      if (!this.#matches(event)) return;
      this.#occurrences.set(event.metadata.uid, Math.max(event.count ?? 1, event.series?.count ?? 1));
      onChange();
    });
  }

  get value(): number {
    let sum = 0;
    for (const count of this.#occurrences.values()) sum += count;
    return sum;
  }

  refresh(): void {
    /* what has been told stays told */
  }

  close(): void {
    this.#subscription.unsubscribe();
  }

  #matches({ reason, type, message = '', involvedObject }: EventRecord): boolean {
    const { about, ...wanted } = this.#selection;
    if (wanted.reason !== undefined && wanted.reason !== reason) return false;
    if (wanted.type !== undefined && wanted.type !== type) return false;
    if (wanted.message !== undefined && !message.includes(wanted.message)) return false;
    if (about === undefined) return true;
    const { kind, name, namespace } = involvedObject;
    return kind === about.kind && name === about.name && (about.namespace ?? namespace) === namespace;
  }
}

/** What the nodes say, looked at again whenever a process or the object of a pod has changed. */
class TruthCount implements Count {
  readonly #count: () => number;
  readonly #subscription: Subscription;
  #value: number | undefined;

  constructor(cluster: Cluster, count: () => number, onChange: () => void) {
    this.#count = count;
    this.#subscription = merge(cluster.truth.facts$, cluster.watch('Pod')).subscribe(() => {
      this.#value = undefined;
      onChange();
    });
  }

  get value(): number {
    this.#value ??= this.#count();
    return this.#value;
  }

  refresh(): void {
    this.#value = undefined;
  }

  close(): void {
    this.#subscription.unsubscribe();
  }
}

function processCount({ cluster, nodeName }: CountMeans, { pod, node }: SubjectOf<'processes'>): number {
  const wanted = node === undefined ? undefined : nodeName(node);
  const sets = cluster.truth.processes(pod);
  return sets.filter((set) => set.containers.length > 0 && (node === undefined || set.node === wanted)).length;
}

function mountCount({ cluster, nodeName }: CountMeans, { volume, pod, node }: SubjectOf<'mounts'>): number {
  const wanted = node === undefined ? undefined : nodeName(node);
  return cluster.truth
    .mounts(volume)
    .filter((each) => (pod === undefined || each.pod === pod) && (node === undefined || each.node === wanted)).length;
}

class ViolationCount implements Count {
  readonly #subscription: Subscription;
  #value = 0;

  constructor(
    cluster: Cluster,
    { of, pod }: { readonly of: 'splitBrains' | 'unconfirmedDeletions'; readonly pod: string | undefined },
    onChange: () => void,
  ) {
    const wanted = of === 'splitBrains' ? 'SplitBrain' : 'UnconfirmedDeletion';
    this.#subscription = cluster.truth.violations$.subscribe((violation) => {
      if (violation.type !== wanted || (pod !== undefined && violation.pod !== pod)) return;
      this.#value += 1;
      onChange();
    });
  }

  get value(): number {
    return this.#value;
  }

  refresh(): void {
    /* what has happened stays so */
  }

  close(): void {
    this.#subscription.unsubscribe();
  }
}

function readWhenAsked(read: () => number): Count {
  return {
    get value() {
      return read();
    },
    refresh: () => undefined,
    close: () => undefined,
  };
}
