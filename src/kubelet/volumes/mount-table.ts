/**
 * Which volumes are mounted on one machine, for which pods: the truth, whatever the API shows and whether or
 * not a kubelet runs. It goes when the machine is switched off. Faults act here, from outside.
 */
import type { VolumeHandle } from '../../api/volumes/attachable-volume.js';
import type { Pod } from '../../api/objects/objects.js';
import { Troubles } from '../../kernel/troubles.js';
import { LateMap } from '../../kernel/late-collections.js';

/** A volume as a machine knows it. */
export interface NodeVolume {
  /** As nodes' statuses name it, for volumes that are attached; else a name of the node's own. */
  readonly uniqueName: string;
  /** Name of the PersistentVolume. */
  readonly name: string;
  /** It must be attached before it can be mounted. */
  readonly isAttachable: boolean;
  /** Its handle with the driver that attaches it; `undefined` = there is none. */
  readonly handle: VolumeHandle | undefined;
  /** Its attach record must name the node. */
  readonly isRecorded: boolean;
  /** One pod alone may have it. */
  readonly isForOnePod: boolean;
}

/** One volume in one pod. */
export interface Mount {
  readonly uid: string;
  /** As its kubelet knew it then. */
  readonly pod: Pod;
  /** The volume's name in the pod. */
  readonly podVolume: string;
  readonly volume: NodeVolume;
}

const KEPT_OUT = 'rpc error: code = Unavailable desc = the storage keeps this node out';
const withheldText = (volume: string): string =>
  `rpc error: code = Unavailable desc = the storage keeps volume ${volume} from this node`;
const NO_MOUNTS: ReadonlyMap<string, Mount> = new Map();

/** See the file header. */
export class MountTable {
  /** What goes wrong on this machine. */
  readonly troubles = new Troubles<'mount' | 'unmount'>();
  readonly #byPod = new LateMap<string, Map<string, Mount>>();
  /** PersistentVolumes that storage keeps from this machine, with what is called when a mount misses one. */
  readonly #withheld = new LateMap<string, () => void>();
  #isCutOff = false;

  /** Everything that is mounted, pod by pod. */
  *all(): Generator<Mount, undefined> {
    for (const mounts of this.#byPod.values()) yield* mounts.values();
  }

  get isEmpty(): boolean {
    return this.#byPod.size === 0;
  }

  /** What is mounted for a pod, by the names within the pod. */
  ofPod(uid: string): ReadonlyMap<string, Mount> {
    return this.#byPod.get(uid) ?? NO_MOUNTS;
  }

  /** Whether a volume is mounted for another pod. */
  isUsedByOthers(uniqueName: string, ownUid: string): boolean {
    for (const { uid, volume } of this.all()) if (uid !== ownUid && volume.uniqueName === uniqueName) return true;
    return false;
  }

  mount(mount: Mount): void {
    const { uid, podVolume } = mount;
    const mounts = this.#byPod.get(uid);
    if (mounts === undefined) this.#byPod.set(uid, new Map([[podVolume, mount]]));
    else mounts.set(podVolume, mount);
  }

  unmountPod(uid: string): void {
    this.#byPod.delete(uid);
  }

  /** The machine goes dark. */
  clear(): void {
    this.#byPod.clear();
  }

  /** Storage keeps the machine out: what was mounted is lost to it, and nothing more can be. */
  cutOff(): void {
    this.#isCutOff = true;
    this.clear();
  }

  /** Storage lets the machine in again. */
  letIn(): void {
    this.#isCutOff = false;
  }

  /**
   * Storage takes a PersistentVolume away: where it was mounted it is lost, and it cannot be mounted any more.
   *
   * @param onMet - told each time that this makes a difference
   */
  withhold(volume: string, onMet: () => void): void {
    this.#withheld.set(volume, onMet);
    for (const [uid, mounts] of this.#byPod) {
      for (const [podVolume, mount] of mounts) {
        if (mount.volume.name !== volume) continue;
        mounts.delete(podVolume);
        onMet();
      }
      if (mounts.size === 0) this.#byPod.delete(uid);
    }
  }

  /** Storage gives a PersistentVolume again. */
  grant(volume: string): void {
    this.#withheld.delete(volume);
  }

  /** Why a PersistentVolume cannot be mounted now; `undefined` = it can. */
  mountError(volume: string): string | undefined {
    if (this.#isCutOff) return KEPT_OUT;
    const onMet = this.#withheld.get(volume);
    onMet?.();
    return onMet === undefined ? this.troubles.errorOf('mount') : withheldText(volume);
  }
}
