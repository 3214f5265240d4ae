import type { Pod } from '../../../api/objects/objects.js';
import type { CSINode, PersistentVolumeClaim, VolumeAttachment } from '../../../api/objects/storage-objects.js';
import { ActionType, onEvent, QueueingHint, type ClusterEventWithHint } from '../../framework/cluster-event.js';
import { StateKey, type CycleState, type StateData } from '../../framework/cycle-state.js';
import type {
  ColumnFilter,
  FilterPlugin,
  PreFilterPlugin,
  PreFilterResult,
  Snapshot,
} from '../../framework/interface.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { PodShape } from '../../framework/pod-shape.js';
import { Code, createStatus, type Status } from '../../framework/status.js';
import { AttachIndex } from './attach-index.js';
import { AttachmentsByNode } from './attachments-by-node.js';
import {
  attachedVolumes,
  collectVolumes,
  countByDriver,
  isBeyondLimits,
  limitsOf,
  type VolumeProblem,
  type VolumeSet,
} from './attached-volumes.js';
import { LimitFilter } from './limit-filter.js';
import { driverOf, isMigratable } from './in-tree-volumes.js';
import { refersToClaim, volumesOf } from './pod-claims.js';
import { VolumeListers, type VolumeHandle } from './volume-listers.js';
import { WantedVolumes } from './wanted-volumes.js';
import { hasPlacedVolumes } from './placed-volumes.js';

const NAME = 'NodeVolumeLimits';
const SKIPPED: PreFilterResult = { status: createStatus(Code.Skip, NAME) };
const TOO_MANY = createStatus(Code.Unschedulable, NAME, 'node(s) exceed max volume count');

/** What the nodes of an attempt have attached, and what its pod brings along. */
class LimitState implements StateData {
  readonly #listers: VolumeListers;
  readonly #pod: Pod;
  #wanted: WantedVolumes | undefined;
  #attachments: AttachmentsByNode | undefined;

  constructor(
    listers: VolumeListers,
    pod: Pod,
    /** Up to date; absent where it cannot be kept. */
    readonly index: AttachIndex | undefined,
  ) {
    this.#listers = listers;
    this.#pod = pod;
  }

  get wanted(): WantedVolumes {
    this.#wanted ??= new WantedVolumes(this.#listers, this.#pod);
    return this.#wanted;
  }

  /** Sorted out once per attempt, if at all. */
  get attachments(): AttachmentsByNode {
    this.#attachments ??= this.index?.attachments ?? new AttachmentsByNode(this.#listers.list('VolumeAttachment'));
    return this.#attachments;
  }

  clone(): LimitState {
    return this;
  }
}

const STATE = new StateKey<LimitState>(`PreFilter${NAME}`);

/** Rejects nodes with CSI drivers that can attach no more volumes (plugin NodeVolumeLimits of kube-scheduler v1.34). */
export class NodeVolumeLimits implements PreFilterPlugin, FilterPlugin {
  readonly name = NAME;
  readonly #listers: VolumeListers;
  readonly #index: AttachIndex | undefined;

  constructor(handle: VolumeHandle) {
    this.#listers = new VolumeListers(handle);
    this.#index = AttachIndex.of(handle);
  }

  answersByShape({ spec }: PodShape): boolean {
    return !hasPlacedVolumes(spec);
  }

  preFilter(state: CycleState, { pod }: PodInfo, { columns }: Snapshot): PreFilterResult | undefined {
    if (!hasCountedVolume(pod)) return SKIPPED;
    this.#index?.catchUp(columns);
    state.write(STATE, new LimitState(this.#listers, pod, this.#index));
    return undefined;
  }

  passesAll(state: CycleState): boolean {
    const { index, wanted } = state.read(STATE) ?? {};
    if (index === undefined || wanted?.counts === undefined) return false;
    if (wanted.counts.size === 0) return true;
    if (index.hasFaults) return false;
    for (const [driver, count] of wanted.counts) {
      if (index.spareOf(driver)?.hasRoomEverywhere(count) === false) return false;
    }
    return true;
  }

  compileFilter(state: CycleState, _pod: PodInfo, columns: NodeColumns): ColumnFilter | undefined {
    const { index, wanted } = state.read(STATE) ?? {};
    if (index === undefined || wanted === undefined || wanted.problem !== undefined) return undefined;
    return index.hasFaults || !index.follows(columns) ? undefined : new LimitFilter(index, wanted, TOO_MANY);
  }

  filter(state: CycleState, { pod }: PodInfo, node: NodeInfo): Status | undefined {
    if (volumesOf(pod).length === 0) return undefined;
    const csiNode = this.#listers.csiNode(node.name);
    const wanted: VolumeSet = new Map();
    const problem = collectVolumes(this.#listers, pod, csiNode, true, wanted);
    if (problem !== undefined) return problemStatus(problem);
    const limits = limitsOf(csiNode);
    if (wanted.size === 0 || limits.size === 0) return undefined;
    const known = state.read(STATE) ?? new LimitState(this.#listers, pod, undefined);
    const attachments = known.attachments.on(node.name);
    if (isFarFromLimits(node, wanted, attachments.size, limits)) return undefined;
    const used: VolumeSet = new Map();
    for (const { pod: existing } of node.pods) {
      if (existing.spec.volumes === undefined) continue;
      const fault = collectVolumes(this.#listers, existing, csiNode, false, used);
      if (fault !== undefined) return createStatus(Code.Error, NAME, fault.text);
    }
    for (const volume of used.keys()) wanted.delete(volume);
    for (const [volume, driver] of attachedVolumes(this.#listers, attachments.values())) used.set(volume, driver);
    return isBeyondLimits(countByDriver(wanted), countByDriver(used), limits) ? TOO_MANY : undefined;
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      onEvent('CSINode', ActionType.Add | ActionType.Update, (_pod, before, after) =>
        hint(before === undefined || hasGrown(before as CSINode, after as CSINode)),
      ),
      onEvent('Pod', ActionType.Delete, (_pod, deleted) => afterPodDelete(deleted as Pod)),
      onEvent('PersistentVolumeClaim', ActionType.Add, (pod, _old, added) =>
        hint(refersToClaim(pod, added as PersistentVolumeClaim)),
      ),
      onEvent('VolumeAttachment', ActionType.Delete, (pod, deleted) => hint(mayNeed(pod, deleted as VolumeAttachment))),
    ];
  }
}

function problemStatus({ text, isMissing }: VolumeProblem): Status {
  return createStatus(isMissing ? Code.UnschedulableAndUnresolvable : Code.Error, NAME, text);
}

/** A pod without such a volume brings nothing that any driver counts. */
function hasCountedVolume(pod: Pod): boolean {
  return volumesOf(pod).some(
    (volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined || isMigratable(volume),
  );
}

/**
 * Whether the node is fine even if every volume of its pods were one of the drivers that matter: on
 * most nodes that saves to look at each. Claims that were made for pods are always looked at, since
 * one of them may be a fault, as a claim without a name is.
 */
function isFarFromLimits(
  { pods }: NodeInfo,
  wanted: VolumeSet,
  attachmentCount: number,
  limits: ReadonlyMap<string, number>,
): boolean {
  let most = wanted.size + attachmentCount;
  for (const { pod } of pods) {
    const { volumes } = pod.spec;
    if (volumes === undefined) continue;
    most += volumes.length;
    for (const { ephemeral, persistentVolumeClaim } of volumes) {
      if (ephemeral !== undefined || persistentVolumeClaim?.claimName === '') return false;
    }
  }
  for (const driver of wanted.values()) if (most > (limits.get(driver) ?? Number.POSITIVE_INFINITY)) return false;
  return true;
}

function hint(isHelpful: boolean): QueueingHint {
  return isHelpful ? QueueingHint.Queue : QueueingHint.Skip;
}

/** A driver that had no limit counts as if it had been 0, as upstream. */
function hasGrown(before: CSINode, after: CSINode): boolean {
  const limits = limitsOf(before);
  for (const [driver, limit] of limitsOf(after)) if (limit > (limits.get(driver) ?? 0)) return true;
  return false;
}

function afterPodDelete(deleted: Pod): QueueingHint {
  if ((deleted.spec.nodeName ?? '') === '' && (deleted.status.nominatedNodeName ?? '') === '') return QueueingHint.Skip;
  return hint(hasCountedVolume(deleted));
}

/** Which volume a claim stands for is not asked. */
function mayNeed(pod: Pod, { spec }: VolumeAttachment): boolean {
  return volumesOf(pod).some(
    (volume) => volume.persistentVolumeClaim !== undefined || driverOf(volume) === spec.attacher,
  );
}
