/**
 * Decides where a pod goes: PreFilter, the nominated node, the scan with its moving start, scores, the
 * choice. It changes nothing outside: who calls it assumes the pod, or handles the failure. Mirrors
 * kube-scheduler v1.34 `schedulePod` and `findNodesThatFitPod`.
 */
import type { RandomStream } from '../../kernel/random.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import type { Snapshot } from '../framework/interface.js';
import type { PodInfo } from '../framework/pod-info.js';
import { Code, createStatus, isRejected, messageOf, type Status } from '../framework/status.js';
import { EvaluationPool } from './evaluation-pool.js';
import { feasibleTarget } from './feasible-target.js';
import { NodeScan } from './node-scan.js';
import { GroupScores } from './group-scores.js';
import { NodeScores } from './node-scores.js';
import type { ScoreRequest } from './score-request.js';
import { blame, createDiagnosis, type Diagnosis } from './node-statuses.js';
import { filterWithNominatedPods, type Nominator } from './nominated-filter.js';
import type { RankedChoice } from './ranked-walk.js';
import { selectHost } from './select-host.js';
import type { ShapeEvaluation } from './shape-evaluation.js';

/** What the algorithm is made of. */
export interface PodSchedulerOptions {
  readonly framework: Framework;
  readonly snapshot: Snapshot;
  readonly nominator: Nominator;
  /** Breaks ties among the best nodes. */
  readonly random: RandomStream;
  /** 0 = adaptive. */
  readonly percentageOfNodesToScore: number;
  /** Where the next scan begins, shared by all profiles. */
  readonly start: { index: number };
  /** Judges every node with the plain forms; for comparison. @defaultValue false */
  readonly isPlain?: boolean | undefined;
}

/** The outcome of one attempt, before anything is done about it. */
export type Decision =
  | {
      readonly kind: 'placed';
      readonly nodeName: string;
      readonly total: number;
      readonly ties: number;
      /** Position of the node among the feasible ones, and which of the best it is, both from 0. */
      readonly position: number;
      readonly drawn: number;
      /** The nominated node took the pod without a scan. */
      readonly isNominated: boolean;
      /** Holds what the nominated node said if it refused; the scan knows the rest. */
      readonly diagnosis: Diagnosis;
    }
  | { readonly kind: 'unfit'; readonly diagnosis: Diagnosis }
  | { readonly kind: 'error'; readonly status: Status };

const NO_NODES: Decision = {
  kind: 'error',
  status: createStatus(Code.UnschedulableAndUnresolvable, '', 'no nodes available to schedule pods'),
};

/** See the file header. */
export class PodScheduler {
  /** The last scan and scores; valid until the next decision. */
  readonly scan = new NodeScan();
  readonly scores = new NodeScores();
  readonly evaluations: EvaluationPool;
  /** Whether the last decision scored nodes: a single feasible node needs no score. */
  hasScores = false;
  readonly #options: PodSchedulerOptions;
  readonly #groupScores = new GroupScores();
  #named = new Int32Array(0);

  constructor(options: PodSchedulerOptions) {
    this.#options = options;
    this.evaluations = new EvaluationPool(options.framework.scores.length);
  }

  /** Decides; the snapshot must be current. `state` is the attempt's. */
  decide(state: CycleState, pod: PodInfo): Decision {
    const { framework, snapshot } = this.#options;
    this.hasScores = false;
    this.scan.clear();
    if (snapshot.size === 0) return NO_NODES;
    const preFilter = framework.runPreFilter(state, pod, snapshot);
    const diagnosis = createDiagnosis(preFilter.narrowedBy);
    if (preFilter.status !== undefined) {
      if (!isRejected(preFilter.status)) return { kind: 'error', status: preFilter.status };
      diagnosis.nodeToStatus.absentStatus = preFilter.status;
      diagnosis.preFilterMessage = messageOf(preFilter.status);
      blame(diagnosis, preFilter.status);
      return { kind: 'unfit', diagnosis };
    }
    const nominatedNode = pod.pod.status.nominatedNodeName ?? '';
    if (nominatedNode !== '' && this.#fitsNominated(state, pod, nominatedNode, diagnosis)) {
      return placedWithoutScores(nominatedNode, true, diagnosis);
    }
    const evaluation = this.#evaluationOf(state, pod);
    this.#scanNodes(state, pod, preFilter.nodeNames, diagnosis, evaluation);
    if (this.scan.error !== undefined) return { kind: 'error', status: this.scan.error };
    if (this.scan.count === 0) return { kind: 'unfit', diagnosis };
    return this.#choose(state, pod, evaluation, diagnosis);
  }

  /** The nominated node alone, first; a failure stays in the diagnosis. */
  #fitsNominated(state: CycleState, pod: PodInfo, nodeName: string, diagnosis: Diagnosis): boolean {
    const { framework, nominator, snapshot } = this.#options;
    const node = snapshot.get(nodeName);
    if (node === undefined) return false;
    const status = filterWithNominatedPods(framework, nominator, state, pod, node);
    if (status === undefined) return true;
    if (!isRejected(status)) return false;
    diagnosis.nodeToStatus.set(nodeName, status);
    blame(diagnosis, status);
    return false;
  }

  /** What is kept for the pod's shape. A pod that names a node shares nothing with its shape. */
  #evaluationOf(state: CycleState, pod: PodInfo): ShapeEvaluation | undefined {
    const { framework, snapshot, isPlain } = this.#options;
    if (isPlain === true || (pod.pod.spec.nodeName ?? '') !== '') return undefined;
    const evaluation = this.evaluations.get(pod.shape.id, snapshot.columns.capacity);
    evaluation.prepareFilters(framework, state, pod, snapshot.columns);
    return evaluation;
  }

  #scanNodes(
    state: CycleState,
    pod: PodInfo,
    nodeNames: ReadonlySet<string> | undefined,
    diagnosis: Diagnosis,
    evaluation: ShapeEvaluation | undefined,
  ): void {
    const { framework, nominator, snapshot, percentageOfNodesToScore, start } = this.#options;
    let candidates = snapshot.order;
    let count = snapshot.size;
    if (nodeNames !== undefined) {
      count = this.#lookUp(nodeNames);
      candidates = this.#named;
      const narrowedBy = [...diagnosis.unschedulablePlugins].sort().join(' ');
      diagnosis.nodeToStatus.absentStatus = createStatus(
        Code.UnschedulableAndUnresolvable,
        '',
        `node(s) didn't satisfy plugin(s) [${narrowedBy}]`,
      );
    }
    const { scan } = this;
    scan.run({
      framework,
      nominator,
      state,
      pod,
      snapshot,
      evaluation,
      candidates,
      count,
      start: count === 0 ? 0 : start.index % count,
      target: feasibleTarget(count, percentageOfNodesToScore),
    });
    const processed = this.#noteRejections(diagnosis);
    start.index = (start.index + processed) % snapshot.size;
  }

  /** Rejections are gone through only when the pod stays without a node; returns the nodes processed. */
  #noteRejections(diagnosis: Diagnosis): number {
    const { scan } = this;
    const { nodeToStatus } = diagnosis;
    if (scan.count > 0 && nodeToStatus.size === 0) return scan.visited;
    nodeToStatus.setScan(scan);
    for (const status of nodeToStatus.counts().keys()) blame(diagnosis, status);
    return scan.count + nodeToStatus.size;
  }

  /** Slots of the named nodes that exist. */
  #lookUp(nodeNames: ReadonlySet<string>): number {
    const { snapshot } = this.#options;
    if (this.#named.length < nodeNames.size) this.#named = new Int32Array(nodeNames.size);
    let count = 0;
    for (const name of nodeNames) {
      const node = snapshot.get(name);
      if (node === undefined) continue;
      this.#named[count] = node.slot;
      count += 1;
    }
    return count;
  }

  #choose(state: CycleState, pod: PodInfo, evaluation: ShapeEvaluation | undefined, diagnosis: Diagnosis): Decision {
    const { framework, snapshot, random } = this.#options;
    const { scan, scores } = this;
    const { names } = snapshot.columns;
    if (scan.count === 1) {
      const nodeName = names[scan.slots[0] as number] as string;
      return placedWithoutScores(nodeName, false, diagnosis);
    }
    const refusal = framework.runPreScore(state, pod, scan);
    if (refusal !== undefined) return { kind: 'error', status: refusal };
    const request = { framework, state, pod, snapshot, evaluation, nodes: scan };
    let choice = this.#chooseRanked(request);
    if (choice === undefined) {
      const error = scores.run(request, scan.unscored);
      if (error !== undefined) return { kind: 'error', status: error };
      const host = selectHost(scores.totals, scan.count, random);
      choice = { ...host, slot: scan.slots[host.position] as number };
    } else scores.note(request, choice);
    this.hasScores = true;
    const { position, total, ties, drawn, slot } = choice;
    const nodeName = names[slot] as string;
    return { kind: 'placed', nodeName, total, ties, position, drawn, isNominated: false, diagnosis };
  }

  /** The choice by blocks of nodes, if the scan was one and every score can be had by group. */
  #chooseRanked(request: ScoreRequest): RankedChoice | undefined {
    const { ranked } = this.scan;
    const { evaluation, framework, state, pod, snapshot } = request;
    if (ranked === undefined || evaluation?.ranked === undefined) return undefined;
    if (evaluation.prepareScores(framework, state, pod, snapshot.columns) || evaluation.hasBadScore()) return undefined;
    if (!this.#groupScores.run(request, evaluation, evaluation.ranked)) return undefined;
    return ranked.choose(this.#groupScores.additions, this.#options.random);
  }
}

function placedWithoutScores(nodeName: string, isNominated: boolean, diagnosis: Diagnosis): Decision {
  return { kind: 'placed', nodeName, total: 0, ties: 1, position: 0, drawn: 0, isNominated, diagnosis };
}
