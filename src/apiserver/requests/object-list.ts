/**
 * Lists: the latest state, or the state at an older version recomputed from the history, whole or page
 * by page. All pages of one list show one version.
 */
import { keyOf, type Kind, type KindMap } from '../../api/objects/objects.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import { expired } from '../store/api-errors.js';
import { withRenewals } from './lease-renewals.js';
import { encodeContinue, planList, type ListPlan } from '../store/list-options.js';
import { compileSelection, type WatchSelection } from '../store/selection.js';
import type { ListOptions, ObjectList } from '../store/server-types.js';
import type { Shelf, VersionedStore } from '../store/store.js';

const TOO_OLD_TO_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';
const TOO_OLD_TO_LIST = 'The resourceVersion for the provided list is too old.';

/** Answers lists; remembers the last older state it recomputed, for the pages that follow. */
export class ObjectLists {
  readonly #kernel: Kernel;
  readonly #store: VersionedStore;
  #snapshot: { readonly kind: Kind; readonly version: number; readonly objects: readonly KindMap[Kind][] } | undefined;

  constructor(kernel: Kernel, store: VersionedStore) {
    this.#kernel = kernel;
    this.#store = store;
  }

  /** @throws ApiError 400, 410, 422, 504 */
  list<K extends Kind>(shelf: Shelf<K>, options: ListOptions): ObjectList<K> {
    const selection = compileSelection(shelf.resource, options);
    const current = this.#store.version;
    const plan = planList(options, current);
    const isLatest = plan.version === undefined || shelf.log.lastVersion <= plan.version;
    const objects = isLatest ? present(shelf, selection, options.namespace) : this.#objectsAt(shelf, plan);
    const page = cut(objects, selection, plan, plan.version ?? current, options.namespace);
    return isLatest && shelf.renewals.size > 0 ? this.#renewed(shelf, page) : page;
  }

  #renewed<K extends Kind>({ renewals }: Shelf<K>, page: ObjectList<K>): ObjectList<K> {
    const items = page.items.map((object) => withRenewals<K>(this.#kernel, object, renewals.get(keyOf(object))));
    return { ...page, items, renewals: new Map(renewals) };
  }

  #objectsAt<K extends Kind>(shelf: Shelf<K>, { version = 0, isContinuation }: ListPlan): readonly KindMap[K][] {
    const { kind } = shelf.resource;
    if (this.#snapshot?.kind !== kind || this.#snapshot.version !== version) {
      if (!shelf.log.reaches(version)) throw expired(isContinuation ? TOO_OLD_TO_CONTINUE : TOO_OLD_TO_LIST);
      const byKey = new Map<string, KindMap[K]>();
      for (const object of shelf.table.values()) byKey.set(keyOf(object), object);
      shelf.log.rewind(version, byKey);
      const objects = [...byKey.keys()].sort().map((key) => byKey.get(key) as KindMap[K]);
      this.#snapshot = { kind, version, objects };
    }
    return this.#snapshot.objects as readonly KindMap[K][];
  }
}

/** What the list is cut from: for a request of one name the others are not sorted. */
function present<K extends Kind>(
  { table }: Shelf<K>,
  { route }: WatchSelection<K>,
  namespace: string | undefined,
): readonly KindMap[K][] {
  if (route.by === 'nodeName') return table.onNode(route.key);
  if (route.by === 'object') return table.named(route.name, namespace);
  if (route.by === 'name') return table.named(route.key, namespace);
  return namespace === undefined ? table.inOrder() : table.sorted(namespace);
}

/** The page that the plan asks for, out of all objects in key order. */
function cut<K extends Kind>(
  objects: readonly KindMap[K][],
  selection: WatchSelection<K>,
  { startKey = '', limit = objects.length }: ListPlan,
  version: number,
  namespace: string | undefined,
): ObjectList<K> {
  const resourceVersion = String(version);
  const items: KindMap[K][] = [];
  let lastKey = '';
  for (let index = firstFrom(objects, namespace, startKey); index < objects.length; index += 1) {
    const object = objects[index] as KindMap[K];
    if (namespace !== undefined && object.metadata.namespace !== namespace) continue;
    const key = keyWithin(object, namespace);
    if (items.length === limit) {
      const rest = { items, resourceVersion, continue: encodeContinue(version, lastKey) };
      if (selection.hasSelector) return rest;
      return { ...rest, remainingItemCount: countFrom(objects, index, namespace) };
    }
    lastKey = key;
    if (selection.covers(object)) items.push(object);
  }
  return { items, resourceVersion };
}

/** The key of an object in a list of all namespaces, or of one. */
function keyWithin(object: KindMap[Kind], namespace: string | undefined): string {
  return namespace === undefined ? keyOf(object) : object.metadata.name;
}

/** Where a page begins: the objects are in the order of their keys. Those of other namespaces may lie between. */
function firstFrom(objects: readonly KindMap[Kind][], namespace: string | undefined, startKey: string): number {
  if (startKey === '') return 0;
  const start = namespace === undefined ? startKey : `${namespace}/${startKey}`;
  let [low, high] = [0, objects.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyOf(objects[middle] as KindMap[Kind]) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

function countFrom(objects: readonly KindMap[Kind][], start: number, namespace: string | undefined): number {
  if (namespace === undefined) return objects.length - start;
  let count = 0;
  for (let index = start; index < objects.length; index += 1) {
    if (namespace === undefined || objects[index]?.metadata.namespace === namespace) count += 1;
  }
  return count;
}
