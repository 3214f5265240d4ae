import type { Pod } from '../../api/objects.js';
import type { KnownPod } from './invariant.js';

const NONE: ReadonlySet<KnownPod> = new Set();

interface Entry extends KnownPod {
  pod: Pod;
}

/** The pods that exist by uid and by owner, with who made them. */
export class PodRegister {
  readonly #byUid = new Map<string, Entry>();
  readonly #byOwner = new Map<string, Set<Entry>>();

  get(uid: string): KnownPod | undefined {
    return this.#byUid.get(uid);
  }

  ofOwner(uid: string): ReadonlySet<KnownPod> {
    return this.#byOwner.get(uid) ?? NONE;
  }

  /** A pod is new, or has changed. */
  stored(pod: Pod, by: string | undefined, atMs: number): void {
    const known = this.#byUid.get(pod.metadata.uid);
    if (known === undefined) {
      const entry: Entry = { pod, createdBy: by, createdMs: atMs };
      this.#byUid.set(pod.metadata.uid, entry);
      this.#own(entry);
      return;
    }
    const hasNewOwners = known.pod.metadata.ownerReferences !== pod.metadata.ownerReferences;
    if (hasNewOwners) this.#disown(known);
    known.pod = pod;
    if (hasNewOwners) this.#own(known);
  }

  removed(uid: string): void {
    const entry = this.#byUid.get(uid);
    if (entry === undefined) return;
    this.#disown(entry);
    this.#byUid.delete(uid);
  }

  #own(entry: Entry): void {
    for (const { uid } of entry.pod.metadata.ownerReferences ?? []) {
      const pods = this.#byOwner.get(uid);
      if (pods === undefined) this.#byOwner.set(uid, new Set([entry]));
      else pods.add(entry);
    }
  }

  #disown(entry: Entry): void {
    for (const { uid } of entry.pod.metadata.ownerReferences ?? []) {
      const pods = this.#byOwner.get(uid);
      pods?.delete(entry);
      if (pods?.size === 0) this.#byOwner.delete(uid);
    }
  }
}
