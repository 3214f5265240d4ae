/** What the binder knows: claims, volumes, classes, and which pods use which claims. */
import { PODS_BY_CLAIM } from '../../api/volumes/claimed-volumes.js';
import { keyOf, type Pod } from '../../api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import { usesOf, VOLUMES_BY_USE } from '../../api/volumes/volume-rules.js';
import type { Lister } from '../../bus/bus-types.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import { PassTimes } from '../runtime/pass-times.js';
import { watchStorage, type StorageCache } from './storage-access.js';

/** Claims without a volume are looked at anew as often as this, all at once (resync of pv_controller_base.go, v1.34). */
export const RESYNC_MS = 15_000;

/** Kinds of work, as keys begin. */
export type Work = 'claim' | 'volume';

/** See the file header. */
export class BinderMemory {
  readonly claims: StorageCache<'PersistentVolumeClaim'>;
  readonly volumes: StorageCache<'PersistentVolume'>;
  readonly classes: StorageCache<'StorageClass'>;
  readonly #pods: Lister<'Pod'>;
  readonly #context: ControllerContext;
  readonly #resyncs = new PassTimes(RESYNC_MS);
  /** Volumes that are being bound, by the claim's key: no other claim may take them meanwhile. */
  readonly #pending = new Map<string, string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#resyncs.begin(context.kernel.clock.now());
    const { queue } = context;
    const addClaim = (claim: PersistentVolumeClaim): void => this.add('claim', keyOf(claim));
    const addVolume = (volume: PersistentVolume): void => {
      this.add('volume', keyOf(volume));
      const claimKey = claimKeyOf(volume);
      if (claimKey !== undefined) this.add('claim', claimKey);
    };
    this.volumes = watchStorage(
      context,
      'PersistentVolume',
      {
        onAdd: addVolume,
        onUpdate: (_previous, volume) => addVolume(volume),
        onDelete: (volume) => {
          queue.drop(workKey('volume', keyOf(volume)));
          addVolume(volume);
        },
      },
      VOLUMES_BY_USE,
    );
    this.claims = watchStorage(context, 'PersistentVolumeClaim', {
      onAdd: addClaim,
      onUpdate: (_previous, claim) => addClaim(claim),
      onDelete: ({ metadata, spec }) => {
        queue.drop(workKey('claim', `${metadata.namespace ?? ''}/${metadata.name}`));
        if ((spec.volumeName ?? '') !== '') this.add('volume', spec.volumeName ?? '');
      },
    });
    this.classes = watchStorage(context, 'StorageClass');
    this.#pods = context.informer('Pod', PODS_BY_CLAIM);
  }

  add(work: Work, key: string): void {
    this.#context.queue.add(workKey(work, key));
  }

  /** Work for the next time at which everything is looked at anew; it falls every so often from the start. */
  addAtResync(work: Work, key: string): void {
    const { kernel, queue } = this.#context;
    const nowMs = kernel.clock.now();
    queue.addAfter(workKey(work, key), (this.#resyncs.after(nowMs) ?? nowMs) - nowMs);
  }

  /** Pods that use a claim. */
  podsOf(claimKey: string): Iterable<Pod> {
    return this.#pods.byIndex('claim', claimKey);
  }

  /** Keeps a volume for a claim while it is being bound; `false` if another claim is at it. */
  hold(volumeName: string, claimKey: string): boolean {
    const holder = this.#pending.get(volumeName);
    if (holder !== undefined && holder !== claimKey) return false;
    this.#pending.set(volumeName, claimKey);
    return true;
  }

  release(volumeName: string): void {
    this.#pending.delete(volumeName);
  }

  /** Volumes that a claim could have, and no other claim is at. */
  volumesFor(claim: PersistentVolumeClaim): PersistentVolume[] {
    const claimKey = keyOf(claim);
    const found: PersistentVolume[] = [];
    for (const use of usesOf(claim)) {
      for (const volume of this.volumes.byIndex('use', use)) {
        const holder = this.#pending.get(volume.metadata.name);
        if (holder === undefined || holder === claimKey) found.push(volume);
      }
    }
    return found;
  }
}

/** The key of a piece of work. */
function workKey(work: Work, key: string): string {
  return `${work} ${key}`;
}

/** The claim that a volume is set aside for. */
export function claimKeyOf({ spec }: PersistentVolume): string | undefined {
  const { claimRef } = spec;
  return claimRef === undefined ? undefined : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`;
}
