/**
 * The volumes of one pod that come from claims, on their way into it and out again: claims and volumes are
 * looked up, the node says that it uses them, they are attached, and mounted. The pod's machine waits for all
 * of it before it starts anything, and at the end until nothing is mounted. Mirrors WaitForAttachAndMount and
 * WaitForUnmount of the kubelet with its desired state of the world (v1.34).
 */
import { csiVolumeOf } from '../../api/attachable-volume.js';
import { isApiError } from '../../api/api-error.js';
import { ownershipProblem, type ClaimedVolume } from '../../api/claimed-volumes.js';
import type { Pod } from '../../api/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/storage-objects.js';
import type { Client } from '../../bus/bus-types.js';
import type { Timer } from '../../kernel/clock.js';
import { sample } from '../../kernel/distribution.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { RandomStream } from '../../kernel/random.js';
import type { PodEvents } from '../pod-events.js';
import type { RuntimeProfile } from '../runtime-profile.js';
import type { MountTable, NodeVolume } from './mount-table.js';

/** The pod's worker looks that often whether its volumes are mounted, or unmounted. */
const POLL_MS = 300;
/** After so long without its volumes a sync of the pod has failed. */
export const MOUNT_TIMEOUT_MS = 123_000;
const FIRST_GAP_MS = 500;
const LONGEST_GAP_MS = 122_000;
const ONE_POD: readonly string[] = ['ReadWriteOncePod'];
const IN_USE = 'volume uses the ReadWriteOncePod access mode and is already in use by another pod';
const TIMED_OUT = 'context deadline exceeded';

/** What mounting takes. */
export interface VolumeMeans {
  readonly kernel: Kernel;
  readonly client: Client;
  readonly profile: Pick<RuntimeProfile, 'volumeMount' | 'volumeUnmount'>;
  readonly random: RandomStream;
  readonly events: PodEvents;
}

/** The node's side of its pods' volumes. */
export interface VolumeHolder {
  readonly means: VolumeMeans;
  readonly mounts: MountTable;
  /** A pod wants a volume. @returns whether it is attached */
  want(volume: NodeVolume, pod: PodVolumes): boolean;
  isAttached(uniqueName: string): boolean;
  /** A pod uses nothing any more. */
  free(pod: PodVolumes): void;
  /** A pod begins to wait, or to end. */
  join(pod: PodVolumes): void;
  /** A pod has come to its end. */
  forget(pod: PodVolumes): void;
}

/** One volume of the pod. */
interface PodVolume {
  readonly claimed: ClaimedVolume;
  /** Its claim is being looked up. */
  isAsked: boolean;
  /** `undefined` = not known yet. */
  volume: NodeVolume | undefined;
  timer: Timer | undefined;
  /** How long the next attempt to mount it waits after one that failed. */
  gapMs: number;
}

/** See the file header. */
export class PodVolumes {
  readonly #manager: VolumeHolder;
  readonly #pod: Pod;
  readonly #volumes: readonly PodVolume[];
  readonly #onChange: () => void;
  /** When the present wait began. */
  #sinceMs = 0;
  /** What went wrong with a claim. */
  #errors: string[] = [];
  #poll: Timer | undefined;
  #isEnding = false;
  #isReleased = false;

  /** @param onChange - told at the pod's next look that there is something to be seen */
  constructor(manager: VolumeHolder, pod: Pod, expected: readonly ClaimedVolume[], onChange: () => void) {
    this.#manager = manager;
    this.#pod = pod;
    this.#onChange = onChange;
    this.#volumes = expected.map((claimed) => {
      const volume = manager.mounts.ofPod(pod.metadata.uid).get(claimed.name)?.volume;
      return { claimed, isAsked: false, volume, timer: undefined, gapMs: 0 };
    });
  }

  /** All that its containers need is mounted. */
  get isReady(): boolean {
    return this.#volumes.every((each) => this.#isMounted(each));
  }

  /** A claim cannot be used, or not yet: the sync fails at once. */
  get hasFailed(): boolean {
    return this.#errors.length > 0;
  }

  /** Nothing of the pod is mounted any more, nor will be. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** A sync of the pod begins to wait. */
  beginWait(): void {
    this.#manager.join(this);
    this.#sinceMs = this.#nowMs;
    this.#errors = [];
    for (const each of this.#volumes) if (each.volume === undefined && !each.isAsked) this.#askForClaim(each);
  }

  /** The sync has waited in vain: why, in upstream's words. */
  takeFailure(): string {
    const unmounted = this.#volumes.filter((each) => !this.#isMounted(each));
    const unattached = unmounted.filter(({ volume }) => volume !== undefined && !this.#isAttached(volume));
    const unknown = unmounted.filter(({ volume }) => volume === undefined);
    const error = this.#errors.length > 0 ? this.#errors.join('; ') : TIMED_OUT;
    this.#errors = [];
    const lists = [
      `unmounted volumes=${listText(unmounted)}`,
      `unattached volumes=${listText(unattached)}`,
      `failed to process volumes=${listText(unknown)}`,
    ];
    return `Unable to attach or mount volumes: ${lists.join(', ')}: ${error}`;
  }

  /** A volume has been attached to the node. */
  attached(uniqueName: string): void {
    for (const each of this.#volumes) if (each.volume?.uniqueName === uniqueName) this.#mount(each, each.volume);
  }

  /** The pod's containers have ended: its volumes go. */
  release(): void {
    if (this.#isEnding) return;
    this.stop();
    this.#manager.join(this);
    this.#sinceMs = this.#nowMs;
    const { mounts, means } = this.#manager;
    const { uid } = this.#pod.metadata;
    if (mounts.ofPod(uid).size === 0) {
      this.#manager.free(this);
      return this.#end();
    }
    const [first] = this.#volumes;
    if (first === undefined) return;
    first.timer = this.#after(sample(means.profile.volumeUnmount, means.random), () => {
      mounts.unmountPod(uid);
      this.#manager.free(this);
      this.#tell(() => this.#end());
    });
  }

  #end(): void {
    this.#isReleased = true;
    this.#manager.forget(this);
  }

  /** Nothing goes on; what is mounted stays. */
  stop(): void {
    const { clock } = this.#manager.means.kernel;
    for (const each of this.#volumes) {
      if (each.timer !== undefined) clock.cancel(each.timer);
      each.timer = undefined;
    }
    if (this.#poll !== undefined) clock.cancel(this.#poll);
    this.#poll = undefined;
    this.#isEnding = true;
  }

  get #nowMs(): number {
    return this.#manager.means.kernel.clock.now();
  }

  #isMounted({ claimed }: PodVolume): boolean {
    return this.#manager.mounts.ofPod(this.#pod.metadata.uid).has(claimed.name);
  }

  #isAttached({ isAttachable, uniqueName }: NodeVolume): boolean {
    return !isAttachable || this.#manager.isAttached(uniqueName);
  }

  #after(delayMs: number, task: () => void): Timer {
    return this.#manager.means.kernel.clock.schedule(delayMs, task);
  }

  /** The worker sees it at its next look. */
  #tell(before?: () => void): void {
    if (this.#poll !== undefined) return;
    const polls = Math.ceil((this.#nowMs - this.#sinceMs) / POLL_MS);
    this.#poll = this.#after(this.#sinceMs + polls * POLL_MS - this.#nowMs, () => {
      this.#poll = undefined;
      before?.();
      this.#onChange();
    });
  }

  #askForClaim(each: PodVolume): void {
    const { client } = this.#manager.means;
    const { namespace } = this.#pod.metadata;
    const { claimName: name } = each.claimed;
    each.isAsked = true;
    client.get('PersistentVolumeClaim', { namespace, name }, (error, claim) => {
      if (this.#isEnding) return;
      if (claim === undefined) return this.#fail(each, `failed to fetch PVC from API server: ${error?.message}`);
      const problem = this.#claimProblem(each.claimed, claim);
      if (problem === undefined) this.#askForVolume(each, claim);
      else this.#fail(each, problem);
    });
  }

  #claimProblem({ isEphemeral }: ClaimedVolume, claim: PersistentVolumeClaim): string | undefined {
    const { metadata, spec, status } = claim;
    const stranger = isEphemeral ? ownershipProblem(this.#pod, claim) : undefined;
    if (stranger !== undefined) return stranger;
    if (metadata.deletionTimestamp !== undefined) return 'PVC is being deleted';
    if (status.phase !== 'Bound') return 'PVC is not bound';
    return (spec.volumeName ?? '') === '' ? 'PVC has empty pvc.Spec.VolumeName' : undefined;
  }

  #askForVolume(each: PodVolume, claim: PersistentVolumeClaim): void {
    const { client } = this.#manager.means;
    const name = claim.spec.volumeName ?? '';
    client.get('PersistentVolume', { name }, (error, volume) => {
      if (this.#isEnding) return;
      const problem = volumeProblem(name, claim, volume, error);
      if (problem !== undefined || volume === undefined) this.#fail(each, problem ?? '');
      else this.#askForDriver(each, volume);
    });
  }

  /** Whether the volume's driver attaches volumes at all. */
  #askForDriver(each: PodVolume, volume: PersistentVolume): void {
    const csi = csiVolumeOf(volume);
    if (csi === undefined) return this.#resolved(each, nodeVolume(volume, `pv/${volume.metadata.name}`, false));
    this.#manager.means.client.get('CSIDriver', { name: csi.driver }, (error, driver) => {
      if (this.#isEnding) return;
      if (driver === undefined && !isApiError(error, 'NotFound')) return this.#fail(each, error?.message ?? '');
      const isAttachable = driver?.spec.attachRequired !== false;
      this.#resolved(each, nodeVolume(volume, csi.uniqueName, isAttachable));
    });
  }

  #resolved(each: PodVolume, volume: NodeVolume): void {
    each.isAsked = false;
    each.volume = volume;
    if (!volume.isAttachable || this.#manager.want(volume, this)) this.#mount(each, volume);
  }

  #fail(each: PodVolume, error: string): void {
    const { namespace = '' } = this.#pod.metadata;
    each.isAsked = false;
    this.#errors.push(`error processing PVC ${namespace}/${each.claimed.claimName}: ${error}`);
    this.#tell();
  }

  #mount(each: PodVolume, volume: NodeVolume): void {
    if (this.#isEnding || each.timer !== undefined || this.#isMounted(each)) return;
    const { mounts, means } = this.#manager;
    const { uid } = this.#pod.metadata;
    if (volume.isForOnePod && mounts.isUsedByOthers(volume.uniqueName, uid)) return this.#refuse(each, volume);
    each.timer = this.#after(sample(means.profile.volumeMount, means.random), () => {
      each.timer = undefined;
      mounts.mount({ uid, podVolume: each.claimed.name, volume });
      if (this.isReady) this.#tell();
    });
  }

  /** Another pod has the volume: tried again after a while. */
  #refuse(each: PodVolume, volume: NodeVolume): void {
    const message = `MountVolume.SetUp failed for volume "${volume.name}" : ${IN_USE}`;
    this.#manager.means.events.pod(this.#pod, 'Warning', 'FailedMount', message);
    each.gapMs = each.gapMs === 0 ? FIRST_GAP_MS : Math.min(each.gapMs * 2, LONGEST_GAP_MS);
    each.timer = this.#after(each.gapMs, () => {
      each.timer = undefined;
      this.#mount(each, volume);
    });
  }
}

function nodeVolume({ metadata, spec }: PersistentVolume, uniqueName: string, isAttachable: boolean): NodeVolume {
  const { accessModes = [] } = spec;
  const isForOnePod = accessModes.length === 1 && accessModes.every((mode) => ONE_POD.includes(mode));
  return { uniqueName, name: metadata.name, isAttachable, isForOnePod };
}

function volumeProblem(
  name: string,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
  error: Error | undefined,
): string | undefined {
  if (volume === undefined) return `failed to fetch PV ${name} from API server: ${error?.message}`;
  const { claimRef } = volume.spec;
  if (claimRef === undefined) {
    return `found PV object "${name}" but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`;
  }
  const { uid } = claim.metadata;
  if (claimRef.uid === uid) return undefined;
  return `found PV object "${name}" but its pv.Spec.ClaimRef.UID "${claimRef.uid ?? ''}" does not point to claim.UID "${uid}"`;
}

/** As Go prints a list of names. */
function listText(volumes: readonly PodVolume[]): string {
  return `[${volumes
    .map(({ claimed }) => claimed.name)
    .sort()
    .join(' ')}]`;
}
