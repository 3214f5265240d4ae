/** Which events may help pods that VolumeBinding rejected (kube-scheduler v1.34). */
import { isSameJson } from '../../../../api/values/canonical-json.js';
import type { Pod } from '../../../../api/objects/objects.js';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  PersistentVolumeClaim,
  StorageClass,
} from '../../../../api/objects/storage-objects.js';
import { ActionType, onEvent, QueueingHint, type ClusterEventWithHint } from '../../../framework/cluster-event.js';
import { refersToClaim, volumesOf } from '../pod-claims.js';
import { volumeLimit } from './claim-plan.js';

const MIGRATED_PLUGINS = 'storage.alpha.kubernetes.io/migrated-plugins';
const ADD_OR_UPDATE = ActionType.Add | ActionType.Update;

/** The registrations of VolumeBinding. */
export const volumeBindingEvents: readonly ClusterEventWithHint[] = [
  onEvent('StorageClass', ADD_OR_UPDATE, (_pod, before, after) => {
    if (before === undefined) return QueueingHint.Queue;
    const [old, present] = [before, after].map((object) => (object as StorageClass).allowedTopologies ?? []);
    return hint(!isSameJson(old, present));
  }),
  onEvent('PersistentVolumeClaim', ADD_OR_UPDATE, (pod, _before, after) =>
    hint(refersToClaim(pod, after as PersistentVolumeClaim)),
  ),
  onEvent('PersistentVolume', ADD_OR_UPDATE),
  onEvent('Node', ActionType.Add | ActionType.UpdateNodeLabel),
  onEvent('CSINode', ADD_OR_UPDATE, (_pod, before, after) => {
    if (before === undefined) return QueueingHint.Queue;
    return hint(migratedPlugins(before as CSINode) !== migratedPlugins(after as CSINode));
  }),
  onEvent('CSIDriver', ActionType.Update, (pod, before, after) =>
    hint(stoppedTelling(pod, before as CSIDriver, after as CSIDriver)),
  ),
  onEvent('CSIStorageCapacity', ADD_OR_UPDATE, (_pod, before, after) => {
    if (before === undefined) return QueueingHint.Queue;
    const limit = volumeLimit(after as CSIStorageCapacity);
    const oldLimit = volumeLimit(before as CSIStorageCapacity);
    return hint(limit !== undefined && (oldLimit === undefined || limit > oldLimit));
  }),
];

function hint(isHelpful: boolean): QueueingHint {
  return isHelpful ? QueueingHint.Queue : QueueingHint.Skip;
}

function migratedPlugins({ metadata }: CSINode): string {
  return metadata.annotations?.[MIGRATED_PLUGINS] ?? '';
}

/** A driver that no longer tells its capacity is no longer asked; upstream looks at inline volumes only. */
function stoppedTelling(pod: Pod, before: CSIDriver, after: CSIDriver): boolean {
  if (before.spec.storageCapacity !== true || after.spec.storageCapacity === true) return false;
  return volumesOf(pod).some(({ csi }) => csi?.driver === after.metadata.name);
}
