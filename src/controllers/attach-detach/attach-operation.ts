import type { CsiVolume, VolumeHandle } from '../../api/attachable-volume.js';
import type { Pod } from '../../api/objects.js';
import type { AttachmentPolls } from './attachment-polls.js';
import type { PairKey } from './desired-state.js';
import type { OperationName } from './pending-operations.js';

/** One volume on its way to a node, or from it. */
export interface AttachOperation {
  readonly name: OperationName;
  readonly key: PairKey;
  /** Which operations exclude this one. */
  readonly exclusion: string;
  readonly nodeName: string;
  readonly uniqueName: string;
  readonly handle: VolumeHandle;
  readonly attachment: string;
  /** Known of what is attached. */
  readonly volume: CsiVolume | undefined;
  /** Pods that are told how attaching went. */
  readonly pods: readonly Pod[];
  /** Before it detaches, it makes sure that the node does not use the volume. */
  readonly isVerified: boolean;
  /** `undefined` = the driver has not been asked yet. */
  polls: AttachmentPolls | undefined;
}

/** A volume for one node alone is in one operation at a time, whatever the node. */
export function operationKey({
  key,
  volume,
}: {
  readonly key: PairKey;
  readonly volume: CsiVolume | undefined;
}): string {
  return volume?.isExclusive === true ? volume.uniqueName : key;
}
