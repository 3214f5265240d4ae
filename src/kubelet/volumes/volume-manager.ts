/**
 * The volumes of one node's pods: which of them the node says that it uses, and which have been attached to
 * it. A node says that it uses a volume before that is mounted, and until it is unmounted: the controller
 * that attaches volumes goes by that. Pods without claims are not kept here. Mirrors pkg/kubelet/volumemanager
 * (v1.34) without its loops of 100 ms: what they would find is computed.
 */
import { claimedVolumes, type ClaimedVolume } from '../../api/volumes/claimed-volumes.js';
import type { Node, Pod } from '../../api/objects/objects.js';
import { MountTable, type NodeVolume } from './mount-table.js';
import { configNeedOf } from './pod-config.js';
import { mountedVolumes } from './mounted-volumes.js';
import { NodeExpansions } from './node-expansions.js';
import { PodVolumes, type VolumeHolder, type VolumeMeans, type VolumeOwner } from './pod-volumes.js';
import type { VolumeGrowth } from './volume-growth.js';
import { LateMap, LateSet } from '../../kernel/late-collections.js';

const NOTHING: readonly string[] = [];
/** Of volumes that are only to go. */
const NOBODY: VolumeOwner = { volumesChanged: () => undefined };

/** A volume that must be attached before pods can have it. */
export interface WantedVolume {
  /** Pods that want it, in order of arrival. */
  readonly pods: Set<PodVolumes>;
  /** The node's status in the API says that the node uses it. */
  isReported: boolean;
  isAttached: boolean;
}

/** See the file header. */
export class VolumeManager implements VolumeHolder {
  readonly mounts = new MountTable();
  readonly means: VolumeMeans;
  readonly expansions: NodeExpansions;
  /** Told when the node uses other volumes than before. */
  #onChange: (() => void) | undefined;
  readonly #wanted = new LateMap<string, WantedVolume>();
  readonly #pods = new LateSet<PodVolumes>();
  /** What the API server shows for certain. */
  #reported: readonly string[] = NOTHING;
  #attached: readonly string[] = NOTHING;

  /** @param growth - tells which volumes have grown */
  constructor(means: VolumeMeans, growth: VolumeGrowth) {
    this.means = means;
    this.expansions = new NodeExpansions(means, growth, this.mounts);
  }

  /** The kubelet's process begins, and remembers nothing; what is mounted is mounted. */
  begin(onChange: () => void): void {
    this.#onChange = onChange;
    this.expansions.begin();
  }

  /** The API server has the node's status with these volumes in use, from before. */
  resume(names: readonly string[]): void {
    this.#reported = names;
  }

  /** The process ends, with whatever was under way. */
  end(): void {
    this.expansions.end();
    for (const pod of this.#pods) pod.stop();
    this.means.config.end();
    this.#pods.clear();
    this.#wanted.clear();
    this.#attached = NOTHING;
    this.#reported = NOTHING;
    this.#onChange = undefined;
  }

  /**
   * What a pod has of claims, config maps and secrets; `undefined` = nothing.
   *
   * @param isBegun - it has had a sandbox: its volumes were set up before that
   */
  of(pod: Pod, isBegun: boolean, owner: VolumeOwner): PodVolumes | undefined {
    const expected = expectedVolumes(pod);
    const need = configNeedOf(pod, isBegun);
    if (expected.length === 0 && need === undefined) return undefined;
    return new PodVolumes(this, pod, expected, need, owner);
  }

  /**
   * Unmounts what pods without a worker have left: volumes that a kubelet finds mounted when it starts are unmounted
   * once it knows its pods (reconstructVolumes and unmountVolumes, v1.34).
   *
   * @param hasWorker - tells by uid whether a pod looks after its own volumes
   */
  releaseOrphans(hasWorker: (uid: string) => boolean): void {
    const orphans = new Map<string, Pod>();
    for (const { uid, pod } of this.mounts.all()) if (!hasWorker(uid)) orphans.set(uid, pod);
    for (const pod of orphans.values()) this.of(pod, true, NOBODY)?.release();
  }

  /** What `status.volumesInUse` is to say. */
  inUse(): readonly string[] {
    if (this.#wanted.size === 0 && this.mounts.isEmpty) return NOTHING;
    const names = new Set(this.#wanted.keys());
    for (const { volume } of this.mounts.all()) if (volume.isAttachable) names.add(volume.uniqueName);
    return [...names].sort();
  }

  /** The API server is being told: what is not among these volumes may not be in the node's status any more. */
  reporting(names: readonly string[]): void {
    if (this.#reported.some((name) => !names.includes(name))) {
      this.#reported = this.#reported.filter((name) => names.includes(name));
    }
  }

  /** The API server has the node's status with these volumes in use; what has changed since is told again. */
  reported(names: readonly string[]): void {
    this.#reported = names;
    this.#tellChange();
    for (const name of names) {
      const wanted = this.#wanted.get(name);
      if (wanted === undefined || wanted.isReported) continue;
      wanted.isReported = true;
      this.#look(name, wanted);
    }
  }

  /** The node's object, as the API shows it. */
  nodeShown({ status }: Node): void {
    const { volumesAttached } = status;
    this.#attached = volumesAttached === undefined ? NOTHING : volumesAttached.map(({ name }) => name);
    for (const name of this.#attached) {
      const wanted = this.#wanted.get(name);
      if (wanted !== undefined) this.#look(name, wanted);
    }
  }

  /** A pod wants a volume. @returns whether it is attached */
  want({ uniqueName }: NodeVolume, pod: PodVolumes): boolean {
    let wanted = this.#wanted.get(uniqueName);
    if (wanted === undefined) {
      const isAttached = this.mounts.isUsedByOthers(uniqueName, '');
      const isReported = this.#reported.includes(uniqueName);
      wanted = { pods: new Set(), isReported, isAttached };
      this.#wanted.set(uniqueName, wanted);
      this.#look(uniqueName, wanted);
      this.#tellChange();
    }
    wanted.pods.add(pod);
    return wanted.isAttached;
  }

  /** A pod uses nothing any more; what no other pod uses is free. */
  free(pod: PodVolumes): void {
    for (const [name, wanted] of this.#wanted) {
      if (wanted.pods.delete(pod) && wanted.pods.size === 0) this.#wanted.delete(name);
    }
    this.#tellChange();
  }

  /** A pod begins to wait, or to end. */
  join(pod: PodVolumes): void {
    this.#pods.add(pod);
  }

  /** A pod has come to its end. */
  forget(pod: PodVolumes): void {
    this.#pods.delete(pod);
  }

  isAttached(uniqueName: string): boolean {
    return this.#wanted.get(uniqueName)?.isAttached === true;
  }

  #tellChange(): void {
    const names = this.inUse();
    const isSame = names.length === this.#reported.length && names.every((name, at) => name === this.#reported[at]);
    if (!isSame) this.#onChange?.();
  }

  /**
   * Looks whether the volume is attached: what the node does not say that it uses, or its status does not show, is
   * looked for in the loop's next round, without a back-off (VerifyControllerAttachedVolume, v1.34).
   */
  #look(name: string, wanted: WantedVolume): void {
    if (wanted.isAttached || !wanted.isReported || !this.#attached.includes(name)) return;
    wanted.isAttached = true;
    for (const pod of wanted.pods) pod.attached(name);
  }
}

/** Volumes of claims that some container of the pod mounts, or has as a device. */
function expectedVolumes(pod: Pod): readonly ClaimedVolume[] {
  const claimed = claimedVolumes(pod);
  if (claimed.length === 0) return claimed;
  const used = mountedVolumes(pod.spec);
  return claimed.filter(({ name }) => used.has(name));
}
