/**
 * Which nodes are not needed, since when, and which of them may go now. Mirrors cluster-autoscaler v1.34
 * `core/scaledown/planner`, `eligibility`, `unneeded` and `unremovable`.
 */
import type { Node } from '../../../api/objects/objects.js';
import type { Timestamps } from '../../../kernel/timestamps.js';
import type { AutoscalerMemory, KnownNode } from '../autoscaler-memory.js';
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

interface UnneededNode extends RemovableNode {
  readonly sinceMs: number;
}

/** What is known of a node while nothing on it changes. */
interface NodeFacts {
  readonly isEmpty: boolean;
  readonly utilization: number;
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
  readonly #facts = new Map<string, NodeFacts>();
  /** Nodes of which facts hold for one look only. */
  readonly #passing = new Set<string>();
  /** When nodes that could not go are looked at again. */
  readonly #recheckMs = new Map<string, number>();
  #unneeded = new Map<string, UnneededNode>();
  #reasons = new Map<string, string>();
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
    const counts = new Map<string, number>();
    for (const reason of this.#reasons.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    return counts;
  }

  /** Forgets what was not needed so far. */
  forget(): void {
    this.#unneeded = new Map();
  }

  /** Looks which nodes are not needed. @param aside - nodes that are not there yet @returns how many could be */
  update(aside: ReadonlySet<string>, nowMs: number): number {
    const { memory, deletions } = this.#means;
    const intervalMs = nowMs - (this.#latestMs ?? Number.NEGATIVE_INFINITY);
    this.#shortestIntervalMs = Math.max(1, Math.min(this.#shortestIntervalMs, intervalMs));
    this.#latestMs = nowMs;
    for (const name of memory.takeTouched()) this.#facts.delete(name);
    for (const name of this.#passing) this.#facts.delete(name);
    this.#passing.clear();
    const candidates = this.#candidates(aside);
    const going = deletions.names;
    const destinations = new Set<string>();
    for (const name of memory.nodes.keys()) if (!aside.has(name) && !going.has(name)) destinations.add(name);
    memory.placement.fork();
    this.#categorize(
      candidates.filter(({ name }) => !going.has(name)),
      destinations,
      nowMs,
    );
    memory.placement.revert();
    this.#hints.forgetOld();
    return candidates.length;
  }

  /** Nodes that may go now. */
  nodesToDelete(nowMs: number): { readonly empty: readonly Node[]; readonly drain: readonly Node[] } {
    const { cloud } = this.#means;
    const sizes = new Map(cloud.groups.map(({ id, targetSize }) => [id, targetSize]));
    const left = this.#totals();
    const removable = [...this.#unneeded.values()].filter((each) => {
      const reason = this.#whyNot(each, sizes, left, nowMs);
      if (reason !== undefined) this.#reasons.set(each.node.metadata.name, reason);
      return reason === undefined;
    });
    const drained = removable.filter(({ pods }) => pods.length > 0);
    const inOrder = [...drained.filter(({ isRisky }) => !isRisky), ...drained.filter(({ isRisky }) => isRisky)];
    return {
      empty: removable.filter(({ pods }) => pods.length === 0).map(({ node }) => node),
      drain: inOrder.map(({ node }) => node),
    };
  }

  /** Nodes of groups that may get smaller: empty ones first, then those that were not needed before. */
  #candidates(aside: ReadonlySet<string>): readonly KnownNode[] {
    const { cloud, memory } = this.#means;
    const open = new Set(cloud.groups.filter(({ targetSize, minSize }) => targetSize > minSize).map(({ id }) => id));
    const ranked: KnownNode[][] = [[], [], [], []];
    for (const known of memory.nodes.values()) {
      const { name } = known;
      const group = aside.has(name) ? undefined : cloud.groupOf(name);
      if (group === undefined || !open.has(group.id)) continue;
      const rank = (this.#factsOf(name).isEmpty ? 0 : 2) + (this.#unneeded.has(name) ? 0 : 1);
      ranked[rank]?.push(known);
    }
    return ranked.flat();
  }

  #categorize(candidates: readonly KnownNode[], destinations: Set<string>, nowMs: number): void {
    const { memory, settings } = this.#means;
    const budgets = new RemainingBudgets(memory.budgets.list());
    const context = { ...this.#context(nowMs), budgets, owner: memory.owner.bind(memory) };
    for (const [name, recheckMs] of this.#recheckMs) {
      if (recheckMs <= nowMs || !memory.nodes.has(name)) this.#recheckMs.delete(name);
    }
    this.#reasons = new Map();
    const updated = new Map<string, UnneededNode>();
    const most = this.#mostUnneeded();
    for (const known of candidates) {
      const { name } = known;
      const reason = this.#whyIneligible(known);
      if (reason !== undefined) {
        this.#reasons.set(name, reason);
        continue;
      }
      if (updated.size >= most) break;
      const outcome = tryRemoval(name, memory.placement, this.#hints, (node) => destinations.has(node), context);
      if ('reason' in outcome) {
        this.#reasons.set(name, outcome.reason);
        this.#recheckMs.set(name, nowMs + settings.unremovableNodeRecheckTimeout);
        continue;
      }
      destinations.delete(name);
      budgets.remove(outcome.pods);
      updated.set(name, { ...outcome, sinceMs: this.#unneeded.get(name)?.sinceMs ?? nowMs });
    }
    this.#unneeded = updated;
  }

  #whyIneligible({ name, node, isReady, markedAt }: KnownNode): string | undefined {
    const { settings, unixSeconds } = this.#means;
    if (this.#recheckMs.has(name)) return 'RecentlyUnremovable';
    if (markedAt !== undefined && (unixSeconds() - markedAt) * 1000 < NODE_DELETION_MS) return 'CurrentlyBeingDeleted';
    if (node.metadata.annotations?.[DISABLED] === 'true') return 'ScaleDownDisabledAnnotation';
    if (!settings.scaleDownUnreadyEnabled && !isReady) return 'ScaleDownUnreadyDisabled';
    const { utilization } = this.#factsOf(name);
    return utilization >= settings.scaleDownUtilizationThreshold ? 'NotUnderutilized' : undefined;
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

  #factsOf(name: string): NodeFacts {
    const known = this.#facts.get(name);
    if (known !== undefined) return known;
    const { memory, settings, timestamps } = this.#means;
    const placed = memory.placement.find(name);
    if (placed === undefined) return { isEmpty: false, utilization: Number.POSITIVE_INFINITY };
    const nowMs = memory.nowMs;
    const toMove = podsToMove(placed.pods, this.#context(nowMs));
    const facts = {
      isEmpty: !('blocking' in toMove) && toMove.pods.length === 0,
      utilization: utilizationOf(placed, settings, memory.placement, nowMs, timestamps).value,
    };
    // What changes by itself is looked at each time anew.
    const changes = placed.pods.some(
      ({ metadata }) => metadata.deletionTimestamp !== undefined || metadata.namespace === 'kube-system',
    );
    if (changes) this.#passing.add(name);
    this.#facts.set(name, facts);
    return facts;
  }

  #context(nowMs: number): DrainContext {
    const { settings, timestamps } = this.#means;
    return { settings, timestamps, nowMs, budgets: NO_BUDGETS };
  }
}

const NO_BUDGETS = new RemainingBudgets([]);
