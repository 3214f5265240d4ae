/** What the controllers of storage promise: of attach records, and of which claim or node has which volume. */
import { attachRecordOf } from '../../api/volumes/attach-record.js';
import { csiVolumeOf, recordedVolumeOf } from '../../api/volumes/attachable-volume.js';
import { getCondition } from '../../api/objects/conditions.js';
import { keyOf, type Node } from '../../api/objects/objects.js';
import type { PersistentVolumeClaim } from '../../api/objects/storage-objects.js';
import { isOutOfService } from '../../api/selectors/tolerations.js';
import { isFullyBound } from '../../api/volumes/volume-rules.js';
import { isOfManager } from './calm.js';
import type { Finding, Invariant, World } from './invariant.js';

/** Compare and swap: a volume is taken by a write over a record that was seen to be free. */
const recordsPassByRelease: Invariant = {
  name: 'attach-records-swapped',
  promise: 'the attach record of a volume is taken only after the node that had it has given it up',
  onWrite: {
    PersistentVolume: ({ type, object, previous, by }) => {
      if (type !== 'MODIFIED' || previous === undefined || by === 'user') return undefined;
      const [before, after] = [attachRecordOf(previous), attachRecordOf(object)];
      if (before === undefined || after === undefined || before.nodeName === after.nodeName) return undefined;
      const { name } = object.metadata;
      const text = `passed from ${before.nodeName} to ${after.nodeName}, which never gave it up`;
      return { object: `PersistentVolume ${name}`, text };
    },
  },
};

/** The volume is the claim's own before the claim says that it has one. */
const claimsMatchVolumes: Invariant = {
  name: 'claims-match-volumes',
  promise: 'a claim that has a volume is the one that its volume names, and no volume is taken from its claim',
  onWrite: {
    PersistentVolumeClaim: ({ type, object, previous, by }, world) => {
      if (type === 'DELETED' || !isOfManager(by) || !isFullyBound(object)) return undefined;
      if (previous !== undefined && isFullyBound(previous)) return undefined;
      return mismatch(object, world);
    },
    PersistentVolume: ({ type, object, previous, by }, world) => {
      const before = previous?.spec.claimRef?.uid;
      if (type !== 'MODIFIED' || by === 'user' || before === undefined || before === object.spec.claimRef?.uid)
        return undefined;
      const { namespace, name = '' } = previous?.spec.claimRef ?? {};
      const claim = world.find('PersistentVolumeClaim', { namespace, name });
      if (claim?.metadata.uid !== before || !isFullyBound(claim)) return undefined;
      const now = object.spec.claimRef;
      const text = `was taken from claim ${keyOf(claim)}${now === undefined ? '' : ` for ${now.namespace ?? ''}/${now.name ?? ''}`}`;
      return { object: `PersistentVolume ${object.metadata.name}`, text };
    },
  },
  *atRest(world) {
    for (const claim of world.list('PersistentVolumeClaim')) {
      const finding = claim.status.phase === 'Bound' ? mismatch(claim, world) : undefined;
      if (finding !== undefined) yield finding;
    }
  },
};

/** What was decided while a node was lost has been done by then. */
const DECIDED_MS = 60_000;

/**
 * A node that is well reports itself when it lets go of a volume. A volume counts as taken once its attachment is
 * deleted or its record given up, not by the node's list of attached volumes: that hides a volume before the check
 * whether the node still uses it, and shows it again if so.
 */
const mountedStaysAttached: Invariant = {
  name: 'mounted-stays-attached',
  promise: 'a volume is not taken from a node that is ready and has it mounted',
  onWrite: {
    VolumeAttachment: ({ type, object, previous, by }, world) => {
      const { spec, status } = previous ?? object;
      if (type === 'ADDED' || status?.attached !== true || previous?.metadata.deletionTimestamp !== undefined) {
        return undefined;
      }
      if (type === 'MODIFIED' && object.metadata.deletionTimestamp === undefined) return undefined;
      const stored = world.find('PersistentVolume', { name: spec.source.persistentVolumeName ?? '' });
      const volume = stored === undefined ? undefined : csiVolumeOf(stored);
      return volume === undefined ? undefined : taken(volume.uniqueName, spec.nodeName, by, world);
    },
    PersistentVolume: ({ type, object, previous, by }, world) => {
      const holder = previous === undefined ? undefined : attachRecordOf(previous)?.nodeName;
      if (type !== 'MODIFIED' || holder === undefined || attachRecordOf(object)?.nodeName === holder) return undefined;
      const volume = recordedVolumeOf(object);
      return volume === undefined ? undefined : taken(volume.uniqueName, holder, by, world);
    },
  },
};

/** Every invariant of storage. */
export const STORAGE_INVARIANTS: readonly Invariant[] = [
  recordsPassByRelease,
  claimsMatchVolumes,
  mountedStaysAttached,
];

function mismatch(claim: PersistentVolumeClaim, world: World): { object: string; text: string } | undefined {
  const { volumeName = '' } = claim.spec;
  const volume = world.find('PersistentVolume', { name: volumeName });
  // It may have been taken away by a user meanwhile; then the claim is lost, and will say so.
  if (volume === undefined || volume.spec.claimRef?.uid === claim.metadata.uid) return undefined;
  const { namespace = '', name = 'no claim' } = volume.spec.claimRef ?? {};
  return {
    object: `PersistentVolumeClaim ${keyOf(claim)}`,
    text: `has volume ${volumeName}, which is for ${namespace}/${name}`,
  };
}

/** What is wrong with taking a volume from a node. */
function taken(volume: string, nodeName: string, by: string, world: World): Finding | undefined {
  const node = isOfManager(by) ? world.find('Node', { name: nodeName }) : undefined;
  if (node === undefined || isOutOfService(node.spec.taints)) return undefined;
  const { readySinceMs } = world.node(nodeName) ?? {};
  if (readySinceMs === undefined || world.nowMs - readySinceMs < DECIDED_MS) return undefined;
  if (!isMounted(node, volume, world) || !isSeenReady(node, by, world)) return undefined;
  return { object: `Node ${nodeName}`, text: `is ready and has ${volume} mounted, which is taken from it` };
}

function isReady({ status }: Node): boolean {
  return getCondition(status.conditions, 'Ready')?.status === 'True';
}

function isMounted({ metadata, status }: Node, volume: string, world: World): boolean {
  if (status.volumesInUse?.includes(volume) !== true) return false;
  const mounts = world.machine(metadata.name)?.mounts.all() ?? [];
  for (const { volume: mounted } of mounts) if (mounted.uniqueName === volume) return true;
  return false;
}

/** Whether the controller sees as much. */
function isSeenReady({ metadata }: Node, by: string, world: World): boolean {
  const shown = world
    .caches(by)
    .find(({ kind }) => kind === 'Node')
    ?.objects.get(metadata) as Node | undefined;
  return shown?.metadata.uid === metadata.uid && isReady(shown);
}
