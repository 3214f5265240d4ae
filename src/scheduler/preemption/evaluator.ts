/**
 * Preemption in call order: is the pod eligible, which nodes may it help on, who would have to go
 * there, which node is best; then its victims are removed and the pod is nominated to it. It decides
 * on the snapshot of the attempt and changes nothing but through the executor. Mirrors kube-scheduler
 * v1.34 `framework/preemption` with plugin DefaultPreemption; the random start of the walk comes from
 * a seeded stream, and the arbitrary last choice is the least node name.
 */
import { keyOf, type Pod } from '../../api/objects.js';
import type { Clock } from '../../kernel/clock.js';
import type { RandomStream } from '../../kernel/random.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import { createDiagnosis, fitErrorText } from '../cycle/node-statuses.js';
import type { Nominator } from '../cycle/nominated-filter.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import {
  PodInfo,
  type NodeToStatus,
  type PostFilterResult,
  type PreemptionExplanation,
  type Snapshot,
} from '../framework/interface.js';
import { candidatesWanted, type PreemptionLimits } from '../framework/preemption/preemption-args.js';
import type { Preemptor } from '../framework/preemption/preemptor.js';
import { Code, createStatus, type Status } from '../framework/status.js';
import { BudgetBook, type DisruptionBudget } from './budgets.js';
import type { Candidate } from './candidate.js';
import { DryRun } from './dry-run.js';
import { ineligibility } from './eligibility.js';
import { findCandidates, potentialNodes, type CandidateSearch } from './find-candidates.js';
import { StartTimes } from './importance.js';
import { pickNode } from './pick-node.js';
import type { PreemptionReport } from './preemption-report.js';

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
const NOTHING_FOUND: CandidateSearch = { candidates: [], statuses: new Map(), errorText: '' };

/** See the file header. */
export class PreemptionEvaluator implements Preemptor {
  readonly #options: EvaluatorOptions;
  readonly #startTimes: StartTimes;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
    this.#startTimes = new StartTimes(options.timestamps);
  }

  isPreempting(uid: string): boolean {
    return this.#options.remover.isPreempting(uid);
  }

  preempt(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus): PostFilterResult {
    const { findPod, remover, onReport } = this.#options;
    const newest = findPod(pod.key);
    const report = newest === undefined ? podIsGone(pod) : this.evaluate(state, newestInfo(pod, newest), nodeToStatus);
    onReport?.(pod.key, report);
    const { picked } = report;
    const explanation = explanationOf(report);
    if (picked === undefined || newest === undefined) return { ...refusal(report), explanation };
    remover.remove(picked.candidate, newest);
    return { nominatedNodeName: picked.candidate.nodeName, explanation };
  }

  /** Decides, without doing anything about it. */
  evaluate(state: CycleState, pod: PodInfo, nodeToStatus: NodeToStatus): PreemptionReport {
    const { snapshot, limits } = this.#options;
    const obstacle = ineligibility(pod.pod, nodeToStatus, snapshot);
    if (obstacle !== undefined) return reportWithout('ineligible', obstacle, NOTHING_FOUND);
    if (snapshot.size === 0) return reportWithout('error', 'no nodes available', NOTHING_FOUND);
    const nodes = potentialNodes(nodeToStatus, snapshot);
    const wanted = candidatesWanted(limits, nodes.length);
    const nowMs = this.#options.clock.now();
    const search =
      nodes.length === 0
        ? NOTHING_FOUND
        : findCandidates(this.#dryRun(state, pod, nowMs), nodes, { offset: this.#offset(nodes.length), wanted });
    const { candidates, errorText } = search;
    const counts = { potentialNodes: nodes.length, wanted };
    if (candidates.length > 0) {
      const picked = pickNode(candidates, this.#startTimes, nowMs);
      return { outcome: 'nominated', message: '', ...counts, ...search, picked };
    }
    if (errorText !== '') return { ...reportWithout('error', errorText, search), ...counts };
    return { ...reportWithout('unhelpful', noCandidateText(search, snapshot.size), search), ...counts };
  }

  #dryRun(state: CycleState, pod: PodInfo, nowMs: number): DryRun {
    const { framework, nominator, budgets } = this.#options;
    const book = new BudgetBook(budgets());
    return new DryRun({ framework, nominator, state, pod, budgets: book, startTimes: this.#startTimes, nowMs });
  }

  #offset(nodeCount: number): number {
    return this.#options.random?.int(0, nodeCount - 1) ?? 0;
  }
}

function newestInfo(pod: PodInfo, newest: Pod): PodInfo {
  return newest === pod.pod ? pod : new PodInfo(newest);
}

function podIsGone({ pod }: PodInfo): PreemptionReport {
  return reportWithout('error', `pod "${pod.metadata.name}" not found`, NOTHING_FOUND);
}

function reportWithout(
  outcome: PreemptionReport['outcome'],
  message: string,
  { candidates, statuses }: CandidateSearch,
): PreemptionReport {
  return { outcome, message, potentialNodes: 0, wanted: 0, candidates, statuses };
}

/** No node is nominated: a pod that nothing helps loses the nomination that it may have, others keep theirs. */
/** The report for those who ask why. */
function explanationOf({ candidates, picked }: PreemptionReport): PreemptionExplanation {
  return {
    ...(picked === undefined ? {} : { nominated: picked.candidate.nodeName }),
    candidates: candidates.map(({ nodeName, victims, violations }) => ({
      node: nodeName,
      victims: victims.map(keyOf),
      pdbViolations: violations,
    })),
    decidedBy: picked?.criterion ?? '',
    ties: picked?.ties ?? [],
  };
}

function refusal({ outcome, message }: PreemptionReport): PostFilterResult {
  const status: Status = createStatus(outcome === 'error' ? Code.Error : Code.Unschedulable, '', message);
  return outcome === 'unhelpful' ? { nominatedNodeName: '', status } : { status };
}

/** The text about nodes, once more: those that were tried say why, for all others preemption is of no help. */
function noCandidateText({ statuses }: CandidateSearch, nodeCount: number): string {
  const diagnosis = createDiagnosis();
  diagnosis.nodeToStatus.absentStatus = NOT_HELPFUL;
  for (const [nodeName, status] of statuses) diagnosis.nodeToStatus.set(nodeName, status);
  return fitErrorText(diagnosis, nodeCount);
}
