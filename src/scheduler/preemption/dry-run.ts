/**
 * One node in a dry run: who must go for the pod to fit. It works on a copy of the node and of the
 * pod's state, and leaves both worlds as they were. Mirrors `SelectVictimsOnNode` of plugin
 * DefaultPreemption, kube-scheduler v1.34.
 */
import { filterWithNominatedPods, type Nominator } from '../cycle/nominated-filter.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import type { NodeInfo } from '../framework/node-info.js';
import { podPriority, type PodInfo } from '../framework/pod-info.js';
import { Code, createStatus, type Status } from '../framework/status.js';
import type { BudgetBook } from './budgets.js';
import type { Candidate } from './candidate.js';
import { sortByImportance, type StartTimes } from './importance.js';

/** What all dry runs of one preemption share. */
export interface DryRunOptions {
  readonly framework: Framework;
  readonly nominator: Nominator;
  /** The attempt's state; copied where a plugin would change it. */
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly budgets: BudgetBook;
  readonly startTimes: StartTimes;
  readonly nowMs: number;
}

/** The outcome on one node: whom to remove, or why that does not help. */
export type DryRunResult = { readonly candidate: Candidate } | { readonly status: Status };

const NO_VICTIMS: DryRunResult = {
  status: createStatus(Code.UnschedulableAndUnresolvable, '', 'No preemption victims found for incoming pod'),
};

/** See the file header. */
export class DryRun {
  readonly #options: DryRunOptions;
  readonly #priority: number;
  /** Whether a plugin keeps count of pods in the state, so that each node needs a copy of its own. */
  readonly #countsPods: boolean;

  constructor(options: DryRunOptions) {
    const { framework, state, pod } = options;
    this.#options = options;
    this.#priority = podPriority(pod.pod);
    this.#countsPods = framework.preFilters.some(
      ({ name, preFilterExtensions }) => preFilterExtensions !== undefined && !state.skippedFilters.has(name),
    );
  }

  /** Tries one node. */
  run(node: NodeInfo): DryRunResult {
    const lesser = this.#lesserPods(node);
    if (lesser.length === 0) return NO_VICTIMS;
    const { state } = this.#options;
    const trial = new Trial(this.#options, node.clone(), this.#countsPods ? state.clone() : state);
    const status = trial.removeAll(lesser) ?? trial.filter();
    return status === undefined ? this.#reprieve(trial, lesser) : { status };
  }

  /** Pods that this one may displace; those that are terminating count as well. */
  #lesserPods({ pods }: NodeInfo): PodInfo[] {
    const lesser: PodInfo[] = [];
    for (const other of pods) if (podPriority(other.pod) < this.#priority) lesser.push(other);
    return lesser;
  }

  /** Lets pods stay one by one while the pod still fits: those under a tight budget first. */
  #reprieve(trial: Trial, lesser: PodInfo[]): DryRunResult {
    const { budgets, startTimes, nowMs } = this.#options;
    sortByImportance(lesser, startTimes, nowMs);
    // A pod that stays in the end has used up its share of the budgets all the same, as upstream.
    const { violating, nonViolating } = budgets.split(lesser);
    const victims: PodInfo[] = [];
    let violations = 0;
    for (const group of [violating, nonViolating]) {
      for (const other of group) {
        const outcome = trial.letStay(other);
        if (typeof outcome !== 'boolean') return { status: outcome };
        if (outcome) continue;
        victims.push(other);
        if (group === violating) violations += 1;
      }
    }
    if (victims.length === 0) return { status: noVictimOn(trial.node.name) };
    if (violating.length > 0 && nonViolating.length > 0) sortByImportance(victims, startTimes, nowMs);
    return { candidate: { nodeName: trial.node.name, victims: victims.map(({ pod }) => pod), violations } };
  }
}

/** A node and a state that may be changed. */
class Trial {
  readonly node: NodeInfo;
  readonly #options: DryRunOptions;
  readonly #state: CycleState;

  constructor(options: DryRunOptions, node: NodeInfo, state: CycleState) {
    this.#options = options;
    this.node = node;
    this.#state = state;
  }

  removeAll(pods: readonly PodInfo[]): Status | undefined {
    for (const other of pods) {
      const status = this.#remove(other);
      if (status !== undefined) return status;
    }
    return undefined;
  }

  filter(): Status | undefined {
    const { framework, nominator, pod } = this.#options;
    return filterWithNominatedPods(framework, nominator, this.#state, pod, this.node);
  }

  /** Puts a pod back if the incoming one fits beside it; whether it did, or an error. */
  letStay(other: PodInfo): boolean | Status {
    const { framework, pod } = this.#options;
    this.node.addPod(other);
    const status = framework.runAddPod(this.#state, pod, other, this.node);
    if (status !== undefined) return status;
    if (this.filter() === undefined) return true;
    return this.#remove(other) ?? false;
  }

  #remove(other: PodInfo): Status | undefined {
    const { framework, pod } = this.#options;
    this.node.removePod(other.pod.metadata.uid);
    return framework.runRemovePod(this.#state, pod, other, this.node);
  }
}

/** The pod did not fit, and then it did without anybody leaving: the filters contradict themselves. */
function noVictimOn(nodeName: string): Status {
  return createStatus(Code.Error, '', `expected at least one victim pod on node "${nodeName}"`);
}
