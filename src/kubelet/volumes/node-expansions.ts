/**
 * File systems of one node that grow because their volumes have: the claim says that it is under way, the driver does
 * it while pods use the volume, and the claim has its new size. Mirrors the kubelet's volume manager with its node
 * expander (pkg/volume/util/operationexecutor/node_expander.go, v1.34); that it can fail is left out.
 */
import {
  allocatedSize,
  compareSizes,
  grantedSize,
  isNodeResizeDue,
  nodeResizeBegun,
  resizeFinished,
  resizeStatusOf,
} from '../../api/volumes/claim-resize.js';
import { claimedVolumes } from '../../api/volumes/claimed-volumes.js';
import type { Pod } from '../../api/objects/objects.js';
import type { PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import type { Client } from '../../bus/bus-types.js';
import type { Timer } from '../../kernel/engine/clock.js';
import { sample } from '../../kernel/distribution.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { RandomStream } from '../../kernel/random.js';
import { nextMountGapMs } from './mount-gaps.js';
import type { PodEvents } from '../events/pod-events.js';
import type { RuntimeProfile } from '../scripts/runtime-profile.js';
import type { MountTable } from './mount-table.js';
import type { VolumeGrowth } from './volume-growth.js';
import { LateMap } from '../../kernel/late-collections.js';

/** A kubelet syncs each pod that often, or up to half as much later. */
const SYNC_PERIOD_MS = 60_000;
const SYNC_JITTER = 0.5;

/** What growing takes. */
interface ExpansionMeans {
  readonly kernel: Kernel;
  readonly client: Client;
  readonly events: PodEvents;
  readonly profile: Pick<RuntimeProfile, 'volumeExpand'>;
  readonly random: RandomStream;
  readonly nodeName: string;
}

/** A volume with a file system that is to grow. */
interface Expansion {
  timer: Timer | undefined;
  /** How long the next attempt waits after one that failed. */
  gapMs: number;
}

/** See the file header. */
export class NodeExpansions {
  readonly #means: ExpansionMeans;
  readonly #growth: VolumeGrowth;
  readonly #mounts: MountTable;
  /** By the name of the PersistentVolume. */
  readonly #expansions = new LateMap<string, Expansion>();
  #random: RandomStream | undefined;
  #silence: (() => void) | undefined;

  constructor(means: ExpansionMeans, growth: VolumeGrowth, mounts: MountTable) {
    this.#means = means;
    this.#growth = growth;
    this.#mounts = mounts;
  }

  /** The kubelet's process begins: it looks at all that is mounted. */
  begin(): void {
    this.#silence ??= this.#growth.listen((volume) => {
      if (this.#userOf(volume) !== undefined) this.#lookAfter(volume, this.#untilSyncMs());
    });
    for (const { volume } of this.#mounts.all()) this.mounted(volume.name);
  }

  /** The process ends, with whatever was under way. */
  end(): void {
    this.#silence?.();
    this.#silence = undefined;
    for (const { timer } of this.#expansions.values()) {
      if (timer !== undefined) this.#means.kernel.clock.cancel(timer);
    }
    this.#expansions.clear();
  }

  /** A volume has been mounted: if it has grown meanwhile its file system grows now. */
  mounted(volume: string): void {
    if (this.#growth.isDue(volume)) this.#lookAfter(volume, 0);
  }

  #untilSyncMs(): number {
    const { kernel, nodeName } = this.#means;
    this.#random ??= kernel.random(`kubelet/${nodeName}/volume-expansion`);
    return Math.round(this.#random.unit() * SYNC_PERIOD_MS * (1 + SYNC_JITTER * this.#random.unit()));
  }

  #lookAfter(volume: string, delayMs: number): void {
    let expansion = this.#expansions.get(volume);
    if (expansion?.timer !== undefined) return;
    expansion ??= { timer: undefined, gapMs: 0 };
    this.#expansions.set(volume, expansion);
    const waiting = expansion;
    waiting.timer = this.#means.kernel.clock.schedule(delayMs, () => {
      waiting.timer = undefined;
      this.#look(volume, waiting);
    });
  }

  /** Asks for the claim as it is now. */
  #look(volume: string, expansion: Expansion): void {
    const user = this.#userOf(volume);
    if (user === undefined) return void this.#expansions.delete(volume);
    const { namespace } = user.pod.metadata;
    this.#means.client.get('PersistentVolumeClaim', { namespace, name: user.claimName }, (_error, claim) => {
      if (this.#expansions.get(volume) !== expansion) return;
      if (claim === undefined) return this.#retry(volume, expansion);
      const size = allocatedSize(claim);
      const isDue = size !== undefined && claim.spec.volumeName === volume && isNodeResizeDue(claim);
      if (size !== undefined && (isDue || isDoneElsewhere(claim, size))) this.#begin(volume, expansion, claim, size);
      else this.#expansions.delete(volume);
    });
  }

  #begin(volume: string, expansion: Expansion, claim: PersistentVolumeClaim, size: string): void {
    const expand = (begun: PersistentVolumeClaim): void => {
      const { kernel, profile, random } = this.#means;
      expansion.timer = kernel.clock.schedule(sample(profile.volumeExpand, random), () => {
        expansion.timer = undefined;
        this.#finish(volume, expansion, begun, size);
      });
    };
    if (!isNodeResizeDue(claim)) return expand(claim);
    this.#write(volume, expansion, claim, nodeResizeBegun, expand);
  }

  /** What other nodes have told already is not told again. */
  #finish(volume: string, expansion: Expansion, claim: PersistentVolumeClaim, size: string): void {
    const { events, nodeName } = this.#means;
    const message = `MountVolume.NodeExpandVolume succeeded for volume "${volume}" ${nodeName}`;
    const pod = this.#userOf(volume)?.pod;
    if (pod !== undefined) events.pod(pod, 'Normal', 'FileSystemResizeSuccessful', message);
    events.claim(claim, 'Normal', 'FileSystemResizeSuccessful', message);
    if (!isNodeResizeDue(claim)) return void this.#expansions.delete(volume);
    this.#write(
      volume,
      expansion,
      claim,
      (current) => resizeFinished(current, size),
      () => this.#expansions.delete(volume),
    );
  }

  #write(
    volume: string,
    expansion: Expansion,
    { metadata: { namespace, name, resourceVersion } }: PersistentVolumeClaim,
    change: (claim: PersistentVolumeClaim) => PersistentVolumeClaim,
    then: (claim: PersistentVolumeClaim) => void,
  ): void {
    const options = { subresource: 'status', preconditions: { resourceVersion } } as const;
    this.#means.client.change('PersistentVolumeClaim', { namespace, name }, change, options, (_error, written) => {
      if (this.#expansions.get(volume) !== expansion) return;
      if (written === undefined) this.#retry(volume, expansion);
      else then(written);
    });
  }

  #retry(volume: string, expansion: Expansion): void {
    expansion.gapMs = nextMountGapMs(expansion.gapMs);
    this.#lookAfter(volume, expansion.gapMs);
  }

  /** A pod of the node that may write to the volume, and the claim by which it does. */
  #userOf(volume: string): { readonly pod: Pod; readonly claimName: string } | undefined {
    for (const { pod, podVolume, volume: mounted } of this.#mounts.all()) {
      if (mounted.name !== volume) continue;
      const claimed = claimedVolumes(pod).find(({ name }) => name === podVolume);
      const declared = pod.spec.volumes?.find(({ name }) => name === podVolume);
      if (claimed === undefined || declared?.persistentVolumeClaim?.readOnly === true) continue;
      return { pod, claimName: claimed.claimName };
    }
    return undefined;
  }
}

/** Whether another node has reported the size first: a volume for many nodes grows on each of them all the same. */
function isDoneElsewhere(claim: PersistentVolumeClaim, size: string): boolean {
  const isForMany = claim.spec.accessModes?.includes('ReadWriteMany') === true;
  return isForMany && resizeStatusOf(claim) === undefined && compareSizes(grantedSize(claim), size) >= 0;
}
