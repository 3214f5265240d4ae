/**
 * Takes nodes away: marks them, waits until everything has heard of that, moves their pods, and has the cloud delete the
 * machines. Mirrors cluster-autoscaler v1.34 `core/scaledown/actuation`.
 */
import type { Node } from '../../../api/objects/objects.js';
import type { Timestamps } from '../../../kernel/timestamps.js';
import type { AutoscalerMemory } from '../autoscaler-memory.js';
import type { KnownNode } from '../known-node.js';
import type { Cloud, NodeGroup } from '../autoscaler-seams.js';
import { addTaint, DELETION_CANDIDATE, removeTaint, TO_BE_DELETED, type TaintMeans } from '../autoscaler-taints.js';
import type { DeletionTracker } from './deletion-tracker.js';
import { podsToMove } from './drainability.js';
import { drainNode, evictDaemons, type DrainMeans } from './node-drain.js';
import { utilizationOf, utilizationText } from './node-utilization.js';
import { isDaemonSetPod, isMirrorPod } from '../pod-traits.js';
import { RemainingBudgets } from './remaining-budgets.js';

/** Nodes that are marked at once. */
const MARKED_AT_ONCE = 5;
const DELAY_ANNOTATION = 'delay-deletion.cluster-autoscaler.kubernetes.io/';
const DELAY_POLL_MS = 5000;

/** What the actuator works with. */
export interface ActuatorMeans extends DrainMeans, TaintMeans {
  readonly cloud: Cloud;
  readonly memory: AutoscalerMemory;
  readonly deletions: DeletionTracker;
  readonly timestamps: Timestamps;
}

/** See the file header. */
export class ScaleDownActuator {
  readonly #means: ActuatorMeans;

  constructor(means: ActuatorMeans) {
    this.#means = means;
  }

  /**
   * Begins to delete as many of these nodes as may be deleted at once. It goes on by itself once they are marked.
   *
   * @returns whether anything was begun @throws Error if a node could not be marked
   */
  async begin(empty: readonly Node[], drained: readonly Node[]): Promise<boolean> {
    const { settings, deletions } = this.#means;
    const { all, drained: draining } = deletions.counts;
    const budget = settings.maxScaleDownParallelism - all;
    const emptyNow = empty.slice(0, Math.max(0, budget));
    const drainBudget = Math.min(budget - emptyNow.length, settings.maxDrainParallelism - draining);
    const drainedNow = drained.slice(0, Math.max(0, drainBudget));
    await this.#mark(emptyNow);
    this.#start(emptyNow, false);
    await this.#mark(drainedNow);
    this.#start(drainedNow, true);
    return emptyNow.length + drainedNow.length > 0;
  }

  /** Marks of earlier runs, which did not live to see the end of what they had begun, are taken away. */
  async cleanUp(): Promise<void> {
    const { memory, cloud, events, settings } = this.#means;
    for (const { node, name, isToBeDeleted } of [...memory.nodes.values()]) {
      if (!isToBeDeleted || cloud.groupOf(name) === undefined) continue;
      try {
        if (await removeTaint(this.#means, node, TO_BE_DELETED, settings.cordonNodeBeforeTerminating)) {
          const text = `removed ${TO_BE_DELETED} taint from node ${name}`;
          events.of(node, 'Normal', 'ClusterAutoscalerCleanup', text);
        }
      } catch (error) {
        const text = `failed to clean ${TO_BE_DELETED} on node ${name}: ${messageOf(error)}`;
        events.of(node, 'Warning', 'ClusterAutoscalerCleanup', text);
      }
    }
  }

  /** Marks nodes that are not needed as ones that are better left alone, and takes that mark from others. */
  async updateSoftTaints(unneeded: ReadonlyMap<string, { readonly node: Node }>): Promise<void> {
    const { memory, settings, nowMs } = this.#means;
    if (settings.maxBulkSoftTaintCount === 0) return;
    const untilMs = nowMs() + settings.maxBulkSoftTaintTime;
    const marked: KnownNode[] = [];
    const unmarked: KnownNode[] = [];
    const { roster } = memory;
    for (let slot = 0; slot < roster.end; slot += 1) {
      if (roster.isCandidate[slot] === roster.isUnneeded[slot] || roster.groupAt(slot) === undefined) continue;
      const known = roster.at(slot);
      if (known === undefined || known.isToBeDeleted) continue;
      (known.isCandidate ? marked : unmarked).push(known);
    }
    let calls = settings.maxBulkSoftTaintCount;
    for (const { node, name } of [...marked, ...unmarked]) {
      if (calls <= 0 || nowMs() >= untilMs) return;
      calls -= 1;
      try {
        if (unneeded.has(name)) await addTaint(this.#means, node, DELETION_CANDIDATE, 'PreferNoSchedule', false);
        else await removeTaint(this.#means, node, DELETION_CANDIDATE, false);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
      }
    }
  }

  async #mark(nodes: readonly Node[]): Promise<void> {
    const { events, settings } = this.#means;
    const marked: Node[] = [];
    let failed = 0;
    const queue = [...nodes];
    const work = async (): Promise<void> => {
      for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
        try {
          await addTaint(this.#means, node, TO_BE_DELETED, 'NoSchedule', settings.cordonNodeBeforeTerminating);
          marked.push(node);
          events.of(node, 'Normal', 'ScaleDown', 'marked the node as toBeDeleted/unschedulable');
        } catch (error) {
          failed += 1;
          const text = `failed to mark the node as toBeDeleted/unschedulable: ${messageOf(error)}`;
          events.of(node, 'Warning', 'ScaleDownFailed', text);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(MARKED_AT_ONCE, nodes.length) }, work));
    if (failed === 0) return;
    for (const node of marked) await this.#unmark(node);
    throw new Error(`couldn't taint ${failed} nodes with ToBeDeleted`);
  }

  #start(nodes: readonly Node[], isDrained: boolean): void {
    const { memory, cloud, deletions, events, settings, timestamps, nowMs } = this.#means;
    for (const node of nodes) {
      const { name } = node.metadata;
      const group = cloud.groupOf(name);
      const placed = memory.placement.find(name);
      if (group === undefined) continue;
      if (!isDrained) events.log('Normal', 'ScaleDownEmpty', `Scale-down: removing empty node "${name}"`);
      else if (placed !== undefined) {
        const utilization = utilizationText(utilizationOf(placed, settings, memory.placement, nowMs(), timestamps));
        const moved = placed.pods.filter((pod) => !isMirrorPod(pod) && !isDaemonSetPod(pod));
        const pods = moved.map(({ metadata }) => metadata.name).join(',');
        const text = `Scale-down: removing node ${name}, utilization: ${utilization}, pods to reschedule: ${pods}`;
        events.log('Normal', 'ScaleDown', text);
      }
      deletions.begin(group.id, name, isDrained);
      void this.#delete(node, group, isDrained);
    }
  }

  /** Its failures are told as events, and never thrown. */
  async #delete(node: Node, group: NodeGroup, isDrained: boolean): Promise<void> {
    const { events, deletions, memory, metrics, settings, pause } = this.#means;
    const { name } = node.metadata;
    try {
      await pause(settings.nodeDeleteDelayAfterTaint);
      await this.#empty(node, isDrained);
      await this.#awaitAnnotations(name);
      const isReady = memory.nodes.get(name)?.isReady === true;
      group.deleteNodes([name]);
      events.of(node, 'Normal', 'ScaleDown', 'nodes removed by cluster autoscaler');
      metrics.scaledDown(!isReady ? 'unready' : isDrained ? 'underutilized' : 'empty');
      if (isDrained) events.log('Normal', 'ScaleDown', `Scale-down: node ${name} removed with drain`);
      else events.log('Normal', 'ScaleDownEmpty', `Scale-down: empty node ${name} removed`);
    } catch (error) {
      const what = isDrained ? 'failed to drain and delete node' : 'failed to delete empty node';
      events.of(node, 'Warning', 'ScaleDownFailed', `${what}: ${messageOf(error)}`);
      await this.#unmark(node);
    } finally {
      deletions.end(name);
    }
  }

  /** Moves what is on a node now. @throws Error if there is something that should not be, or does not go */
  async #empty(node: Node, isDrained: boolean): Promise<void> {
    const { memory, settings, timestamps, nowMs } = this.#means;
    const { name } = node.metadata;
    const pods = memory.placement.find(name)?.pods ?? [];
    const toMove = podsToMove(pods, {
      settings,
      timestamps,
      nowMs: nowMs(),
      budgets: new RemainingBudgets(isDrained ? memory.budgets.list() : []),
      ...(isDrained ? { owner: memory.owner.bind(memory) } : {}),
    });
    if ('blocking' in toMove) throw new Error(`GetPodsToMove for "${name}" returned error: ${toMove.message}`);
    if (isDrained) return drainNode(this.#means, node, pods);
    if (toMove.pods.length > 0) throw new Error(`failed to delete empty node "${name}", new pods scheduled`);
    await evictDaemons(this.#means, pods, settings.daemonsetEvictionForEmptyNodes);
  }

  /** What else has to do with a node may hold up its end for a while. */
  async #awaitAnnotations(name: string): Promise<void> {
    const { memory, settings, nowMs, pause } = this.#means;
    const untilMs = nowMs() + settings.nodeDeletionDelayTimeout;
    const isHeld = (): boolean =>
      Object.keys(memory.nodes.get(name)?.node.metadata.annotations ?? {}).some((key) =>
        key.startsWith(DELAY_ANNOTATION),
      );
    while (isHeld() && nowMs() < untilMs) await pause(DELAY_POLL_MS);
  }

  async #unmark(node: Node): Promise<void> {
    const { memory, settings } = this.#means;
    const present = memory.nodes.get(node.metadata.name)?.node ?? node;
    try {
      await removeTaint(this.#means, present, TO_BE_DELETED, settings.cordonNodeBeforeTerminating);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
