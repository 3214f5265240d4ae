/**
 * Which node has a volume that one node alone may have, and for which pod, as the volume's own object tells it:
 * the lock of the pod safety proposal for storage that has none. Each change of a record is a compare and swap on
 * the PersistentVolume. Upstream has no such record. Pure.
 */
import type { Pod, StringMap } from '../objects/objects.js';
import type { PersistentVolume } from '../objects/storage-objects.js';

const NODE = 'kubeloom.dev/attached-node';
const POD = 'kubeloom.dev/attached-pod';
const RELEASE = 'kubeloom.dev/attach-release';

/** A pod, told apart from others that had its name. */
export interface RecordedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The node that has a volume, and the pod for which. */
export interface AttachRecord {
  readonly nodeName: string;
  /** For which it was attached; others of the node may use it as well. */
  readonly pod: RecordedPod;
  /** It is being detached: it must not be mounted any more. Tells one such attempt from another. */
  readonly release: string | undefined;
}

/** The record on a volume; `undefined` = no node has it. */
export function attachRecordOf({ metadata }: PersistentVolume): AttachRecord | undefined {
  const { [NODE]: nodeName, [POD]: pod = '', [RELEASE]: release } = metadata.annotations ?? {};
  if (nodeName === undefined) return undefined;
  const [namespace = '', name = '', uid = ''] = pod.split('/');
  return { nodeName, pod: { namespace, name, uid }, release };
}

/** The volume with that record; `undefined` = with none. */
export function withAttachRecord(volume: PersistentVolume, record: AttachRecord | undefined): PersistentVolume {
  const { [NODE]: _node, [POD]: _pod, [RELEASE]: _release, ...others } = volume.metadata.annotations ?? {};
  const annotations = record === undefined ? others : { ...others, ...annotationsOf(record) };
  return { ...volume, metadata: { ...volume.metadata, annotations } };
}

/** What a record says of a pod. */
export function recordedPodOf({ metadata: { namespace = '', name, uid } }: Pod): RecordedPod {
  return { namespace, name, uid };
}

function annotationsOf({ nodeName, pod, release }: AttachRecord): StringMap {
  return {
    [NODE]: nodeName,
    [POD]: `${pod.namespace}/${pod.name}/${pod.uid}`,
    ...(release === undefined ? {} : { [RELEASE]: release }),
  };
}
