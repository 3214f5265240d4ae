/**
 * The present objects of one kind: two levels of maps, namespace and name. Order is that of storage
 * keys (`namespace/name`, by code unit, as etcd's) and is computed by a list, not by a write. Objects that are made when
 * something asks for them wait outside of the maps until something is looked for: most of them never are.
 */
import { parseKey, type Kind, type KindMap } from '../../api/objects/objects.js';
import { DeferredObject } from './deferred-object.js';
import { NodeIndex } from './node-index.js';
import { TableOrder } from './object-order.js';
import { OrderedNames } from './ordered-names.js';

/** So many of those that wait have left before their places are given up. */
const LEFT_BEFORE_CUT = 1024;

/** See the file header. */
export class KindTable<K extends Kind> {
  readonly #namespaces = new Map<string, NamespaceTable<KindMap[K]>>();
  #sortedNamespaces: string[] | undefined;
  readonly #nodeNameOf: ((object: KindMap[K]) => string) | undefined;
  #size = 0;
  #revision = 0;
  /** Those that came since something was looked for last, the oldest first; those before the first one have left. */
  #waiting: DeferredObject<KindMap[K]>[] = [];
  #firstWaiting = 0;
  /** Made by the first list by node. */
  #byNode: NodeIndex<K> | undefined;

  /** @param nodeNameOf - for kinds of objects that can be listed by node */
  constructor(nodeNameOf?: (object: KindMap[K]) => string) {
    this.#nodeNameOf = nodeNameOf;
  }

  /** Number of objects. */
  get size(): number {
    return this.#size + this.#waiting.length - this.#firstWaiting;
  }

  /** Changes with every change of the table. */
  get revision(): number {
    return this.#revision;
  }

  /** @param namespace - absent or empty for cluster-scoped objects */
  get(namespace: string | undefined, name: string): KindMap[K] | undefined {
    this.#settle();
    const table = this.#namespaces.get(namespace ?? '');
    return table === undefined ? undefined : objectIn(table, name);
  }

  /** Whether there is an object of that name; one that is deferred is not made for it. */
  has(namespace: string | undefined, name: string): boolean {
    this.#settle();
    return this.hasSettled(namespace, name);
  }

  /** Whether there is an object of that name, beside those that were deferred since something was looked for. */
  hasSettled(namespace: string | undefined, name: string): boolean {
    const objects = this.#namespaces.get(namespace ?? '')?.objects;
    // Most names asked for are of events, which are rarely objects: an empty table costs them no hash.
    return objects !== undefined && objects.size > 0 && objects.has(name);
  }

  /** Adds or replaces. @param previous - what it replaces, if the caller has it at hand */
  put(object: KindMap[K], previous?: KindMap[K]): void {
    this.#settle();
    const { namespace = '', name } = object.metadata;
    const table = this.#tableOf(namespace);
    this.#byNode?.move(previous ?? objectIn(table, name), object);
    this.#revision += 1;
    this.#set(table, name, object);
  }

  /**
   * Adds an object that is made when it is asked for; not of a kind that can be listed by node. Its name is that of no
   * other one.
   */
  defer(deferred: DeferredObject<KindMap[K]>): void {
    this.#revision += 1;
    this.#waiting.push(deferred);
  }

  #settle(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    const first = this.#firstWaiting;
    this.#waiting = [];
    this.#firstWaiting = 0;
    for (let index = first; index < waiting.length; index += 1) {
      const deferred = waiting[index];
      if (deferred !== undefined) this.#set(this.#tableOf(deferred.namespace), deferred.name, deferred);
    }
  }

  /** The oldest of those that wait leaves; a million such cost no look at a map. */
  #leave(): void {
    this.#revision += 1;
    this.#firstWaiting += 1;
    const left = this.#firstWaiting;
    if (left < LEFT_BEFORE_CUT || left * 2 < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(left);
    this.#firstWaiting = 0;
  }

  #tableOf(namespace: string): NamespaceTable<KindMap[K]> {
    let table = this.#namespaces.get(namespace);
    if (table === undefined) {
      table = { objects: new Map(), names: new OrderedNames() };
      this.#namespaces.set(namespace, table);
      this.#sortedNamespaces = undefined;
    }
    return table;
  }

  #set(table: NamespaceTable<KindMap[K]>, name: string, object: KindMap[K] | DeferredObject<KindMap[K]>): void {
    const sizeBefore = table.objects.size;
    table.objects.set(name, object);
    if (table.objects.size === sizeBefore) return;
    table.names.add(name);
    this.#size += 1;
  }

  /** Forgets an object; absence is fine. */
  remove(namespace: string | undefined, name: string): void {
    this.#settle();
    const table = this.#namespaces.get(namespace ?? '');
    const object = table === undefined ? undefined : objectIn(table, name);
    if (table === undefined || object === undefined) return;
    this.#byNode?.move(object, undefined);
    this.#take(table, namespace ?? '', name);
  }

  /** Forgets an object that nothing has asked for; `false`, and nothing is done, when it was made or is gone. */
  removeDeferred(deferred: DeferredObject<KindMap[K]>): boolean {
    if (this.#waiting[this.#firstWaiting] === deferred) {
      this.#leave();
      return true;
    }
    this.#settle();
    const { namespace, name } = deferred;
    const table = this.#namespaces.get(namespace);
    if (table?.objects.get(name) !== deferred) return false;
    this.#take(table, namespace, name);
    return true;
  }

  #take(table: NamespaceTable<KindMap[K]>, namespace: string, name: string): void {
    table.objects.delete(name);
    table.names.remove(name);
    this.#revision += 1;
    this.#size -= 1;
    if (table.objects.size > 0) return;
    this.#namespaces.delete(namespace);
    this.#sortedNamespaces = undefined;
  }

  /** All objects, or those of one namespace, in key order, as an array of the caller's own. */
  sorted(namespace?: string): KindMap[K][] {
    this.#settle();
    const found: KindMap[K][] = [];
    if (namespace === undefined) for (const each of this.#namespacesInOrder()) this.#collect(each, found);
    else this.#collect(namespace, found);
    return found;
  }

  /** As {@link sorted}, without a look at the objects: for lists that are read page by page. */
  inOrder(namespace?: string): TableOrder<K> {
    this.#settle();
    const namespaces = namespace === undefined ? this.#namespacesInOrder() : [namespace];
    const parts = namespaces.flatMap((each) => {
      const table = this.#namespaces.get(each);
      if (table === undefined) return [];
      const names = table.names.read(table.objects.keys());
      return [{ namespace: each, names, find: (name: string): KindMap[K] | undefined => objectIn(table, name) }];
    });
    return new TableOrder(parts);
  }

  /** The objects of that name in key order, without a look at any other. */
  named(name: string, namespace?: string): KindMap[K][] {
    this.#settle();
    const namespaces = namespace === undefined ? this.#namespacesInOrder() : [namespace];
    return namespaces.flatMap((each) => this.get(each, name) ?? []);
  }

  /** The objects of a node in key order, without a look at any other. */
  onNode(node: string): KindMap[K][] {
    const byNode = this.#indexByNode();
    if (byNode === undefined) return this.sorted();
    return byNode.keys(node).flatMap((key) => {
      const { namespace, name } = parseKey(key);
      return this.get(namespace, name) ?? [];
    });
  }

  #indexByNode(): NodeIndex<K> | undefined {
    if (this.#byNode === undefined && this.#nodeNameOf !== undefined) {
      this.#byNode = new NodeIndex(this.#nodeNameOf);
      for (const object of this.values()) this.#byNode.move(undefined, object);
    }
    return this.#byNode;
  }

  /** All objects in no particular (but reproducible) order. */
  *values(): Generator<KindMap[K], undefined> {
    this.#settle();
    for (const table of this.#namespaces.values()) {
      for (const object of table.objects.values()) yield object instanceof DeferredObject ? object.object : object;
    }
  }

  #collect(namespace: string, found: KindMap[K][]): void {
    const table = this.#namespaces.get(namespace);
    if (table === undefined) return;
    for (const name of table.names.read(table.objects.keys())) {
      const object = objectIn(table, name);
      if (object !== undefined) found.push(object);
    }
  }

  /** Storage keys continue with a slash after the namespace, so `a-b/x` comes before `a/x`. */
  #namespacesInOrder(): readonly string[] {
    this.#sortedNamespaces ??= [...this.#namespaces.keys()].sort((a, b) => (`${a}/` < `${b}/` ? -1 : 1));
    return this.#sortedNamespaces;
  }
}

interface NamespaceTable<T> {
  readonly objects: Map<string, T | DeferredObject<T>>;
  readonly names: OrderedNames;
}

/** The object of that name; one that was deferred is made, and stands for itself from now on. */
function objectIn<T>({ objects }: NamespaceTable<T>, name: string): T | undefined {
  const found = objects.get(name);
  if (!(found instanceof DeferredObject)) return found;
  const { object } = found;
  objects.set(name, object);
  return object;
}
