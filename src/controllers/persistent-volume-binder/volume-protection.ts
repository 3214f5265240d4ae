/**
 * Volume protection: a volume that is deleted stays as long as it is bound to a claim. Mirrors
 * kube-controller-manager v1.34 pkg/controller/volume/pvprotection.
 */
import type { PersistentVolume } from '../../api/objects/storage-objects.js';
import { defineController } from '../runtime/controller-definition.js';
import { addFinalizer, removeFinalizer } from './protection-finalizer.js';

const FINALIZER = 'kubernetes.io/pv-protection';

/** See the file header. */
export const volumeProtection = defineController({
  name: 'persistentvolume-protection-controller',
  concurrentSyncs: Number.POSITIVE_INFINITY,
  setup(context) {
    const see = (volume: PersistentVolume): void => {
      if (needsWork(volume)) context.queue.add(volume.metadata.name);
    };
    return context.watch('PersistentVolume', { onAdd: see, onUpdate: (_previous, volume) => see(volume) });
  },
  async reconcile(context, name, volumes) {
    const volume = volumes.getByKey(name);
    if (volume === undefined || !needsWork(volume)) return;
    const isDeleted = volume.metadata.deletionTimestamp !== undefined;
    await (isDeleted ? removeFinalizer : addFinalizer)(context, 'PersistentVolume', { name }, FINALIZER);
  },
});

/** Volumes that live have the finalizer; those that are deleted and not bound are to lose it. */
function needsWork({ metadata, status }: PersistentVolume): boolean {
  const isProtected = metadata.finalizers?.includes(FINALIZER) === true;
  if (metadata.deletionTimestamp === undefined) return !isProtected;
  return isProtected && status.phase !== 'Bound';
}
