import type { Kind, KindMap } from '../api/objects/objects.js';
import type { Indexers } from './bus-types.js';

const NO_VALUES: readonly string[] = [];
const NO_KEYS: ReadonlySet<string> = new Set();

/** Keys of objects by the values under which an indexer files them. */
export class ObjectIndex<K extends Kind> {
  readonly #valuesOf: (object: KindMap[K]) => readonly string[];
  readonly #keysByValue = new Map<string, Set<string>>();

  constructor(valuesOf: (object: KindMap[K]) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }

  /** Keys filed under `value`, in order of arrival. */
  keys(value: string): ReadonlySet<string> {
    return this.#keysByValue.get(value) ?? NO_KEYS;
  }

  /** Files an object that changed; `undefined` stands for absent. */
  move(key: string, previous: KindMap[K] | undefined, object: KindMap[K] | undefined): void {
    const before = previous === undefined ? NO_VALUES : this.#valuesOf(previous);
    const after = object === undefined ? NO_VALUES : this.#valuesOf(object);
    if (areEqual(before, after)) return;
    for (const value of before) if (!after.includes(value)) this.#remove(value, key);
    for (const value of after) this.#add(value, key);
  }

  clear(): void {
    this.#keysByValue.clear();
  }

  #add(value: string, key: string): void {
    const keys = this.#keysByValue.get(value);
    if (keys === undefined) this.#keysByValue.set(value, new Set([key]));
    else keys.add(key);
  }

  #remove(value: string, key: string): void {
    const keys = this.#keysByValue.get(value);
    if (keys?.delete(key) === true && keys.size === 0) this.#keysByValue.delete(value);
  }
}

function areEqual(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((value, position) => value === right[position]);
}

/** Pods by `spec.nodeName`, those of no node under the empty value: `byIndex('node', 'node-0')`. */
export const BY_NODE = {
  node: (pod) => [pod.spec.nodeName ?? ''],
} satisfies Indexers<'Pod'>;

/** Objects by the uid of each owner: `byIndex('owner', uid)`. */
export const BY_OWNER = {
  owner: ({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? NO_VALUES,
} satisfies Indexers<Kind>;

/** Objects by namespace, cluster-scoped ones under the empty value: `byIndex('namespace', 'default')`. */
export const BY_NAMESPACE = {
  namespace: ({ metadata }) => [metadata.namespace ?? ''],
} satisfies Indexers<Kind>;
