/** What the objects of a story have to do with each other, as far as the order of their changes tells of it. */
import type { Change } from './telling.js';

const OWNER = /^metadata\.ownerReferences\[([^\]]*)\]\.uid$/;
const HELD = /^metadata\.finalizers\[\d+\]$/;

/** See the file header. */
export class Kinship {
  /** Owners that an object ever had, by uid. */
  readonly #owners = new Map<string, ReadonlySet<string>>();
  /** Stateful sets of which pods come and go one by one. */
  readonly #ordered = new Set<string>();
  /** Sets that replace their pods step by step: a pod comes because another went. */
  readonly #stepping = new Set<string>();
  /** What waits for its dependents to go. */
  readonly #waiting = new Set<string>();

  constructor(changes: readonly Change[]) {
    for (const { kind, object, isTerminating } of changes) {
      const uid = object.get('metadata.uid') ?? '';
      const owners = [...object].flatMap(([path, value]) => (OWNER.test(path) ? [value] : []));
      if (owners.length > 0) this.#owners.set(uid, new Set([...(this.#owners.get(uid) ?? []), ...owners]));
      if (kind === 'StatefulSet' || kind === 'DaemonSet') this.#stepping.add(uid);
      if (kind === 'StatefulSet' && object.get('spec.podManagementPolicy') !== 'Parallel') this.#ordered.add(uid);
      const holds = [...object].filter(([path]) => HELD.test(path)).map(([, value]) => value);
      if (isTerminating && holds.includes('foregroundDeletion')) this.#waiting.add(uid);
    }
  }

  /** Whether the later change cannot be without the earlier one. */
  isCause(earlier: Change, later: Change): boolean {
    if (earlier.type === 'ADDED' && later.type === 'ADDED') {
      if (isEventOf(later, earlier) || this.#isOwner(earlier, later)) return true;
      return [...this.#commonOwners(earlier, later)].some((owner) => this.#ordered.has(owner));
    }
    if (earlier.type !== 'DELETED' || later.type !== 'DELETED') return false;
    return this.#isOwner(later, earlier) && this.#waiting.has(uidOf(later));
  }

  /** Whether one controller does both, or one is the owner or an Event of the other. */
  isRelated(one: Change, other: Change): boolean {
    if (isEventOf(one, other) || isEventOf(other, one)) return true;
    if (this.#isOwner(one, other) || this.#isOwner(other, one)) return true;
    if (one.kind !== other.kind) return false;
    const owners = [...this.#commonOwners(one, other)];
    return owners.length > 0 && (turnOf(one) === turnOf(other) || owners.some((owner) => this.#stepping.has(owner)));
  }

  /** Whether a controller made it, or tells by it. */
  isOwned(change: Change): boolean {
    return change.kind === 'Event' || this.#owners.has(uidOf(change));
  }

  /** Whether both are goings of pods of an owner that has no order for them. */
  isUnordered(one: Change, other: Change): boolean {
    if (one.kind !== 'Pod' || other.kind !== 'Pod' || turnOf(one) === 'ADDED') return false;
    const owners = [...this.#commonOwners(one, other)];
    return turnOf(one) === turnOf(other) && owners.every((owner) => !this.#stepping.has(owner));
  }

  #isOwner(owner: Change, owned: Change): boolean {
    const wanted = uidOf(owner);
    const isAbove = (uid: string): boolean => {
      const owners = this.#owners.get(uid);
      return owners !== undefined && (owners.has(wanted) || [...owners].some(isAbove));
    };
    return wanted !== '' && isAbove(uidOf(owned));
  }

  #commonOwners(one: Change, other: Change): ReadonlySet<string> {
    const [ones, others] = [one, other].map((each) => this.#owners.get(uidOf(each)) ?? new Set<string>());
    return new Set([...(ones ?? [])].filter((owner) => others?.has(owner) === true));
  }
}

/** Comings are of one kind, goings of another. */
function turnOf({ type, isTerminating }: Change): string {
  return type === 'MODIFIED' && isTerminating ? 'TERMINATING' : type;
}

function uidOf({ object }: Change): string {
  return object.get('metadata.uid') ?? '';
}

/** Whether it tells of the object, or that it was created. */
function isEventOf(event: Change, { kind, key, object }: Change): boolean {
  if (event.kind !== 'Event' || kind === 'Event') return false;
  const [name, uid] = [object.get('metadata.name') ?? '', object.get('metadata.uid') ?? ''];
  const isOther = event.regarding !== '' && uid !== '' && event.regarding !== uid;
  return (
    (!isOther && event.key.includes(` of ${key}: `)) || event.key.endsWith(`Created ${kind.toLowerCase()}: ${name}`)
  );
}
