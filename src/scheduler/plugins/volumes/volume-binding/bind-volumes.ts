/**
 * Makes what Reserve has assumed come true: writes it to the API server, then looks once a second
 * whether the binder has finished. Upstream: `BindPodVolumes` of kube-scheduler v1.34.
 */
import { keyOf, type KubeObject, type Node, type Pod } from '../../../../api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../api/objects/storage-objects.js';
import { isFullyBound, isReachable, SELECTED_NODE } from '../../../../api/volumes/volume-rules.js';
import { assert } from '../../../../kernel/assert.js';
import { volumeOnNode } from '../in-tree-volumes.js';
import type { VolumeHandle, VolumeListers } from '../volume-listers.js';
import { isNewer } from './assume-cache.js';
import type { BindingCaches } from './claim-plan.js';
import type { PodVolumes, VolumeBindingInfo } from './node-volumes.js';

const POLL_MS = 1000;
const TIMED_OUT = 'context deadline exceeded';

/** What binding works with. */
export interface BindVolumesOptions {
  readonly handle: VolumeHandle;
  readonly listers: VolumeListers;
  readonly caches: BindingCaches;
  /** Milliseconds of simulated time that the binder has. */
  readonly timeoutMs: number;
  readonly pod: Pod;
  readonly nodeName: string;
  readonly volumes: PodVolumes;
  /** Told once, with what went wrong if something did. */
  readonly done: (problem: string | undefined) => void;
}

/** Writes and waits; see the file header. */
export function bindVolumes(options: BindVolumesOptions): void {
  new VolumeBind(options).start();
}

class VolumeBind {
  readonly #options: BindVolumesOptions;
  readonly #bindings: VolumeBindingInfo[];
  readonly #provisions: PersistentVolumeClaim[];
  #deadlineMs = 0;

  constructor(options: BindVolumesOptions) {
    this.#options = options;
    this.#bindings = [...options.volumes.bindings];
    this.#provisions = [...options.volumes.provisions];
  }

  start(): void {
    this.#writeVolume(0);
  }

  #writeVolume(index: number): void {
    const binding = this.#bindings[index];
    if (binding === undefined) {
      this.#writeClaim(0);
      return;
    }
    this.#update('PersistentVolume', binding.volume, (volume) => {
      this.#bindings[index] = { ...binding, volume };
      this.#writeVolume(index + 1);
    });
  }

  #writeClaim(index: number): void {
    const claim = this.#provisions[index];
    if (claim === undefined) {
      const { handle, timeoutMs } = this.#options;
      this.#deadlineMs = handle.clock.now() + timeoutMs;
      this.#wait();
      return;
    }
    this.#update('PersistentVolumeClaim', claim, (stored) => {
      this.#provisions[index] = stored;
      this.#writeClaim(index + 1);
    });
  }

  #update<T extends KubeObject>(kind: string, object: T, next: (stored: T) => void): void {
    const { handle, done } = this.#options;
    assert(handle.update !== undefined, `VolumeBinding needs a handle that writes, to bind ${kind} ${keyOf(object)}`);
    handle.update(kind, object, (error, stored) => {
      if (error === undefined) next((stored ?? object) as T);
      else done(error.message);
    });
  }

  #wait(): void {
    const { clock } = this.#options.handle;
    const leftMs = this.#deadlineMs - clock.now();
    clock.schedule(Math.min(POLL_MS, leftMs), () => {
      if (clock.now() >= this.#deadlineMs) {
        this.#options.done(`binding volumes: ${TIMED_OUT}`);
        return;
      }
      const progress = this.#check();
      if (progress === true) this.#options.done(undefined);
      else if (progress === false) this.#wait();
      else this.#options.done(`binding volumes: ${progress}`);
    });
  }

  /** Whether all is bound; a text when it will never be. Assumptions do not count here. */
  #check(): boolean | string {
    const { listers, pod, nodeName } = this.#options;
    const node = listers.find('Node', nodeName);
    if (node === undefined) return `failed to get node "${nodeName}": node "${nodeName}" not found`;
    if (listers.find('Pod', keyOf(pod)) === undefined) {
      return `pod does not exist any more: pod "${pod.metadata.name}" not found`;
    }
    for (const binding of this.#bindings) {
      const progress = this.#checkBinding(binding, node);
      if (progress !== true) return progress;
    }
    for (const claim of this.#provisions) {
      const progress = this.#checkProvision(claim, node);
      if (progress !== true) return progress;
    }
    return true;
  }

  #checkBinding({ volume: written, claim }: VolumeBindingInfo, node: Node): boolean | string {
    const { caches } = this.#options;
    const volume = caches.volumes.getStored(keyOf(written));
    if (volume === undefined) {
      return `failed to check binding: could not find v1.PersistentVolume "${keyOf(written)}"`;
    }
    const present = caches.claims.getStored(keyOf(claim));
    if (present === undefined) {
      return `failed to check binding: could not find v1.PersistentVolumeClaim "${keyOf(claim)}"`;
    }
    if (isNewer(written, volume)) return false;
    const problem = this.#findAffinityProblem(volume, node);
    if (problem !== undefined) return problem;
    if ((volume.spec.claimRef?.uid ?? '') === '') return `ClaimRef got reset for pv "${volume.metadata.name}"`;
    return isFullyBound(present);
  }

  #checkProvision(written: PersistentVolumeClaim, node: Node): boolean | string {
    const { caches, nodeName } = this.#options;
    const claim = caches.claims.getStored(keyOf(written));
    if (claim === undefined) {
      return `failed to check provisioning pvc: could not find v1.PersistentVolumeClaim "${keyOf(written)}"`;
    }
    if (isNewer(written, claim)) return false;
    const { name, annotations } = claim.metadata;
    if (annotations === undefined) return `selectedNode annotation reset for PVC "${name}"`;
    // A provisioner that cannot serve the node takes its name away again.
    if (annotations[SELECTED_NODE] !== nodeName) return `provisioning failed for PVC "${name}"`;
    const { volumeName = '' } = claim.spec;
    if (volumeName !== '') {
      const volume = caches.volumes.getStored(volumeName);
      if (volume === undefined) return false;
      const problem = this.#findAffinityProblem(volume, node);
      if (problem !== undefined) return problem;
    }
    return isFullyBound(claim);
  }

  #findAffinityProblem(volume: PersistentVolume, { metadata }: Node): string | undefined {
    const csiNode = this.#options.listers.csiNode(metadata.name);
    if (isReachable(volumeOnNode(volume, csiNode), metadata.labels)) return undefined;
    const { name } = volume.metadata;
    return `pv "${name}" node affinity doesn't match node "${metadata.name}": no matching NodeSelectorTerms`;
  }
}
