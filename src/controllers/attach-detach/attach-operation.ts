import type { AttachableVolume, VolumeHandle } from '../../api/volumes/attachable-volume.js';
import type { Pod } from '../../api/objects/objects.js';
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
  /** `undefined` = no driver has anything to do: the record is the attachment. */
  readonly handle: VolumeHandle | undefined;
  /** Name of its VolumeAttachment. */
  readonly attachment: string;
  /** Known of what is attached. */
  readonly volume: AttachableVolume | undefined;
  /** Pods that are told how attaching went. */
  readonly pods: readonly Pod[];
  /** Before it detaches, it makes sure that the node does not use the volume. */
  readonly isVerified: boolean;
  /** Whether the volume is kept from all other nodes meanwhile, as far as that can be made sure of. */
  isHeld: boolean;
  /** By which its record is given up in the end. */
  release: string | undefined;
  /** `undefined` = the driver has had no request yet. */
  polls: AttachmentPolls | undefined;
}

/** A volume for one node alone is in one operation at a time, whatever the node. */
export function operationKey({
  key,
  volume,
}: {
  readonly key: PairKey;
  readonly volume: AttachableVolume | undefined;
}): string {
  return volume?.isExclusive === true ? volume.uniqueName : key;
}
