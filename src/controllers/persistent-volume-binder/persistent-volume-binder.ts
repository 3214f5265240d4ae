/**
 * The volume binder: finds volumes for claims, binds the two, lets go of them when they are deleted,
 * and stands in for the provisioners of storage classes. It never chooses nodes: for claims that wait
 * for their pod the scheduler does. Mirrors kube-controller-manager v1.34
 * pkg/controller/volume/persistentvolume with the protection controllers of volumes and claims.
 */
import { defineController } from '../runtime/controller-definition.js';
import { BinderMemory } from './binder-memory.js';
import { provision, removeVolume } from './provision.js';
import { syncClaim } from './sync-claim.js';
import { syncVolume } from './sync-volume.js';

/** See the file header. */
export const persistentVolumeBinder = defineController({
  name: 'persistentvolume-binder-controller',
  component: 'persistentvolume-controller',
  setup: (context) => new BinderMemory(context),
  reconcile(context, key, memory) {
    const space = key.indexOf(' ');
    const object = key.slice(space + 1);
    const binder = { context, memory };
    switch (key.slice(0, space)) {
      case 'claim':
        return syncClaim(binder, object);
      case 'volume':
        return syncVolume(binder, object);
      case 'provision':
        return provision(binder, object);
      default:
        return removeVolume(binder, object);
    }
  },
});
