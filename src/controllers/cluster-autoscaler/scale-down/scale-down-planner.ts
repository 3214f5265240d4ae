/**
 * Which nodes are not needed, since when, and which of them may go now. Mirrors cluster-autoscaler v1.34
 * `core/scaledown/planner`, `eligibility`, `unneeded` and `unremovable`.
 */
import type { Node } from '../../../api/objects/objects.js';
import type { Timestamps } from '../../../kernel/timestamps.js';
import type { AutoscalerMemory } from '../autoscaler-memory.js';
import type { KnownNode } from '../known-node.js';
import type { Cloud, NodeGroup } from '../autoscaler-seams.js';
import type { AutoscalerSettings } from '../autoscaler-settings.js';
import { NODE_DELETION_MS } from '../cluster-state.js';
import type { DeletionTracker } from './deletion-tracker.js';
import { podsToMove, type DrainContext } from './drainability.js';
import { HintedPlacement } from '../hinted-placement.js';
import { utilizationOf } from './node-utilization.js';
import { RemainingBudgets } from './remaining-budgets.js';
import { tryRemoval, type RemovableNode } from './removal-trial.js';

const DISABLED = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
const GI = 1_073_741_824;

/** Bits of what is noted of a node while nothing on it changes. */
const KNOWN = 1;
const EMPTY = 2;
/** Something may keep it for a while. */
const HELD = 4;
/** The bits above: which of these reasons keeps it for as long as nothing changes. */
const REASON_SHIFT = 3;
const REASONS = [undefined, 'ScaleDownDisabledAnnotation', 'ScaleDownUnreadyDisabled', 'NotUnderutilized'] as const;
const [FREE, DISABLED_BY_USER, UNREADY, USED] = [0, 1, 2, 3] as const;

interface UnneededNode extends RemovableNode {
  readonly sinceMs: number;
}

/** What the planner is made with. */
export interface PlannerMeans {
  readonly cloud: Cloud;
  readonly settings: AutoscalerSettings;
  readonly memory: AutoscalerMemory;
  readonly deletions: DeletionTracker;
  readonly timestamps: Timestamps;
  /** The present in seconds since 1970. */
  readonly unixSeconds: () => number;
}

/** See the file header. */
export class ScaleDownPlanner {
  readonly #means: PlannerMeans;
  readonly #hints = new HintedPlacement();
  /** When nodes that could not go are looked at again. */
  readonly #recheckMs = new Map<string, number>();
  /** Nodes of which what is noted holds for one look only. */
  readonly #passing = new Set<string>();
  #unneeded = new Map<string, UnneededNode>();
  #unremovable = new Map<string, number>();
  #latestMs: number | undefined;
  #shortestIntervalMs: number;

  constructor(means: PlannerMeans) {
    this.#means = means;
    this.#shortestIntervalMs = Math.max(1, means.settings.scaleDownUnneededTime);
  }

  /** Nodes that are not needed at present. */
  get unneeded(): ReadonlyMap<string, { readonly node: Node }> {
    return this.#unneeded;
  }

  /** How many nodes cannot go, by reason. */
  get unremovable(): ReadonlyMap<string, number> {
    return this.#unremovable;
  }

  /** Forgets what was not needed so far. */
  forget(): void {
    this.#keep(new Map());
  }

  /** Looks which nodes are not needed. @param aside - nodes that are not there yet @returns how many could be */
  update(aside: ReadonlySet<string>, nowMs: number): number {
    const { memory, deletions } = this.#means;
    const intervalMs = nowMs - (this.#latestMs ?? Number.NEGATIVE_INFINITY);
    this.#shortestIntervalMs = Math.max(1, Math.min(this.#shortestIntervalMs, intervalMs));
    this.#latestMs = nowMs;
    this.#forgetNotes();
    const candidates = this.#candidates(aside);
    const going = deletions.names;
    memory.placement.fork();
    this.#categorize(
      candidates,
      going,
      (name) => memory.nodes.has(name) && !aside.has(name) && !going.has(name),
      nowMs,
    );
    memory.placement.revert();
    // All is again as it was when it was noted.
    memory.takeTouched();
    this.#hints.forgetOld();
    return candidates.length;
  }

  /** Of nodes on which something has changed. */
  #forgetNotes(): void {
    const { memory } = this.#means;
    const { nodes, roster } = memory;
    for (const names of [memory.takeTouched(), this.#passing]) {
      for (const name of names) {
        const known = nodes.get(name);
        if (known !== undefined) roster.notes[known.slot] = 0;
      }
    }
    this.#passing.clear();
  }

  /** Nodes that may go now. */
  nodesToDelete(nowMs: number): { readonly empty: readonly Node[]; readonly drain: readonly Node[] } {
    const { cloud } = this.#means;
    const sizes = new Map(cloud.groups.map(({ id, targetSize }) => [id, targetSize]));
    const left = this.#totals();
    const removable = [...this.#unneeded.values()].filter((each) => {
      const reason = this.#whyNot(each, sizes, left, nowMs);
      if (reason !== undefined) this.#countUnremovable(reason);
      return reason === undefined;
    });
    const drained = removable.filter(({ pods }) => pods.length > 0);
    const inOrder = [...drained.filter(({ isRisky }) => !isRisky), ...drained.filter(({ isRisky }) => isRisky)];
    return {
      empty: removable.filter(({ pods }) => pods.length === 0).map(({ node }) => node),
      drain: inOrder.map(({ node }) => node),
    };
  }

  /** Places of nodes of groups that may get smaller: empty ones first, then those that were not needed before. */
  #candidates(aside: ReadonlySet<string>): readonly number[] {
    const { memory, cloud } = this.#means;
    const { roster, nodes } = memory;
    const asideSlots = new Set([...aside].map((name) => nodes.get(name)?.slot));
    const open = new Set(cloud.groups.filter(({ targetSize, minSize }) => targetSize > minSize));
    const ranked: number[][] = [[], [], [], []];
    let last: NodeGroup | undefined;
    let isLastOpen = false;
    for (let slot = 0; slot < roster.end; slot += 1) {
      const group = roster.groupAt(slot);
      if (group !== last) {
        last = group;
        isLastOpen = group !== undefined && open.has(group);
      }
      if (!isLastOpen || (asideSlots.size > 0 && asideSlots.has(slot))) continue;
      if (roster.notes[slot] === 0) this.#note(slot);
      const isEmpty = ((roster.notes[slot] as number) & EMPTY) !== 0;
      ranked[(isEmpty ? 0 : 2) + (roster.isUnneeded[slot] === 1 ? 0 : 1)]?.push(slot);
    }
    return ranked.flat();
  }

  #categorize(
    candidates: readonly number[],
    going: ReadonlySet<string>,
    isThere: (node: string) => boolean,
    nowMs: number,
  ): void {
    const { memory, settings } = this.#means;
    const { roster, nodes } = memory;
    const goingSlots = new Set([...going].map((name) => nodes.get(name)?.slot));
    const budgets = new RemainingBudgets(memory.budgets.list());
    const context = { ...this.#context(nowMs), budgets, owner: memory.owner.bind(memory) };
    for (const [name, recheckMs] of this.#recheckMs) {
      if (recheckMs <= nowMs || !nodes.has(name)) this.#recheckMs.delete(name);
    }
    this.#unremovable = new Map();
    const kept = REASONS.map(() => 0);
    const updated = new Map<string, UnneededNode>();
    const isDestination = (node: string): boolean => isThere(node) && !updated.has(node);
    const most = this.#mostUnneeded();
    for (const slot of candidates) {
      if (goingSlots.size > 0 && goingSlots.has(slot)) continue;
      const notes = roster.notes[slot] as number;
      const hold = (notes & HELD) === 0 ? undefined : this.#heldBy(roster.at(slot));
      if (hold !== undefined) {
        this.#countUnremovable(hold);
        continue;
      }
      const standing = notes >> REASON_SHIFT;
      if (standing !== FREE) {
        // Most nodes are here: they are counted together, in the place of the first.
        if (kept[standing] === 0) this.#countUnremovable(REASONS[standing] ?? '');
        kept[standing] = (kept[standing] as number) + 1;
        continue;
      }
      if (updated.size >= most) break;
      const { name } = (roster.at(slot) as KnownNode).node.metadata;
      const outcome = tryRemoval(name, memory.placement, this.#hints, isDestination, context);
      if ('reason' in outcome) {
        this.#countUnremovable(outcome.reason);
        this.#recheckMs.set(name, nowMs + settings.unremovableNodeRecheckTimeout);
        roster.notes[slot] = notes | HELD;
        continue;
      }
      budgets.remove(outcome.pods);
      updated.set(name, { ...outcome, sinceMs: this.#unneeded.get(name)?.sinceMs ?? nowMs });
    }
    REASONS.forEach((reason, index) => {
      const count = kept[index] as number;
      if (reason !== undefined && count > 0) this.#unremovable.set(reason, count);
    });
    this.#keep(updated);
  }

  #keep(unneeded: Map<string, UnneededNode>): void {
    const { nodes, roster } = this.#means.memory;
    roster.isUnneeded.fill(0);
    this.#unneeded = unneeded;
    for (const name of unneeded.keys()) {
      const slot = nodes.get(name)?.slot;
      if (slot !== undefined) roster.isUnneeded[slot] = 1;
    }
  }

  #countUnremovable(reason: string): void {
    this.#unremovable.set(reason, (this.#unremovable.get(reason) ?? 0) + 1);
  }

  /** What keeps a node for a while. */
  #heldBy(known: KnownNode | undefined): string | undefined {
    if (known === undefined) return undefined;
    const { name, markedAt } = known;
    if (this.#recheckMs.has(name)) return 'RecentlyUnremovable';
    const isHeld = markedAt !== undefined && (this.#means.unixSeconds() - markedAt) * 1000 < NODE_DELETION_MS;
    return isHeld ? 'CurrentlyBeingDeleted' : undefined;
  }

  /** Beyond so many there is no use in looking for more: they could not all go before it is looked again. */
  #mostUnneeded(): number {
    const { maxScaleDownParallelism: atOnce, scaleDownUnneededTime } = this.#means.settings;
    const loops = Math.floor(Math.max(scaleDownUnneededTime, this.#shortestIntervalMs) / this.#shortestIntervalMs);
    return Math.min(this.#unneeded.size + 2 * atOnce, atOnce * loops + atOnce);
  }

  #whyNot(
    { node, sinceMs }: UnneededNode,
    sizes: Map<string, number>,
    left: { cores: number; memoryBytes: number },
    nowMs: number,
  ): string | undefined {
    const { cloud, settings, memory, deletions } = this.#means;
    const { name } = node.metadata;
    if (node.metadata.annotations?.[DISABLED] === 'true') return 'ScaleDownDisabledAnnotation';
    const group: NodeGroup | undefined = cloud.groupOf(name);
    const known = memory.nodes.get(name);
    if (group === undefined || known === undefined) return 'NotAutoscaled';
    if (known.isReady && sinceMs + settings.scaleDownUnneededTime >= nowMs) return 'NotUnneededLongEnough';
    if (!known.isReady && sinceMs + settings.scaleDownUnreadyTime >= nowMs) return 'NotUnreadyLongEnough';
    const size = sizes.get(group.id) ?? 0;
    if (size - deletions.countOf(group.id) <= group.minSize) return 'NodeGroupMinSizeReached';
    const cores = Math.ceil(known.capacity.cpuMillis / 1000);
    if (cores > left.cores || known.capacity.memoryBytes > left.memoryBytes) return 'MinimalResourceLimitExceeded';
    left.cores -= cores;
    left.memoryBytes -= known.capacity.memoryBytes;
    sizes.set(group.id, size - 1);
    return undefined;
  }

  /** By how much the cluster may get smaller before a limit is met. */
  #totals(): { cores: number; memoryBytes: number } {
    const { memory, settings } = this.#means;
    const cores = memory.totals.cores - settings.coresTotal.min;
    const memoryBytes = memory.totals.memoryBytes - settings.memoryTotal.min * GI;
    return { cores, memoryBytes };
  }

  /** Notes what a node is like at present. */
  #note(slot: number): void {
    const { memory, settings, timestamps } = this.#means;
    const { nowMs, placement, roster } = memory;
    const { name, node, isReady, markedAt } = roster.at(slot) as KnownNode;
    const placed = placement.find(name);
    let isEmpty = false;
    let utilization = Number.POSITIVE_INFINITY;
    if (placed !== undefined) {
      const toMove = podsToMove(placed.pods, this.#context(nowMs));
      isEmpty = !('blocking' in toMove) && toMove.pods.length === 0;
      utilization = utilizationOf(placed, settings, placement, nowMs, timestamps).value;
    }
    let reason: number = FREE;
    if (node.metadata.annotations?.[DISABLED] === 'true') reason = DISABLED_BY_USER;
    else if (!settings.scaleDownUnreadyEnabled && !isReady) reason = UNREADY;
    else if (utilization >= settings.scaleDownUtilizationThreshold) reason = USED;
    const isHeld = markedAt !== undefined || this.#recheckMs.has(name);
    roster.notes[slot] = KNOWN | (isEmpty ? EMPTY : 0) | (isHeld ? HELD : 0) | (reason << REASON_SHIFT);
    // What changes by itself is looked at each time anew.
    const isPassing = placed?.pods.some(
      ({ metadata }) => metadata.deletionTimestamp !== undefined || metadata.namespace === 'kube-system',
    );
    if (isPassing !== false) this.#passing.add(name);
  }

  #context(nowMs: number): DrainContext {
    const { settings, timestamps } = this.#means;
    return { settings, timestamps, nowMs, budgets: NO_BUDGETS };
  }
}

const NO_BUDGETS = new RemainingBudgets([]);
