/**
 * Records on claims that are to grow what they wait for: no kind of volume is grown by the controller manager
 * itself any more. Mirrors kube-controller-manager v1.34 pkg/controller/volume/expand.
 */
import { compareSizes, grantedSize, PRE_RESIZE_CAPACITY, requestedSize } from '../../api/volumes/claim-resize.js';
import { keyOf } from '../../api/objects/objects.js';
import type { PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import type { Lister } from '../../bus/bus-types.js';
import { defineController } from '../runtime/controller-definition.js';

/** Upstream's defaultWorkerCount. */
const CONCURRENT_SYNCS = 10;

interface State {
  readonly claims: Lister<'PersistentVolumeClaim'>;
  readonly volumes: Lister<'PersistentVolume'>;
}

/** See the file header. */
export const expandController = defineController<State>({
  name: 'persistentvolume-expander-controller',
  component: 'volume_expand',
  concurrentSyncs: CONCURRENT_SYNCS,
  setup(context) {
    const seen = (claim: PersistentVolumeClaim): void => {
      if (claim.status.phase === 'Bound' && isGrowing(claim)) context.queue.add(keyOf(claim));
    };
    return {
      claims: context.watch('PersistentVolumeClaim', {
        onAdd: seen,
        onUpdate(previous, claim) {
          if (compareSizes(requestedSize(claim), requestedSize(previous)) > 0) seen(claim);
        },
      }),
      volumes: context.informer('PersistentVolume'),
    };
  },
  reconcile(context, key, { claims, volumes }) {
    const claim = claims.getByKey(key);
    const volume = volumes.getByKey(claim?.spec.volumeName ?? '');
    if (claim === undefined || volume?.spec.claimRef?.uid !== claim.metadata.uid) return;
    if (!isGrowing(claim) && volume.metadata.annotations?.[PRE_RESIZE_CAPACITY] === undefined) return;
    const text = 'waiting for an external controller to expand this PVC';
    context.recorder.record(claim, 'Normal', 'ExternalExpanding', text);
  },
});

function isGrowing(claim: PersistentVolumeClaim): boolean {
  return compareSizes(requestedSize(claim), grantedSize(claim)) > 0;
}
