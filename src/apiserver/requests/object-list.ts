/**
 * Lists: the latest state, or the state at an older version recomputed from the history, whole or page
 * by page. All pages of one list show one version.
 */
import { keyOf, type Kind, type KindMap } from '../../api/objects/objects.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import { expired } from '../store/api-errors.js';
import { withRenewals } from './lease-renewals.js';
import { encodeContinue, planList, type ListPlan } from '../store/list-options.js';
import { indexFrom, orderOf, type ObjectOrder } from '../store/object-order.js';
import { compileSelection, type WatchSelection } from '../store/selection.js';
import type { ListOptions, ObjectList } from '../store/server-types.js';
import type { Shelf, VersionedStore } from '../store/store.js';

const TOO_OLD_TO_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';
const TOO_OLD_TO_LIST = 'The resourceVersion for the provided list is too old.';

/** States of lists that were begun, of which some pages may still be asked for. */
const MOST_BEGUN = 8;

/** A list as it was at one version. */
interface BegunList<K extends Kind> {
  readonly order: ObjectOrder<K>;
  /** What changed since, as it was then, by key. */
  readonly before: Map<string, KindMap[K] | undefined>;
  /** All changes up to here are among them; absent where the order has the objects themselves. */
  version: number | undefined;
}

/** Answers lists; remembers the states of which it has given pages, for the pages that follow. */
export class ObjectLists {
  readonly #kernel: Kernel;
  readonly #store: VersionedStore;
  /** By kind, namespace and version; that which was used last comes last. */
  readonly #begun = new Map<string, BegunList<Kind>>();

  constructor(kernel: Kernel, store: VersionedStore) {
    this.#kernel = kernel;
    this.#store = store;
  }

  /** @throws ApiError 400, 410, 422, 504 */
  list<K extends Kind>(shelf: Shelf<K>, options: ListOptions): ObjectList<K> {
    const selection = compileSelection(shelf.resource, options);
    const current = this.#store.version;
    const plan = planList(options, current);
    const { namespace } = options;
    const isLatest = plan.version === undefined || shelf.log.lastVersion <= plan.version;
    if (!isLatest)
      return cut(this.#orderAt(shelf, plan, namespace), selection, plan, plan.version ?? current, namespace);
    const version = plan.version ?? current;
    const order = present(shelf, selection, namespace);
    const page = cut(order, selection, plan, version, namespace);
    const isOfMany = selection.route.by === 'everywhere' || selection.route.by === 'namespace';
    if (page.continue !== undefined && isOfMany) {
      this.#keep(begunKey(shelf.resource.kind, version, namespace), { order, before: new Map(), version });
    }
    return shelf.renewals.size > 0 ? this.#renewed(shelf, page) : page;
  }

  #renewed<K extends Kind>({ renewals }: Shelf<K>, page: ObjectList<K>): ObjectList<K> {
    const items = page.items.map((object) => withRenewals<K>(this.#kernel, object, renewals.get(keyOf(object))));
    return { ...page, items, renewals: new Map(renewals) };
  }

  /** The objects of an older version: as the list that was begun then has them, or recomputed from the history. */
  #orderAt<K extends Kind>(
    shelf: Shelf<K>,
    { version = 0, isContinuation }: ListPlan,
    namespace: string | undefined,
  ): ObjectOrder<K> {
    const key = begunKey(shelf.resource.kind, version, namespace);
    const begun = this.#begun.get(key) as BegunList<K> | undefined;
    if (begun !== undefined && (begun.version === undefined || shelf.log.reaches(begun.version))) {
      catchUp(begun, shelf);
      this.#keep(key, begun);
      return withBefore(begun);
    }
    if (!shelf.log.reaches(version)) throw expired(isContinuation ? TOO_OLD_TO_CONTINUE : TOO_OLD_TO_LIST);
    const order = orderOf(objectsAt(shelf, version, namespace));
    this.#keep(key, { order, before: new Map(), version: undefined });
    return order;
  }

  #keep<K extends Kind>(key: string, begun: BegunList<K>): void {
    this.#begun.delete(key);
    this.#begun.set(key, begun);
    if (this.#begun.size <= MOST_BEGUN) return;
    for (const oldest of this.#begun.keys()) {
      this.#begun.delete(oldest);
      return;
    }
  }
}

function begunKey(kind: Kind, version: number, namespace: string | undefined): string {
  return `${kind} ${namespace ?? ''} ${version}`;
}

/** Notes what changed since a list was looked at last. */
function catchUp<K extends Kind>(begun: BegunList<K>, { log }: Shelf<K>): void {
  const { version, before } = begun;
  if (version === undefined || version >= log.lastVersion) return;
  log.replayAfter(version, ({ object }, previous) => {
    const key = keyOf(object);
    if (!before.has(key)) before.set(key, previous);
  });
  begun.version = log.lastVersion;
}

function withBefore<K extends Kind>({ order, before }: BegunList<K>): ObjectOrder<K> {
  if (before.size === 0) return order;
  return {
    length: order.length,
    keyAt: (index) => order.keyAt(index),
    at(index) {
      const key = order.keyAt(index) ?? '';
      return before.has(key) ? before.get(key) : order.at(index);
    },
  };
}

/** What was there at a version that the history reaches, in key order. */
function objectsAt<K extends Kind>(
  { table, log }: Shelf<K>,
  version: number,
  namespace: string | undefined,
): readonly KindMap[K][] {
  const byKey = new Map<string, KindMap[K]>();
  for (const object of table.values()) byKey.set(keyOf(object), object);
  log.rewind(version, byKey);
  const objects = [...byKey.keys()].sort().map((key) => byKey.get(key) as KindMap[K]);
  return ofNamespace(objects, namespace);
}

function ofNamespace<K extends Kind>(
  objects: readonly KindMap[K][],
  namespace: string | undefined,
): readonly KindMap[K][] {
  return namespace === undefined ? objects : objects.filter(({ metadata }) => metadata.namespace === namespace);
}

/** What the list is cut from: for a request of one name the others are not sorted. */
function present<K extends Kind>(
  { table }: Shelf<K>,
  { route }: WatchSelection<K>,
  namespace: string | undefined,
): ObjectOrder<K> {
  if (route.by === 'nodeName') return orderOf(ofNamespace(table.onNode(route.key), namespace));
  if (route.by === 'object') return orderOf(table.named(route.name, namespace));
  if (route.by === 'name') return orderOf(table.named(route.key, namespace));
  return table.inOrder(namespace);
}

/** The page that the plan asks for, out of all objects in key order. */
function cut<K extends Kind>(
  objects: ObjectOrder<K>,
  selection: WatchSelection<K>,
  { startKey = '', limit = Infinity }: ListPlan,
  version: number,
  namespace: string | undefined,
): ObjectList<K> {
  const resourceVersion = String(version);
  const items: KindMap[K][] = [];
  const prefix = namespace === undefined ? '' : `${namespace}/`;
  for (let index = startKey === '' ? 0 : indexFrom(objects, prefix + startKey); index < objects.length; index += 1) {
    if (items.length === limit) {
      const lastKey = objects.keyAt(index - 1)?.slice(prefix.length) ?? '';
      const rest = { items, resourceVersion, continue: encodeContinue(version, lastKey) };
      return selection.hasSelector ? rest : { ...rest, remainingItemCount: objects.length - index };
    }
    const object = objects.at(index);
    if (object !== undefined && selection.covers(object)) items.push(object);
  }
  return { items, resourceVersion };
}
