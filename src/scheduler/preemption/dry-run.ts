/**
 * One node in a dry run: which pods must go for the pod to fit. It leaves the node and the attempt's state
 * as they were, and writes down what it found. Each node is tried for itself: the outcome depends neither
 * on the order of the nodes nor on the thread. Mirrors `SelectVictimsOnNode` of plugin DefaultPreemption,
 * kube-scheduler v1.34.
 */
import { sortAsGo } from '../../kernel/go-sort.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import { relevantNominations, type Nominator } from '../cycle/attempt/nominated-filter.js';
import type { SharedStatuses } from '../cycle/attempt/shared-statuses.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import { Code, createStatus, type Status } from '../framework/status.js';
import type { BudgetBook } from './budgets.js';
import { DemandTrial } from './demand-trial.js';
import { LesserPods } from './lesser-pods.js';
import { PlainTrial, type Trial } from './trial.js';
import type { TrialTable } from './trial-table.js';

/** What all dry runs of one preemption share. */
export interface DryRunOptions {
  readonly framework: Framework;
  readonly nominator: Nominator;
  /** The attempt's state; copied where a plugin would change it. */
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly budgets: BudgetBook;
  readonly timestamps: Pick<Timestamps, 'toMs'>;
  readonly nowMs: number;
  readonly statuses: SharedStatuses;
}

const NO_PODS: readonly PodInfo[] = [];
const NONE: ReadonlySet<number> = new Set();
const NO_VICTIMS = createStatus(Code.UnschedulableAndUnresolvable, '', 'No preemption victims found for incoming pod');

/** Makes priorities positive before they are added up, so that more victims never weigh less. */
const PRIORITY_OFFSET = 2 ** 31;

/** See the file header. */
export class DryRun {
  readonly #options: DryRunOptions;
  readonly #priority: number;
  readonly #trial: Trial;
  readonly #lesser: LesserPods;
  /** Indices, among the lesser pods, of those that are evicted against a budget. */
  #violating = NONE;
  /** Indices of the victims. */
  #victims: number[] = [];

  constructor(options: DryRunOptions) {
    const { framework, state, pod, timestamps, nowMs } = options;
    this.#options = options;
    this.#priority = pod.priority;
    this.#lesser = new LesserPods(timestamps, nowMs);
    const plain = new PlainTrial(framework, state, pod);
    this.#trial = DemandTrial.of(framework, state, pod, plain) ?? plain;
  }

  /** Tries the node, and notes in its slot the pods to remove or why that does not help. */
  run(node: NodeInfo, table: TrialTable): void {
    const { nominator, pod, statuses } = this.#options;
    const lesser = this.#lesser;
    lesser.take(node.pods, this.#priority);
    if (lesser.count === 0) {
      table.noteRejected(node.slot, NO_VICTIMS);
      return;
    }
    if (lesser.isMomentary) table.makeMomentary(node.slot);
    const nominated = nominator.nominatedCount === 0 ? NO_PODS : relevantNominations(nominator, pod, node.name);
    const status = this.#trial.begin(node, lesser, nominated) ?? this.#reprieve(node.name);
    if (status === undefined) {
      this.#noteCandidate(node, table);
      return;
    }
    if (status.code === Code.Error) table.makeMomentary(node.slot);
    table.noteRejected(node.slot, statuses.of(status));
  }

  /** Lets pods stay one by one while the pod still fits: those under a tight budget first. An error ends it. */
  #reprieve(nodeName: string): Status | undefined {
    const { budgets } = this.#options;
    const { count } = this.#lesser;
    this.#victims = [];
    // A pod that stays in the end has used up its share of the budgets all the same, as upstream.
    this.#violating = budgets.isEmpty ? NONE : budgets.findViolating(this.#lesser);
    let status: Status | undefined;
    if (this.#violating.size === 0) {
      for (let index = 0; index < count && status === undefined; index += 1) status = this.#tryToStay(index);
    } else {
      for (const index of this.#violating) status ??= this.#tryToStay(index);
      for (let index = 0; index < count; index += 1) {
        if (!this.#violating.has(index)) status ??= this.#tryToStay(index);
      }
    }
    return status ?? (this.#victims.length === 0 ? noVictimOn(nodeName) : undefined);
  }

  #tryToStay(index: number): Status | undefined {
    const outcome = this.#trial.letStay(this.#lesser.infos[index] as PodInfo);
    if (typeof outcome !== 'boolean') return outcome;
    if (!outcome) this.#victims.push(index);
    return undefined;
  }

  #noteCandidate(node: NodeInfo, table: TrialTable): void {
    const lesser = this.#lesser;
    const victims = this.#victims;
    let violations = 0;
    let prioritySum = 0;
    for (const index of victims) {
      if (this.#violating.has(index)) violations += 1;
      prioritySum += (lesser.infos[index] as PodInfo).priority + PRIORITY_OFFSET;
    }
    // Up to twelve of them, a violating victim stands before an equally important one that is none.
    if (violations > 0) sortAsGo(victims, (a, b) => lesser.isBefore(a, b));
    const first = victims[0] as number;
    const pods = victims.map((index) => (lesser.infos[index] as PodInfo).pod);
    const { priority: highestPriority } = lesser.infos[first] as PodInfo;
    const tier = { violations, highestPriority, prioritySum, victimCount: pods.length };
    // Of equal priority the one that started first stands first.
    table.noteCandidate(node.slot, { nodeName: node.name, victims: pods, violations }, tier, lesser.startMs(first));
  }
}

/** The pod did not fit, and then it did without a victim: the filters contradict themselves. */
function noVictimOn(nodeName: string): Status {
  return createStatus(Code.Error, '', `expected at least one victim pod on node "${nodeName}"`);
}
