import { isDisrupted, isPodReady, isPodTerminal } from '../../api/objects/conditions.js';
import { keyOf, type Pod } from '../../api/objects/objects.js';

/** A pod that exists, and how it came to be. */
export interface KnownPod {
  readonly pod: Pod;
  /** As `Write.by` tells it; absent = it was there before the cluster ran. */
  readonly createdBy: string | undefined;
  /** Simulated time, ms. */
  readonly createdMs: number;
  /** When it last changed in what the controllers of services or the scheduler have to notice, ms. */
  readonly changedMs: number;
  /** Since when it has been ready and not deleted, ms; absent = it is not. */
  readonly readySinceMs: number | undefined;
  /** The last time that a finalizer was taken off it, ms, with the writer as `Write.by`; absent = none was. */
  readonly freed: { readonly by: string | undefined; readonly atMs: number } | undefined;
}

const NONE: ReadonlySet<KnownPod> = new Set();

/** What asked for the deletion of a pod first, as `Write.by` tells it, and when, ms. */
export interface Taking {
  readonly by: string | undefined;
  readonly atMs: number;
  /** Whether what keeps the pod took it: what the manager takes away for another reason, it marks as disrupted. */
  readonly isChosen: boolean;
}

/** The last pod of a name that is gone. */
export interface FormerPod {
  /** Its node; empty = none. */
  readonly nodeName: string;
  readonly goneMs: number;
}

/** The time of a pod from its creation until it was gone, ms. */
export interface PodSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

type Entry = { -readonly [Field in keyof KnownPod]: KnownPod[Field] };

/** The pods that exist by uid and by owner, with their makers, and what has to be remembered of them. */
export class PodRegister {
  readonly #byUid = new Map<string, Entry>();
  readonly #byOwner = new Map<string, Set<Entry>>();
  readonly #pending = new Set<Entry>();
  /** By owner. */
  readonly #lostMs = new Map<string, number>();
  readonly #goneMs = new Map<string, number>();
  readonly #alteredMs = new Map<string, number>();
  readonly #takenMs = new Map<string, number>();
  readonly #passed = new Map<string, PodSpan>();
  #claimedMs: number | undefined;
  /** By uid, also of pods that are gone. */
  readonly #taken = new Map<string, Taking>();
  /** By key. */
  readonly #former = new Map<string, FormerPod>();

  get(uid: string): KnownPod | undefined {
    return this.#byUid.get(uid);
  }

  ofOwner(uid: string): ReadonlySet<KnownPod> {
    return this.#byOwner.get(uid) ?? NONE;
  }

  /** Pods that wait for a node. */
  get pending(): ReadonlySet<KnownPod> {
    return this.#pending;
  }

  /** When a pod of an owner that served turned unready or was deleted, but by a controller that replaces pods. */
  lostMs(owner: string): number | undefined {
    return this.#lostMs.get(owner);
  }

  /** When a pod of an owner that served stopped doing so, whatever the cause. */
  goneMs(owner: string): number | undefined {
    return this.#goneMs.get(owner);
  }

  /** When a pod of an owner came, went or changed in what those that count it have to notice. */
  alteredMs(owner: string): number | undefined {
    return this.#alteredMs.get(owner);
  }

  /** When a pod of an owner was taken away by another than what keeps it. */
  takenByOthersMs(owner: string): number | undefined {
    return this.#takenMs.get(owner);
  }

  /** When a pod that waited last gave up, or got, room that no other could have for its sake. */
  get claimedMs(): number | undefined {
    return this.#claimedMs;
  }

  /** Of the pods of an owner that are gone, the time of the one that came last. */
  passed(owner: string): PodSpan | undefined {
    return this.#passed.get(owner);
  }

  /** What took a pod away; absent = it is to stay. */
  taking(uid: string): Taking | undefined {
    return this.#taken.get(uid);
  }

  /** The one that had a key before; absent = there was none. */
  former(key: string): FormerPod | undefined {
    return this.#former.get(key);
  }

  /** A pod is new, or has changed. */
  stored(pod: Pod, by: string | undefined, atMs: number): void {
    const known = this.#byUid.get(pod.metadata.uid);
    if (pod.metadata.deletionTimestamp !== undefined) this.#noteTaking(pod, by, atMs);
    if (known === undefined) {
      const readySinceMs = serves(pod) ? atMs : undefined;
      const times = { createdMs: atMs, changedMs: atMs, readySinceMs };
      const entry: Entry = { pod, createdBy: by, ...times, freed: undefined };
      this.#byUid.set(pod.metadata.uid, entry);
      this.#own(entry);
      this.#file(entry);
      this.#noteChange(entry, atMs);
      return;
    }
    if (claimsRoom(known.pod)) this.#claimedMs = atMs;
    const hasNewOwners = known.pod.metadata.ownerReferences !== pod.metadata.ownerReferences;
    if (hasNewOwners) this.#disown(known);
    this.#follow(known, pod, by, atMs);
    known.pod = pod;
    if (hasNewOwners) this.#own(known);
    this.#file(known);
  }

  removed(uid: string, by: string | undefined, atMs: number): void {
    const entry = this.#byUid.get(uid);
    if (entry === undefined) return;
    this.#noteTaking(entry.pod, by, atMs);
    if (claimsRoom(entry.pod)) this.#claimedMs = atMs;
    this.#former.set(keyOf(entry.pod), { nodeName: entry.pod.spec.nodeName ?? '', goneMs: atMs });
    if (serves(entry.pod)) this.#noteLoss(entry, atMs);
    this.#noteChange(entry, atMs);
    this.#notePassing(entry, atMs);
    this.#disown(entry);
    this.#byUid.delete(uid);
    this.#pending.delete(entry);
  }

  #follow(entry: Entry, pod: Pod, by: string | undefined, atMs: number): void {
    const { pod: before } = entry;
    if (isOther(before, pod)) {
      entry.changedMs = atMs;
      this.#noteChange(entry, atMs);
    }
    if (isFreed(before, pod)) entry.freed = { by, atMs };
    if (!serves(pod)) entry.readySinceMs = undefined;
    else entry.readySinceMs ??= atMs;
    const isReplaced = pod.metadata.deletionTimestamp !== undefined && isManager(by);
    if (!serves(before) || serves(pod)) return;
    for (const { uid } of pod.metadata.ownerReferences ?? []) this.#goneMs.set(uid, atMs);
    if (!isReplaced) this.#noteLoss(entry, atMs);
  }

  #noteLoss({ pod }: Entry, atMs: number): void {
    for (const { uid } of pod.metadata.ownerReferences ?? []) this.#lostMs.set(uid, atMs);
  }

  #noteTaking(pod: Pod, by: string | undefined, atMs: number): void {
    const { uid, ownerReferences = [] } = pod.metadata;
    if (this.#taken.has(uid)) return;
    const isChosen = isManager(by) && !isDisrupted(pod);
    this.#taken.set(uid, { by, atMs, isChosen });
    if (!isChosen) for (const owner of ownerReferences) this.#takenMs.set(owner.uid, atMs);
  }

  #noteChange({ pod }: Entry, atMs: number): void {
    for (const { uid } of pod.metadata.ownerReferences ?? []) this.#alteredMs.set(uid, atMs);
  }

  #notePassing({ pod, createdMs: fromMs }: Entry, untilMs: number): void {
    for (const { uid } of pod.metadata.ownerReferences ?? []) {
      const last = this.#passed.get(uid);
      if (last === undefined || last.fromMs <= fromMs) this.#passed.set(uid, { fromMs, untilMs });
    }
  }

  #file(entry: Entry): void {
    if (isPending(entry.pod)) this.#pending.add(entry);
    else this.#pending.delete(entry);
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

/** Whether a pod is ready and to stay. */
export function serves(pod: Pod): boolean {
  return isPodReady(pod) && pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod);
}

/** Whether a pod that waits has room promised, or takes some unseen until its volumes are bound. */
export function claimsRoom(pod: Pod): boolean {
  return isPending(pod) && ((pod.status.nominatedNodeName ?? '') !== '' || hasVolumes(pod));
}

/** Whether a pod has volumes that have to be bound. */
export function hasVolumes({ spec }: Pod): boolean {
  return spec.volumes?.some(({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim ?? ephemeral) === true;
}

function isPending(pod: Pod): boolean {
  return (pod.spec.nodeName ?? '') === '' && pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod);
}

/** Whether a finalizer was taken off. */
function isFreed({ metadata: before }: Pod, { metadata: after }: Pod): boolean {
  if (before.finalizers === undefined || before.finalizers === after.finalizers) return false;
  return before.finalizers.some((name) => after.finalizers?.includes(name) !== true);
}

/** Whether the controllers of services or the scheduler have to take notice. */
function isOther(before: Pod, after: Pod): boolean {
  return (
    serves(before) !== serves(after) ||
    before.status.phase !== after.status.phase ||
    before.status.podIP !== after.status.podIP ||
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
    before.metadata.labels !== after.metadata.labels ||
    before.spec !== after.spec ||
    before.status.nominatedNodeName !== after.status.nominatedNodeName
  );
}

function isManager(by: string | undefined): boolean {
  return by?.startsWith('kube-controller-manager') === true;
}
