import type { Pod } from '../../../api/objects.js';
import type { CSINode, PersistentVolumeClaim, VolumeAttachment } from '../../../api/storage-objects.js';
import { ActionType, onEvent, QueueingHint, type ClusterEventWithHint } from '../../framework/cluster-event.js';
import { StateKey, type CycleState, type StateData } from '../../framework/cycle-state.js';
import type { FilterPlugin, PreFilterPlugin, PreFilterResult } from '../../framework/interface.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { PodShape } from '../../framework/pod-shape.js';
import { Code, createStatus, type Status } from '../../framework/status.js';
import { attachedVolumes, collectVolumes, type VolumeProblem, type VolumeSet } from './attached-volumes.js';
import { driverOf, isMigratable } from './in-tree-volumes.js';
import { refersToClaim, volumesOf } from './pod-claims.js';
import { VolumeListers, type VolumeHandle } from './volume-listers.js';

const NAME = 'NodeVolumeLimits';
const SKIPPED: PreFilterResult = { status: createStatus(Code.Skip, NAME) };
const TOO_MANY = createStatus(Code.Unschedulable, NAME, 'node(s) exceed max volume count');
const NO_ATTACHMENTS: readonly VolumeAttachment[] = [];

/** Attachments by node, sorted out once per attempt. */
class LimitState implements StateData {
  constructor(readonly attachments: ReadonlyMap<string, readonly VolumeAttachment[]>) {}

  clone(): LimitState {
    return this;
  }
}

const STATE = new StateKey<LimitState>(`PreFilter${NAME}`);

/** Rejects nodes whose CSI drivers can attach no more volumes. Upstream: plugin NodeVolumeLimits of kube-scheduler v1.34. */
export class NodeVolumeLimits implements PreFilterPlugin, FilterPlugin {
  readonly name = NAME;
  readonly #listers: VolumeListers;

  constructor(handle: VolumeHandle) {
    this.#listers = new VolumeListers(handle);
  }

  answersByShape({ spec }: PodShape): boolean {
    return spec.volumes === undefined;
  }

  preFilter(state: CycleState, { pod }: PodInfo): PreFilterResult | undefined {
    if (!hasCountedVolume(pod)) return SKIPPED;
    state.write(STATE, new LimitState(this.#attachmentsByNode()));
    return undefined;
  }

  filter(state: CycleState, { pod }: PodInfo, node: NodeInfo): Status | undefined {
    if (volumesOf(pod).length === 0) return undefined;
    const csiNode = this.#listers.csiNode(node.name);
    const wanted: VolumeSet = new Map();
    const problem = collectVolumes(this.#listers, pod, csiNode, true, wanted);
    if (problem !== undefined) return problemStatus(problem);
    const limits = limitsOf(csiNode);
    if (wanted.size === 0 || limits.size === 0) return undefined;
    const attachments = (state.read(STATE)?.attachments ?? this.#attachmentsByNode()).get(node.name) ?? NO_ATTACHMENTS;
    if (isFarFromLimits(node, wanted, attachments.length, limits)) return undefined;
    const used: VolumeSet = new Map();
    for (const { pod: existing } of node.pods) {
      if (existing.spec.volumes === undefined) continue;
      const fault = collectVolumes(this.#listers, existing, csiNode, false, used);
      if (fault !== undefined) return createStatus(Code.Error, NAME, fault.text);
    }
    for (const volume of used.keys()) wanted.delete(volume);
    for (const [volume, driver] of attachedVolumes(this.#listers, attachments)) used.set(volume, driver);
    const usedCounts = countByDriver(used);
    for (const [driver, count] of countByDriver(wanted)) {
      const limit = limits.get(driver);
      if (limit !== undefined && (usedCounts.get(driver) ?? 0) + count > limit) return TOO_MANY;
    }
    return undefined;
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

  #attachmentsByNode(): ReadonlyMap<string, readonly VolumeAttachment[]> {
    const byNode = new Map<string, VolumeAttachment[]>();
    for (const attachment of this.#listers.list('VolumeAttachment')) {
      const { nodeName } = attachment.spec;
      const known = byNode.get(nodeName);
      if (known === undefined) byNode.set(nodeName, [attachment]);
      else known.push(attachment);
    }
    return byNode;
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
 * one of them may be a fault.
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
    for (const { ephemeral } of volumes) if (ephemeral !== undefined) return false;
  }
  for (const driver of wanted.values()) if (most > (limits.get(driver) ?? Number.POSITIVE_INFINITY)) return false;
  return true;
}

const NO_LIMITS: ReadonlyMap<string, number> = new Map();
const knownLimits = new WeakMap<CSINode, ReadonlyMap<string, number>>();

function limitsOf(csiNode: CSINode | undefined): ReadonlyMap<string, number> {
  if (csiNode === undefined) return NO_LIMITS;
  const known = knownLimits.get(csiNode);
  if (known !== undefined) return known;
  const limits = new Map<string, number>();
  for (const { name, allocatable } of csiNode.spec.drivers) {
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
  }
  knownLimits.set(csiNode, limits);
  return limits;
}

function countByDriver(volumes: VolumeSet): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const driver of volumes.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
  return counts;
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
