import type { NodeSlots, NodeToStatus, Snapshot } from '../framework/interface.js';
import { Code, type Status } from '../framework/status.js';
import type { Candidate } from './candidate.js';
import type { DryRun } from './dry-run.js';
import { Known, type TrialTable } from './trial-table.js';

/** How far a walk over nodes goes. */
export interface CandidateRange {
  /** Index of the node that is tried first. */
  readonly offset: number;
  /** Candidates that are enough, if at least one of them breaks no budget. */
  readonly wanted: number;
}

/**
 * The nodes that said Unschedulable and nothing worse: fewer pods on them may help. In the order in
 * which they were visited, or in that of the snapshot when a PreFilter spoke for all nodes.
 *
 * @param buffer - where the slots are written; room for all nodes
 */
export function potentialNodes(nodeToStatus: NodeToStatus, snapshot: Snapshot, buffer: Int32Array): NodeSlots {
  if (nodeToStatus.absentStatus.code !== Code.Unschedulable) {
    return nodeToStatus.findSlots(Code.Unschedulable, snapshot, buffer);
  }
  const { order, size } = snapshot;
  if (nodeToStatus.size === 0) return { slots: order, count: size };
  let count = 0;
  for (let index = 0; index < size; index += 1) {
    const slot = order[index] as number;
    if (nodeToStatus.get(snapshot.nodeAt(slot).name).code === Code.Unschedulable) buffer[count++] = slot;
  }
  return { slots: buffer, count };
}

/** Walks over nodes, one after the other, each over buffers that are used again by the next. */
export class CandidateSearch {
  /** Slots of the candidates, those that break no budget first. It stands until the next walk. */
  slots = new Int32Array(0);
  count = 0;
  #violating = new Int32Array(0);
  #rejected = new Int32Array(0);
  #rejectedCount = 0;

  /** Forgets the last walk. */
  clear(): void {
    this.count = 0;
    this.#rejectedCount = 0;
  }

  /** Why the other nodes that were tried are none, and how many say so, in the order of the walk. */
  countStatuses(table: TrialTable): ReadonlyMap<Status, number> {
    const counts = new Map<Status, number>();
    for (let index = 0; index < this.#rejectedCount; index += 1) {
      const status = table.statusAt(this.#rejected[index] as number);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    return counts;
  }

  /** The same by node. */
  statuses(table: TrialTable, snapshot: Snapshot): ReadonlyMap<string, Status> {
    const statuses = new Map<string, Status>();
    for (const slot of this.#rejected.subarray(0, this.#rejectedCount)) {
      statuses.set(snapshot.nodeAt(slot).name, table.statusAt(slot));
    }
    return statuses;
  }

  candidates(table: TrialTable): readonly Candidate[] {
    const candidates: Candidate[] = [];
    for (let index = 0; index < this.count; index += 1) candidates.push(table.candidateAt(this.slots[index] as number));
    return candidates;
  }

  /**
   * Walks round the nodes until there are enough candidates; a node of which the table knows nothing is
   * tried. Upstream: `DryRunPreemption` of kube-scheduler v1.34.
   */
  run(
    table: TrialTable,
    dryRun: DryRun,
    snapshot: Snapshot,
    nodes: NodeSlots,
    { offset, wanted }: CandidateRange,
  ): void {
    this.#begin(nodes.count);
    const { known } = table;
    const { slots } = this;
    let clean = 0;
    let violating = 0;
    let next = offset;
    for (let step = 0; step < nodes.count; step += 1) {
      const slot = nodes.slots[next] as number;
      next = next + 1 === nodes.count ? 0 : next + 1;
      if (known[slot] === Known.Nothing) dryRun.run(snapshot.nodeAt(slot), table);
      const outcome = known[slot];
      if (outcome === Known.Rejected) {
        this.#rejected[this.#rejectedCount++] = slot;
        continue;
      }
      // Upstream's lists hold no more than are wanted: what is found beyond that is forgotten.
      if (outcome === Known.Candidate) {
        if (clean < wanted) slots[clean++] = slot;
      } else if (violating < wanted) this.#violating[violating++] = slot;
      if (clean > 0 && clean + violating >= wanted) break;
    }
    slots.set(this.#violating.subarray(0, violating), clean);
    this.count = clean + violating;
  }

  #begin(nodeCount: number): void {
    this.clear();
    // Of either kind there can be as many as there are nodes.
    if (this.slots.length >= 2 * nodeCount) return;
    this.slots = new Int32Array(2 * nodeCount);
    this.#violating = new Int32Array(nodeCount);
    this.#rejected = new Int32Array(nodeCount);
  }
}
