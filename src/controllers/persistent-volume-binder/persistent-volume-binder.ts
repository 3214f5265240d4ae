/**
 * The volume binder: finds volumes for claims, binds the two, and reclaims volumes that have lost their claim.
 * It never chooses nodes: for claims that wait for their pod the scheduler does. It makes no volumes:
 * the provisioners of storage classes do. Mirrors kube-controller-manager v1.34
 * pkg/controller/volume/persistentvolume.
 */
import { defineController } from '../runtime/controller-definition.js';
import { BinderMemory } from './binder-memory.js';
import { syncClaim } from './sync-claim.js';
import { syncVolume } from './sync-volume.js';

/** See the file header. */
export const persistentVolumeBinder = defineController({
  name: 'persistentvolume-binder-controller',
  component: 'persistentvolume-controller',
  // A claim takes several writes, one after the other: none is to wait for those of all the others.
  concurrentSyncs: Number.POSITIVE_INFINITY,
  setup: (context) => new BinderMemory(context),
  reconcile(context, key, memory) {
    const space = key.indexOf(' ');
    const object = key.slice(space + 1);
    const binder = { context, memory };
    return key.startsWith('claim') ? syncClaim(binder, object) : syncVolume(binder, object);
  },
});
