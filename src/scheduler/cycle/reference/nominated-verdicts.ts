import type { CycleState } from '../../framework/cycle-state.js';
import type { Framework } from '../../framework/framework.js';
import type { Snapshot } from '../../framework/interface.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { Status } from '../../framework/status.js';
import { judgesByNodeAlone, KeptResults, type KindResults } from '../attempt/kept-results.js';
import { filterBeside, relevantAmong, type Nominator } from '../attempt/nominated-filter.js';
import { SharedStatuses } from '../attempt/shared-statuses.js';

/** What is judged beside nominated pods. */
export interface NominatedRequest {
  readonly framework: Framework;
  readonly nominator: Nominator;
  readonly state: CycleState;
  readonly pod: PodInfo;
  /** Absent = nothing is kept for the pod's shape. */
  readonly evaluation: object | undefined;
}

/** `alone`: no pod that is nominated to the node counts, and it is judged as it is. */
export type NominatedVerdict = Status | 'fits' | 'alone';

/**
 * Judges the nodes to which pods are nominated, in one walk over nodes after the other. What one walk
 * has found out the next ones use for as long as it holds.
 */
export class NominatedVerdicts {
  readonly snapshot: Snapshot;
  /** Slots of the nodes to which pods are nominated, in the walk that has begun. */
  readonly slots: number[] = [];
  readonly #kept: KeptResults<NominatedVerdict>;
  readonly #statuses = new SharedStatuses();
  #request: NominatedRequest | undefined;
  #kind: KindResults<NominatedVerdict> | undefined;
  /** By slot: the last walk in which a pod was nominated to the node. */
  #walks = new Int32Array(0);
  #walk = 0;

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
    this.#kept = new KeptResults(snapshot);
  }

  /** Begins a walk for one pod. */
  begin(request: NominatedRequest): void {
    const { framework, nominator, state, pod, evaluation } = request;
    const { capacity } = this.snapshot.columns;
    if (this.#walks.length < capacity) this.#walks = new Int32Array(capacity);
    this.#request = request;
    const isKept = evaluation !== undefined && judgesByNodeAlone(framework, state, pod);
    this.#kind = isKept ? this.#kept.of(pod) : undefined;
    this.#walk += 1;
    this.slots.length = 0;
    for (const nodeName of nominator.nominatedNodes()) {
      const slot = this.snapshot.get(nodeName)?.slot;
      if (slot === undefined) continue;
      this.#walks[slot] = this.#walk;
      this.slots.push(slot);
    }
  }

  /** Whether pods are nominated to the node in a slot. */
  has(slot: number): boolean {
    return this.#walks[slot] === this.#walk;
  }

  /** The verdict on such a node. */
  judge(slot: number): NominatedVerdict {
    const { nominator, pod } = this.#request as NominatedRequest;
    const node = this.snapshot.nodeAt(slot);
    const nominated = nominator.nominatedPodsForNode(node.name);
    const { uid } = pod.pod.metadata;
    // For a pod that is nominated there itself others count than for its like.
    const isOwn = nominated.some((other) => other.pod.metadata.uid === uid);
    const kind = isOwn ? undefined : this.#kind;
    let verdict = kind?.get(node, nominated);
    if (verdict === undefined) {
      verdict = this.#find(node, nominated);
      kind?.set(node, nominated, verdict);
    }
    return verdict;
  }

  #find(node: NodeInfo, nominated: readonly PodInfo[]): NominatedVerdict {
    const { framework, state, pod } = this.#request as NominatedRequest;
    const relevant = relevantAmong(nominated, pod);
    if (relevant.length === 0) return 'alone';
    const status = filterBeside(framework, relevant, state, pod, node);
    return status === undefined ? 'fits' : this.#statuses.of(status);
  }
}
