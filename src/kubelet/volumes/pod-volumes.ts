/**
 * The volumes of one pod on their way into it and out again. Those of claims: claims and volumes are looked up, the
 * node says that it uses them, they are attached, and mounted; those of config maps and secrets: see pod-config.ts. The pod's machine waits for all
 * of it before it starts anything, and at the end until nothing is mounted. Mirrors WaitForAttachAndMount and
 * WaitForUnmount of the kubelet with its desired state of the world (v1.34).
 */
import { attachRecordOf } from '../../api/volumes/attach-record.js';
import type { ClaimedVolume } from '../../api/volumes/claimed-volumes.js';
import type { Pod } from '../../api/objects/objects.js';
import type { Timer } from '../../kernel/engine/clock.js';
import { sample } from '../../kernel/distribution.js';
import type { RandomStream } from '../../kernel/random.js';
import type { ConfigReading } from '../config/config-cache.js';
import { PodConfig, type ConfigHolder, type ConfigMeans, type ConfigNeed } from './pod-config.js';
import type { ConfigKind } from '../../api/pods/config-references.js';
import type { RuntimeProfile } from '../scripts/runtime-profile.js';
import { checkAttachment } from './attachment-check.js';
import { nextMountGapMs } from './mount-gaps.js';
import type { MountTable, NodeVolume } from './mount-table.js';
import type { NodeExpansions } from './node-expansions.js';
import { lookUpVolume, type LookupMeans } from './volume-lookup.js';

/** The pod's worker looks that often whether its volumes are mounted, or unmounted. */
const POLL_MS = 300;
/** After so long without its volumes a sync of the pod has failed. */
export const MOUNT_TIMEOUT_MS = 123_000;
/** Between a sync that has failed and the next one. */
const PAUSE_MS = 10_000;
const IN_USE = 'volume uses the ReadWriteOncePod access mode and is already in use by another pod';

const NO_ERRORS: readonly string[] = [];
const NO_VOLUMES: readonly PodVolume[] = [];

/** What mounting takes. */
export interface VolumeMeans extends LookupMeans, ConfigMeans {
  readonly profile: Pick<RuntimeProfile, 'volumeMount' | 'volumeUnmount' | 'volumeExpand'>;
  readonly random: RandomStream;
  readonly nodeName: string;
}

/** The node's side of its pods' volumes. */
export interface VolumeHolder {
  readonly means: VolumeMeans;
  readonly mounts: MountTable;
  readonly expansions: NodeExpansions;
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
  /** Its record was seen to name this node, or is being looked for. */
  record: 'seen' | 'asked' | undefined;
  /** Its VolumeAttachment is being looked at. */
  isChecked: boolean;
  /** How long the next attempt to mount it waits after one that failed. */
  gapMs: number;
}

/** What has such volumes. */
export interface VolumeOwner {
  /** At the pod's next look there is something to be seen. */
  volumesChanged(): void;
}

/** See the file header. */
export class PodVolumes implements ConfigHolder {
  readonly #manager: VolumeHolder;
  readonly #pod: Pod;
  readonly #volumes: readonly PodVolume[] = NO_VOLUMES;
  /** `undefined` = it names none. */
  readonly #config: PodConfig | undefined;
  readonly #owner: VolumeOwner;
  /** When the present wait began. */
  #sinceMs = 0;
  /** What went wrong with a claim. */
  #errors: readonly string[] = NO_ERRORS;
  #poll: Timer | undefined;
  #isEnding = false;
  #isReleased = false;

  constructor(
    manager: VolumeHolder,
    pod: Pod,
    expected: readonly ClaimedVolume[],
    need: ConfigNeed | undefined,
    owner: VolumeOwner,
  ) {
    this.#manager = manager;
    this.#pod = pod;
    this.#owner = owner;
    if (need !== undefined) this.#config = new PodConfig(manager.means, pod, need, this);
    if (expected.length === 0) return;
    this.#volumes = expected.map((claimed) => {
      const volume = manager.mounts.ofPod(pod.metadata.uid).get(claimed.name)?.volume;
      return { claimed, isAsked: false, volume, timer: undefined, record: undefined, isChecked: false, gapMs: 0 };
    });
  }

  /** All that its containers need is mounted. */
  get isReady(): boolean {
    return this.#config?.isReady !== false && this.#volumes.every((each) => this.#isMounted(each));
  }

  /** All is mounted, and what the pod names can be read. */
  get isReadable(): boolean {
    return this.isReady && this.#config?.isReadable !== false;
  }

  /** A claim cannot be used, or not yet: the sync fails at once. */
  get hasFailed(): boolean {
    return this.#errors.length > 0;
  }

  /** Nothing of the pod is mounted any more, nor will be. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** The pod has its config maps and secrets already; they are watched once a sync asks for them. */
  resume(): void {
    this.#config?.resume();
  }

  /** A sync of the pod begins; what has come about meanwhile needs no wait. */
  look(): void {
    this.#config?.look();
  }

  /** Reads what the pod names. */
  read(kind: ConfigKind, name: string): ConfigReading {
    return this.#config?.read(kind, name) ?? { problem: { text: `object "${name}" not registered`, isMissing: false } };
  }

  /** A sync of the pod begins to wait. */
  beginWait(): void {
    this.#manager.join(this);
    this.#sinceMs = this.#nowMs;
    this.#errors = NO_ERRORS;
    this.#config?.beginWait();
    for (const each of this.#volumes) if (each.volume === undefined && !each.isAsked) this.#lookUp(each);
  }

  /** Why the sync has failed, in upstream's words; `undefined` = it has waited in vain, which has no event. */
  takeFailure(): string | undefined {
    if (this.#errors.length === 0) return undefined;
    const unmounted = this.#volumes.filter((each) => !this.#isMounted(each));
    const unattached = unmounted.filter(({ volume }) => volume !== undefined && !this.#isAttached(volume));
    const unknown = unmounted.filter(({ volume }) => volume === undefined);
    const error = this.#errors.join('; ');
    this.#errors = NO_ERRORS;
    const lists = [
      `unmounted volumes=${listText([...namesOf(unmounted), ...(this.#config?.unmounted ?? [])])}`,
      `unattached volumes=${listText(namesOf(unattached))}`,
      `failed to process volumes=${listText(namesOf(unknown))}`,
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
    if (this.#volumes.length === 0) return this.#end();
    this.#manager.join(this);
    this.#sinceMs = this.#nowMs;
    const { uid } = this.#pod.metadata;
    if (this.#manager.mounts.ofPod(uid).size === 0) {
      this.#manager.free(this);
      return this.#end();
    }
    const [first] = this.#volumes;
    if (first === undefined) return;
    first.gapMs = 0;
    this.#unmount(first);
  }

  /** Unmounts after its time; one that fails is tried again after ever longer times, without an event. */
  #unmount(first: PodVolume): void {
    const { mounts, means } = this.#manager;
    const unmountMs = sample(means.profile.volumeUnmount, means.random) + mounts.troubles.delayOf('unmount');
    first.timer = this.#after(unmountMs, () => {
      first.timer = undefined;
      if (mounts.troubles.errorOf('unmount') !== undefined) {
        first.gapMs = nextMountGapMs(first.gapMs);
        first.timer = this.#after(first.gapMs, () => this.#unmount(first));
        return;
      }
      mounts.unmountPod(this.#pod.metadata.uid);
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
    this.#config?.stop();
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

  /** Its config maps and secrets are there; the worker sees it at its next look. */
  configReady(): void {
    this.#tellReady();
  }

  #tellReady(): void {
    if (this.isReady) this.#tell();
  }

  /** The worker sees it at its next look. */
  #tell(before?: () => void): void {
    if (this.#poll !== undefined) return;
    this.#poll = this.#after(untilLookMs(this.#nowMs - this.#sinceMs), () => {
      this.#poll = undefined;
      before?.();
      this.#owner.volumesChanged();
    });
  }

  #lookUp(each: PodVolume): void {
    each.isAsked = true;
    const question = { pod: this.#pod, claimed: each.claimed, isOver: () => this.#isEnding };
    lookUpVolume(this.#manager.means, question, (error, volume) => {
      if (this.#isEnding) return;
      each.isAsked = false;
      if (error !== undefined) this.#errors = [...this.#errors, error];
      if (volume === undefined) this.#tell();
      else this.#resolved(each, volume);
    });
  }

  #resolved(each: PodVolume, volume: NodeVolume): void {
    each.volume = volume;
    if (!volume.isAttachable || this.#manager.want(volume, this)) this.#mount(each, volume);
  }

  #mount(each: PodVolume, volume: NodeVolume): void {
    if (this.#isEnding || each.timer !== undefined || each.isChecked || this.#isMounted(each)) return;
    const { mounts, means } = this.#manager;
    if (volume.isRecorded && each.record !== 'seen') return this.#askForRecord(each, volume);
    if (volume.isForOnePod && mounts.isUsedByOthers(volume.uniqueName, this.#pod.metadata.uid)) {
      return this.#refuse(each, volume, 'SetUp', IN_USE);
    }
    if (volume.handle === undefined) return this.#setUp(each, volume);
    each.isChecked = true;
    checkAttachment(means.client, volume.handle, means.nodeName, (problem) => {
      each.isChecked = false;
      if (this.#isEnding) return;
      if (problem === undefined) this.#setUp(each, volume);
      else this.#refuse(each, volume, 'WaitForAttach', problem);
    });
  }

  #setUp(each: PodVolume, volume: NodeVolume): void {
    const { mounts, means } = this.#manager;
    const { uid } = this.#pod.metadata;
    const mountMs = sample(means.profile.volumeMount, means.random) + mounts.troubles.delayOf('mount');
    each.timer = this.#after(mountMs, () => {
      each.timer = undefined;
      const error = mounts.mountError(volume.name);
      if (error !== undefined) return this.#refuse(each, volume, 'SetUp', error);
      mounts.mount({ uid, pod: this.#pod, podVolume: each.claimed.name, volume });
      this.#manager.expansions.mounted(volume.name);
      this.#tellReady();
    });
  }

  /** It cannot be mounted now: tried again after a while, from the start. */
  #refuse(each: PodVolume, volume: NodeVolume, step: 'WaitForAttach' | 'SetUp', error: string): void {
    const message = `MountVolume.${step} failed for volume "${volume.name}" : ${error}`;
    this.#manager.means.events.pod(this.#pod, 'Warning', 'FailedMount', message);
    each.record = undefined;
    this.#mountLater(each, volume);
  }

  #mountLater(each: PodVolume, volume: NodeVolume): void {
    each.gapMs = nextMountGapMs(each.gapMs);
    each.timer = this.#after(each.gapMs, () => {
      each.timer = undefined;
      this.#mount(each, volume);
    });
  }

  /**
   * Mounts once this node has the volume, by the record as it is now. The node has reported before that it uses the
   * volume, and a release reads that report after it has marked the record: one of both sees the other.
   */
  #askForRecord(each: PodVolume, volume: NodeVolume): void {
    if (each.record === 'asked') return;
    const { client, nodeName } = this.#manager.means;
    each.record = 'asked';
    client.get('PersistentVolume', { name: volume.name }, (_error, stored) => {
      const record = stored === undefined ? undefined : attachRecordOf(stored);
      const isOurs = record?.nodeName === nodeName && record.release === undefined;
      each.record = isOurs ? 'seen' : undefined;
      if (this.#isEnding) return;
      if (isOurs) this.#mount(each, volume);
      else this.#mountLater(each, volume);
    });
  }
}

/** From some time into a wait to the worker's next look: a wait that was in vain is begun anew after a pause. */
function untilLookMs(elapsedMs: number): number {
  const waitedMs = elapsedMs % (MOUNT_TIMEOUT_MS + PAUSE_MS);
  if (waitedMs > MOUNT_TIMEOUT_MS) return MOUNT_TIMEOUT_MS + PAUSE_MS - waitedMs;
  return Math.ceil(waitedMs / POLL_MS) * POLL_MS - waitedMs;
}

function namesOf(volumes: readonly PodVolume[]): readonly string[] {
  return volumes.map(({ claimed }) => claimed.name);
}

/** As Go prints a list of names. */
function listText(names: readonly string[]): string {
  return `[${names.toSorted().join(' ')}]`;
}
