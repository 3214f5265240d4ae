/**
 * Preemption in call order: is the pod eligible, which nodes may it help on, which pods would have to
 * go there, which node is best; then its victims are removed and the pod is nominated to it. It decides
 * on the snapshot of the attempt and changes nothing but through the executor. Mirrors kube-scheduler
 * v1.34 `framework/preemption` with plugin DefaultPreemption; the random start of the walk comes from
 * a seeded stream, and the arbitrary last choice is the least node name.
 */
import { keyOf, type Pod } from '../../api/objects/objects.js';
import type { Clock } from '../../kernel/engine/clock.js';
import type { RandomStream } from '../../kernel/random.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import { nodesText } from '../cycle/attempt/node-statuses.js';
import type { Nominator } from '../cycle/attempt/nominated-filter.js';
import { SharedStatuses } from '../cycle/attempt/shared-statuses.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import {
  PodInfo,
  type NodeSlots,
  type NodeToStatus,
  type PostFilterResult,
  type PreemptionAccount,
  type Snapshot,
} from '../framework/interface.js';
import { candidatesWanted, type PreemptionLimits } from '../framework/preemption/preemption-args.js';
import type { Preemptor } from '../framework/preemption/preemptor.js';
import { Code, createStatus, messageOf, type Status } from '../framework/status.js';
import { BudgetBook, type DisruptionBudget } from './budgets.js';
import type { Candidate } from './candidate.js';
import { DryRun } from './dry-run.js';
import { ineligibility } from './eligibility.js';
import { CandidateSearch, potentialNodes } from './find-candidates.js';
import { KeptTables } from './kept-tables.js';
import { pickNode, type PickedNode } from './pick-node.js';
import type { PreemptionReport } from './preemption-report.js';
import { TrialTable } from './trial-table.js';

/** Removes victims; see victim-removal.ts. */
export interface VictimRemover {
  remove(candidate: Candidate, preemptor: Pod): void;
  isPreempting(uid: string): boolean;
}

/** What a preemptor works with. */
export interface EvaluatorOptions {
  readonly framework: Framework;
  readonly snapshot: Snapshot;
  readonly nominator: Nominator;
  readonly clock: Clock;
  readonly timestamps: Pick<Timestamps, 'toMs'>;
  /** Where the walk over the nodes begins; `undefined` = always at the first. */
  readonly random: RandomStream | undefined;
  readonly limits: PreemptionLimits;
  /** The newest known state of a pod, by `namespace/name`. */
  readonly findPod: (key: string) => Pod | undefined;
  readonly budgets: () => Iterable<DisruptionBudget>;
  readonly remover: VictimRemover;
  /** Told of each preemption, by the key of its pod. */
  readonly onReport?: ((podKey: string, report: PreemptionReport) => void) | undefined;
}

const NOT_HELPFUL = createStatus(Code.UnschedulableAndUnresolvable, '', 'Preemption is not helpful for scheduling');

/** How a preemption ended; the table and the search say why, until the next one. */
interface Ending {
  readonly outcome: PreemptionReport['outcome'];
  readonly message: string;
  readonly potentialNodes: number;
  readonly wanted: number;
  readonly candidates: readonly Candidate[];
  readonly picked: PickedNode | undefined;
}

/** See the file header. */
export class PreemptionEvaluator implements Preemptor {
  readonly #options: EvaluatorOptions;
  readonly #budgets = new BudgetBook();
  readonly #statuses = new SharedStatuses();
  readonly #search = new CandidateSearch();
  readonly #tables: KeptTables;
  #table = new TrialTable();
  /** Slots of the nodes on which preemption may help. */
  #slots = new Int32Array(0);

  constructor(options: EvaluatorOptions) {
    this.#options = options;
    this.#tables = new KeptTables(options);
  }

  isPreempting(uid: string): boolean {
    return this.#options.remover.isPreempting(uid);
  }

  preempt(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus): PostFilterResult {
    const { findPod, remover, onReport } = this.#options;
    this.#search.clear();
    const newest = findPod(pod.key);
    const ending = newest === undefined ? podIsGone(pod) : this.#end(state, newestInfo(pod, newest), nodeToStatus, pod);
    onReport?.(pod.key, this.#reportOf(ending));
    const { picked } = ending;
    const explanation = accountOf(ending);
    if (picked === undefined || newest === undefined) return { ...refusal(ending), explanation };
    remover.remove(picked.candidate, newest);
    return { nominatedNodeName: picked.candidate.nodeName, explanation };
  }

  /** Decides, without doing anything about it, and tells everything. */
  evaluate(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus): PreemptionReport {
    this.#search.clear();
    return this.#reportOf(this.#end(state, pod, nodeToStatus, pod));
  }

  /** @param tried - the pod as it was in the attempt that has failed */
  #end(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus, tried: PodInfo): Ending {
    const { snapshot, limits, clock } = this.#options;
    const obstacle = ineligibility(pod.pod, nodeToStatus, snapshot);
    if (obstacle !== undefined) return endingWithout('ineligible', obstacle);
    if (snapshot.size === 0) return endingWithout('error', 'no nodes available');
    if (this.#slots.length < snapshot.size) this.#slots = new Int32Array(snapshot.columns.capacity);
    const nodes = potentialNodes(nodeToStatus, snapshot, this.#slots);
    const wanted = candidatesWanted(limits, nodes.count);
    const nowMs = clock.now();
    if (nodes.count > 0) {
      if (this.#budgets.update(this.#options.budgets())) this.#tables.clear();
      // What the attempt has written down is that of its own shape: it says nothing for others of a new one.
      this.#table = tried.shape === pod.shape ? this.#tables.of(state, pod) : this.#tables.scratch();
      this.#searchFor(state, pod, nodes, wanted, nowMs);
    }
    const search = this.#search;
    const extent = { potentialNodes: nodes.count, wanted };
    if (search.count > 0) {
      const picked = pickNode(this.#table, search.slots, search.count, nowMs);
      const candidates = search.candidates(this.#table);
      return { outcome: 'nominated', message: '', ...extent, candidates, picked };
    }
    const counts = search.countStatuses(this.#table);
    const errors = errorText(counts);
    if (errors !== '') return { ...endingWithout('error', errors), ...extent };
    // The text about nodes, once more: those that were tried say why, for all others preemption is of no help.
    return { ...endingWithout('unhelpful', nodesText(counts, NOT_HELPFUL, snapshot.size)), ...extent };
  }

  #searchFor(state: CycleState, pod: PodInfo, nodes: NodeSlots, wanted: number, nowMs: number): void {
    const { framework, snapshot, nominator, random, timestamps } = this.#options;
    const dryRun = new DryRun({
      framework,
      nominator,
      state,
      pod,
      budgets: this.#budgets,
      timestamps,
      nowMs,
      statuses: this.#statuses,
    });
    const offset = random?.int(0, nodes.count - 1) ?? 0;
    this.#search.run(this.#table, dryRun, snapshot, nodes, { offset, wanted });
  }

  #reportOf({ outcome, message, potentialNodes: potential, wanted, candidates, picked }: Ending): PreemptionReport {
    return {
      outcome,
      message,
      potentialNodes: potential,
      wanted,
      candidates,
      statuses: this.#search.statuses(this.#table, this.#options.snapshot),
      ...(picked === undefined ? {} : { picked }),
    };
  }
}

function newestInfo(pod: PodInfo, newest: Pod): PodInfo {
  return newest === pod.pod ? pod : new PodInfo(newest);
}

function podIsGone({ pod }: PodInfo): Ending {
  return endingWithout('error', `pod "${pod.metadata.name}" not found`);
}

function endingWithout(outcome: Ending['outcome'], message: string): Ending {
  return { outcome, message, potentialNodes: 0, wanted: 0, candidates: [], picked: undefined };
}

/** Text of what went wrong inside plugins, as Go's aggregates print it; empty when nothing did. */
function errorText(statuses: ReadonlyMap<Status, number>): string {
  const texts = new Set<string>();
  for (const status of statuses.keys()) if (status.code === Code.Error) texts.add(messageOf(status));
  return texts.size > 1 ? `[${[...texts].join(', ')}]` : [...texts].join('');
}

/** What an explanation tells of it. */
function accountOf({ candidates, picked }: Ending): PreemptionAccount {
  return (scope) => {
    const told = scope === 'all' ? candidates : candidates.filter((each) => each === picked?.candidate);
    return {
      ...(picked === undefined ? {} : { nominated: picked.candidate.nodeName }),
      candidates: told.map(({ nodeName, victims, violations }) => ({
        node: nodeName,
        victims: victims.map(keyOf),
        pdbViolations: violations,
      })),
      decidedBy: picked?.criterion ?? '',
      get ties() {
        return picked?.ties ?? [];
      },
    };
  };
}

/** No node is nominated: a pod that nothing helps loses the nomination that it may have, others keep theirs. */
function refusal({ outcome, message }: Ending): PostFilterResult {
  const status: Status = createStatus(outcome === 'error' ? Code.Error : Code.Unschedulable, '', message);
  return outcome === 'unhelpful' ? { nominatedNodeName: '', status } : { status };
}
