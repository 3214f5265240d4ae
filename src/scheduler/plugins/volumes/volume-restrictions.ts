import type { core, Pod } from '../../../api/objects/objects.js';
import { ActionType, onEvent, QueueingHint, type ClusterEventWithHint } from '../../framework/cluster-event.js';
import { StateKey, type CycleState, type StateData } from '../../framework/cycle-state.js';
import type {
  FilterPlugin,
  PreFilterExtensions,
  PreFilterPlugin,
  PreFilterResult,
  Snapshot,
} from '../../framework/interface.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { PodShape } from '../../framework/pod-shape.js';
import { Code, createStatus, type Status } from '../../framework/status.js';
import type { PersistentVolumeClaim } from '../../../api/objects/storage-objects.js';
import { claimNotFound, namesClaim, volumesOf } from './pod-claims.js';
import { VolumeListers, type VolumeHandle } from './volume-listers.js';
import { hasPlacedVolumes } from './placed-volumes.js';

const NAME = 'VolumeRestrictions';
const SKIPPED: PreFilterResult = { status: createStatus(Code.Skip, NAME) };
const DISK_CONFLICT = createStatus(Code.Unschedulable, NAME, 'node(s) had no available disk');
const CLAIM_IN_USE = createStatus(
  Code.Unschedulable,
  NAME,
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);
const NO_STATE = createStatus(Code.Error, NAME, `cannot read "PreFilter${NAME}" from cycleState`);
/** What the API server fills in for an image without a pool. */
const DEFAULT_POOL = 'rbd';

class RestrictionState implements StateData {
  constructor(
    /** Names of the pod's claims of which there may be one user in the cluster. */
    readonly exclusiveClaims: ReadonlySet<string>,
    /** Uses of these claims by other pods; above 0 no node is free. */
    public conflicts: number,
  ) {}

  clone(): RestrictionState {
    return new RestrictionState(this.exclusiveClaims, this.conflicts);
  }
}

const STATE = new StateKey<RestrictionState>(`PreFilter${NAME}`);

/** Keeps pods apart that may not share a disk or a claim. Upstream: plugin VolumeRestrictions of kube-scheduler v1.34. */
export class VolumeRestrictions implements PreFilterPlugin, FilterPlugin {
  readonly name = NAME;
  readonly preFilterExtensions: PreFilterExtensions = {
    addPod: (state, _pod, added) => count(state, added, 1),
    removePod: (state, _pod, removed) => count(state, removed, -1),
  };
  readonly #listers: VolumeListers;

  constructor(handle: VolumeHandle) {
    this.#listers = new VolumeListers(handle);
  }

  answersByShape({ spec }: PodShape): boolean {
    return !hasPlacedVolumes(spec);
  }

  preFilter(state: CycleState, { pod }: PodInfo, snapshot: Snapshot): PreFilterResult | undefined {
    if (!hasPlacedVolumes(pod.spec)) return SKIPPED;
    const exclusiveClaims = new Set<string>();
    const { namespace = '' } = pod.metadata;
    for (const { persistentVolumeClaim } of volumesOf(pod)) {
      if (persistentVolumeClaim === undefined) continue;
      const claim = this.#listers.claim(namespace, persistentVolumeClaim.claimName);
      if (claim === undefined) {
        const text = claimNotFound(persistentVolumeClaim.claimName);
        return { status: createStatus(Code.UnschedulableAndUnresolvable, NAME, text) };
      }
      if (claim.spec.accessModes?.includes('ReadWriteOncePod') === true) exclusiveClaims.add(claim.metadata.name);
    }
    const conflicts = exclusiveClaims.size === 0 ? 0 : countUsedClaims(snapshot, namespace, exclusiveClaims);
    if (conflicts === 0 && !volumesOf(pod).some(isRestricted)) return SKIPPED;
    state.write(STATE, new RestrictionState(exclusiveClaims, conflicts));
    return undefined;
  }

  filter(state: CycleState, { pod }: PodInfo, node: NodeInfo): Status | undefined {
    if (hasDiskConflict(pod, node.pods)) return DISK_CONFLICT;
    const known = state.read(STATE);
    if (known === undefined) return NO_STATE;
    return known.conflicts > 0 ? CLAIM_IN_USE : undefined;
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      onEvent('Pod', ActionType.Delete, (pod, deleted) => afterPodDelete(pod, deleted as Pod)),
      onEvent('Node', ActionType.Add),
      onEvent('PersistentVolumeClaim', ActionType.Add, (pod, _old, added) =>
        namesClaim(pod, added as PersistentVolumeClaim) ? QueueingHint.Queue : QueueingHint.Skip,
      ),
    ];
  }
}

/** How many of these claims some pod on some node uses. */
function countUsedClaims(snapshot: Snapshot, namespace: string, names: ReadonlySet<string>): number {
  const used = new Set<string>();
  for (const { pods } of snapshot.nodes) {
    for (const { pod } of pods) {
      if (pod.spec.volumes === undefined || pod.metadata.namespace !== namespace) continue;
      addUsed(used, names, pod.spec.volumes);
      if (used.size === names.size) return used.size;
    }
  }
  return used.size;
}

function addUsed(used: Set<string>, names: ReadonlySet<string>, volumes: readonly core.Volume[]): void {
  for (const { persistentVolumeClaim } of volumes) {
    if (persistentVolumeClaim === undefined || !names.has(persistentVolumeClaim.claimName)) continue;
    used.add(persistentVolumeClaim.claimName);
  }
}

/** Each volume counts, and namespaces are not compared, as upstream. */
function count(state: CycleState, { pod }: PodInfo, sign: 1 | -1): Status | undefined {
  const known = state.read(STATE);
  if (known === undefined) return NO_STATE;
  for (const { persistentVolumeClaim } of volumesOf(pod)) {
    if (persistentVolumeClaim === undefined || !known.exclusiveClaims.has(persistentVolumeClaim.claimName)) continue;
    known.conflicts += sign;
  }
  return undefined;
}

/** A kind of disk that cannot be mounted at will. */
function isRestricted({ gcePersistentDisk, awsElasticBlockStore, rbd, iscsi }: core.Volume): boolean {
  return [gcePersistentDisk, awsElasticBlockStore, rbd, iscsi].some((source) => source !== undefined);
}

function hasDiskConflict(pod: Pod, others: readonly PodInfo[]): boolean {
  for (const volume of volumesOf(pod)) {
    if (!isRestricted(volume)) continue;
    for (const { pod: other } of others) if (hasConflict(volume, other)) return true;
  }
  return false;
}

function hasConflict(volume: core.Volume, other: Pod): boolean {
  for (const used of volumesOf(other)) if (isConflict(volume, used)) return true;
  return false;
}

/** Sharing is fine for readers only; block store volumes are never shared. */
function isConflict(wanted: core.Volume, used: core.Volume): boolean {
  if (wanted.gcePersistentDisk !== undefined && used.gcePersistentDisk !== undefined) {
    const [a, b] = [wanted.gcePersistentDisk, used.gcePersistentDisk];
    if (a.pdName === b.pdName && !areReaders(a, b)) return true;
  }
  if (wanted.awsElasticBlockStore !== undefined && used.awsElasticBlockStore !== undefined) {
    if (wanted.awsElasticBlockStore.volumeID === used.awsElasticBlockStore.volumeID) return true;
  }
  if (wanted.iscsi !== undefined && used.iscsi !== undefined) {
    if (wanted.iscsi.iqn === used.iscsi.iqn && !areReaders(wanted.iscsi, used.iscsi)) return true;
  }
  if (wanted.rbd === undefined || used.rbd === undefined) return false;
  const { monitors, pool = DEFAULT_POOL, image } = wanted.rbd;
  const other = used.rbd;
  if (image !== other.image || pool !== (other.pool ?? DEFAULT_POOL) || areReaders(wanted.rbd, other)) return false;
  return monitors.some((monitor) => other.monitors.includes(monitor));
}

interface Reader {
  readonly readOnly?: boolean | undefined;
}

function areReaders(a: Reader, b: Reader): boolean {
  return a.readOnly === true && b.readOnly === true;
}

/** A pod in the same namespace that conflicted, or shared a claim, has gone. */
function afterPodDelete(pod: Pod, deleted: Pod): QueueingHint {
  if (deleted.metadata.namespace !== pod.metadata.namespace) return QueueingHint.Skip;
  const conflicted = volumesOf(pod).some((volume) => isRestricted(volume) && hasConflict(volume, deleted));
  if (conflicted) return QueueingHint.Queue;
  const claims = new Set(volumesOf(pod).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []));
  const shared = volumesOf(deleted).some(
    ({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined && claims.has(persistentVolumeClaim.claimName),
  );
  return shared ? QueueingHint.Queue : QueueingHint.Skip;
}
