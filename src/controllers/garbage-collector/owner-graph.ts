import { USUAL_KINDS } from '../../api/kinds/optional-kinds.js';
import { kindRegistry, resolveKind } from '../../api/kinds/registry.js';
import { OWN_GROUP } from '../../api/objects/plain-kinds.js';
import type { AnyObject, Kind, ObjectMeta, ObjectName, OwnerReference } from '../../api/objects/objects.js';
import type { Informer } from '../../bus/bus-types.js';
import { BY_OWNER } from '../../bus/object-index.js';
import { isEmpty } from '../shared/is-empty.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

const COLLECTED_KINDS: readonly Kind[] = USUAL_KINDS.filter(
  (kind) => kind !== 'Event' && kindRegistry[kind].group !== OWN_GROUP,
);

/** Kinds that own or are owned: all of Kubernetes' but events, as upstream. */
export function collectedKinds({ settings: { optionalKinds } }: ControllerContext): readonly Kind[] {
  return [...COLLECTED_KINDS, ...optionalKinds];
}

/** Most owners remembered as gone. */
const MAX_ABSENT = 500;

/** What an owner reference turns out to be. */
export type OwnerState = 'solid' | 'dangling' | 'waiting' | 'unknown';

/** One object of the graph. */
export interface Item {
  readonly kind: Kind;
  readonly object: AnyObject;
}

/** Whether an object waits for its dependents before it goes. */
export function isDeletingDependents({ deletionTimestamp, finalizers }: ObjectMeta): boolean {
  return deletionTimestamp !== undefined && finalizers?.includes('foregroundDeletion') === true;
}

/** Whether an object waits for its dependents to be let go before it goes. */
export function isOrphaningDependents({ deletionTimestamp, finalizers }: ObjectMeta): boolean {
  return deletionTimestamp !== undefined && finalizers?.includes('orphan') === true;
}

/** A kind that a definition has brought, as it is asked for, and whether its objects have a namespace. */
export interface FollowedKind {
  readonly kind: Kind;
  readonly isNamespaced: boolean;
}

/**
 * Owners and dependents, read from the informers' indexes by owner: nothing is stored for owners that exist.
 * Only owners known to be gone are kept here, the latest few hundred.
 */
export class OwnerGraph {
  readonly #context: ControllerContext;
  readonly #informers = new Map<string, Informer<Kind>>();
  /** By kind and group, such as `Widget.shop.example.com`. */
  readonly #custom = new Map<string, FollowedKind>();
  readonly #absent = new Set<string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    for (const kind of collectedKinds(context)) {
      this.#informers.set(kind, context.informer(kind, BY_OWNER));
    }
  }

  /** Objects of a custom kind own and are owned from now on. @returns whether they did not before */
  follow(followed: FollowedKind): boolean {
    const { kind } = followed;
    this.#custom.set(kind, followed);
    if (this.#informers.has(kind)) return false;
    this.#informers.set(kind, this.#context.informer(kind, BY_OWNER));
    return true;
  }

  /** The definition of a custom kind is gone: what names owners of it finds none. */
  forget(kind: string): void {
    this.#custom.delete(kind);
  }

  /** The object of a kind and key. */
  find(kind: string, key: string): Item | undefined {
    const object = this.#informers.get(kind)?.getByKey(key);
    return object === undefined ? undefined : { kind: kind as Kind, object };
  }

  /** Everything that names this uid as an owner. */
  *dependentsOf(uid: string): Iterable<Item> {
    for (const [kind, informer] of this.#informers) {
      if (informer.size === 0) continue;
      for (const object of informer.byIndex('owner', uid)) yield { kind: kind as Kind, object };
    }
  }

  /** Whether anything names this uid as an owner. */
  hasDependents(uid: string): boolean {
    return !isEmpty(this.dependentsOf(uid));
  }

  /** Notes that an owner is gone for good: uids are never used twice. */
  noteAbsent(uid: string): void {
    this.#absent.add(uid);
    if (this.#absent.size <= MAX_ABSENT) return;
    const [oldest = ''] = this.#absent;
    this.#absent.delete(oldest);
  }

  /** What the caches know of an owner; `unknown` when only the API can tell. */
  stateOf(dependent: ObjectMeta, owner: OwnerReference): OwnerState {
    if (this.#absent.has(owner.uid)) return 'dangling';
    const place = this.placeOf(dependent, owner);
    const informer = place && this.#informers.get(place.kind);
    // An owner of a kind without an informer counts as there.
    if (place === undefined || informer === undefined) return 'solid';
    const found = this.isOutOfReach(dependent, owner) ? undefined : informer.get(place.name);
    if (found === undefined || found.metadata.uid !== owner.uid) return 'unknown';
    return isDeletingDependents(found.metadata) ? 'waiting' : 'solid';
  }

  /** Whether an owner of this uid lives in another namespace. */
  isElsewhere(dependent: ObjectMeta, owner: OwnerReference): boolean {
    const kind = this.#kindOf(owner)?.kind;
    if (kind === undefined) return false;
    for (const object of this.#informers.get(kind)?.list() ?? []) {
      if (object.metadata.uid === owner.uid) return object.metadata.namespace !== dependent.namespace;
    }
    return false;
  }

  /** Whether an object without a namespace names an owner of a kind that has one. */
  isOutOfReach({ namespace }: ObjectMeta, owner: OwnerReference): boolean {
    return namespace === undefined && this.#kindOf(owner)?.isNamespaced === true;
  }

  /**
   * An owner as a dependent means it: in its own namespace, if the owner's kind has one. `undefined` when no such kind
   * is kept.
   */
  placeOf({ namespace }: ObjectMeta, owner: OwnerReference): OwnerPlace | undefined {
    const { name } = owner;
    const found = this.#kindOf(owner);
    if (found === undefined) return undefined;
    return { kind: found.kind, name: found.isNamespaced ? { namespace, name } : { name } };
  }

  #kindOf({ apiVersion, kind }: OwnerReference): FollowedKind | undefined {
    const known = resolveKind(apiVersion, kind);
    if (known !== undefined) return { kind: known, isNamespaced: kindRegistry[known].isNamespaced };
    const [group = ''] = apiVersion.split('/', 1);
    return this.#custom.get(`${kind}.${group}`);
  }
}

/** Where an owner is to be found. */
export interface OwnerPlace {
  readonly kind: Kind;
  readonly name: ObjectName;
}
