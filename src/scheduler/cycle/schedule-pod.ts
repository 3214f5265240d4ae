/**
 * Decides where a pod goes: PreFilter, the nominated node, the scan with its moving start, scores, the
 * choice. It changes nothing outside: who calls it assumes the pod, or handles the failure. Mirrors
 * kube-scheduler v1.34 `schedulePod` and `findNodesThatFitPod`.
 */
import { assert } from '../../kernel/assert.js';
import type { RandomStream } from '../../kernel/random.js';
import type { CycleState } from '../framework/cycle-state.js';
import type { Framework } from '../framework/framework.js';
import type { Snapshot } from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { PodInfo } from '../framework/pod-info.js';
import { Code, createStatus, isRejected, messageOf, type Status } from '../framework/status.js';
import { DirectAttempt } from './direct-attempt.js';
import { EvaluationPool } from './evaluation-pool.js';
import { NodeScan } from './node-scan.js';
import { GroupScores } from './group-scores.js';
import { NodeScores } from './node-scores.js';
import type { ScoreRequest } from './score-request.js';
import { blame, createDiagnosis, type Diagnosis } from './node-statuses.js';
import { filterWithNominatedPods, type Nominator } from './nominated-filter.js';
import type { RankedChoice } from './ranked-walk.js';
import { advance, nextRange, type RingRange, type RingStart } from './ring.js';
import { selectHost } from './select-host.js';
import type { ShapeEvaluation } from './shape-evaluation.js';
import { SteadyAttempt } from './steady-attempt.js';
import type { WalkTaker } from './walk-result.js';
import { WAYS, WayCounts, type TakenWay } from './way.js';

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
  readonly start: RingStart;
  /** Judges every node with the plain forms; for comparison. @defaultValue false */
  readonly isPlain?: boolean | undefined;
  /** Looks at once for what all pods of a shape have in common, and not at the second of them; for comparison. @defaultValue false */
  readonly isEager?: boolean | undefined;
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

/** Feasible nodes up to which a direct walk is faster than what is kept for the shape. */
const MAX_SHORT_WALK = 1000;

/** Of decisions before which nothing was said against any node; nobody adds to it. */
const NO_DIAGNOSIS = createDiagnosis();

/** See the file header. */
export class PodScheduler {
  /** The last scan and scores; valid until the next decision. */
  readonly scan = new NodeScan();
  readonly scores = new NodeScores();
  readonly evaluations: EvaluationPool;
  /** Whether the last decision scored nodes: a single feasible node needs no score. */
  hasScores = false;
  /** The way that the last decision took. */
  way: TakenWay = WAYS.noNodes;
  readonly wayCounts = new WayCounts();
  readonly #options: PodSchedulerOptions;
  readonly #groupScores = new GroupScores();
  readonly #direct: DirectAttempt;
  readonly #steady: SteadyAttempt;
  #named = new Int32Array(0);

  constructor(options: PodSchedulerOptions) {
    this.#options = options;
    const { framework, snapshot, random } = options;
    const attemptOptions = {
      framework,
      snapshot,
      random,
      scan: this.scan,
      scores: this.scores,
      scanNodes: (state: CycleState, pod: PodInfo, range: RingRange) => this.#scanAgain(state, pod, range),
      scoreNodes: (state: CycleState, pod: PodInfo) => this.#scoreAgain(state, pod),
    };
    this.#direct = new DirectAttempt(attemptOptions);
    this.#steady = new SteadyAttempt(attemptOptions, options.isEager === true);
    this.evaluations = new EvaluationPool(framework.scores.length);
    this.evaluations.setNeighbour(this.#steady.shapes);
  }

  /** Who takes walks over all nodes that others have made. */
  get walks(): WalkTaker {
    return this.#direct.walks;
  }

  /** Decides; the snapshot must be current. `state` is the attempt's. */
  decide(state: CycleState, pod: PodInfo): Decision {
    this.hasScores = false;
    this.scan.clear();
    this.way = WAYS.noNodes;
    const decision =
      this.#options.snapshot.size === 0
        ? NO_NODES
        : (this.#decideSteadily(state, pod) ?? this.#decideAtLarge(state, pod));
    this.wayCounts.count(this.way);
    return decision;
  }

  /** Decides by what is known of the pod's shape, if nothing else matters and a node fits. */
  #decideSteadily(state: CycleState, pod: PodInfo): Decision | undefined {
    const { snapshot, nominator, percentageOfNodesToScore, start, isPlain } = this.#options;
    const { spec, status } = pod.pod;
    if (isPlain === true || nominator.nominatedCount > 0) return undefined;
    if ((spec.nodeName ?? '') !== '' || (status.nominatedNodeName ?? '') !== '') return undefined;
    const { size } = snapshot;
    const range = nextRange(start, size, percentageOfNodesToScore);
    if (!this.#steady.scan(state, pod, range)) return undefined;
    advance(start, this.scan.visited, size);
    this.hasScores = this.scan.count > 1;
    this.way = WAYS.knownTotals;
    return placed(this.#steady.choose(), snapshot.columns, NO_DIAGNOSIS);
  }

  #decideAtLarge(state: CycleState, pod: PodInfo): Decision {
    const { framework, snapshot } = this.#options;
    this.way = WAYS.decidedByPreFilter;
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
      this.way = WAYS.nominatedNode;
      return placedWithoutScores(nominatedNode, true, diagnosis);
    }
    if (preFilter.nodeNames === undefined && this.#scanDirectly(state, pod, diagnosis)) {
      return this.#choose(state, pod, 'direct', diagnosis);
    }
    const evaluation = this.#evaluationOf(state, pod);
    this.#scanNodes(state, pod, preFilter.nodeNames, diagnosis, evaluation);
    if (preFilter.nodeNames === undefined) this.way = this.#wayOfScan(evaluation);
    if (this.scan.error !== undefined) return { kind: 'error', status: this.scan.error };
    if (this.scan.count === 0) return { kind: 'unfit', diagnosis };
    return this.#choose(state, pod, evaluation, diagnosis);
  }

  #wayOfScan(evaluation: ShapeEvaluation | undefined): TakenWay {
    if (evaluation !== undefined) return this.scan.way;
    return this.#options.isPlain === true ? WAYS.asked : WAYS.namesNode;
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
      ...nextRange(start, count, percentageOfNodesToScore),
    });
    advance(start, this.#noteRejections(diagnosis), snapshot.size);
  }

  /** Scans all nodes in one direct pass where that is the shorter way; `false` where it is not, or finds no node. */
  #scanDirectly(state: CycleState, pod: PodInfo, diagnosis: Diagnosis): boolean {
    const { nominator, snapshot, percentageOfNodesToScore, start, isPlain } = this.#options;
    if (isPlain === true || nominator.nominatedCount > 0 || diagnosis.nodeToStatus.size > 0) return false;
    if ((pod.pod.spec.nodeName ?? '') !== '') return false;
    const { size } = snapshot;
    const range = nextRange(start, size, percentageOfNodesToScore);
    const isShort = range.target <= MAX_SHORT_WALK;
    if (!isShort && !this.evaluations.isFirst(pod.shape.id)) return false;
    if (!this.#direct.scan(state, pod, range)) return false;
    this.way = isShort ? WAYS.shortWalk : WAYS.firstOfShape;
    advance(start, this.scan.visited, size);
    return true;
  }

  /** Goes the ordinary way after a direct pass, as far as the scan. */
  #scanAgain(state: CycleState, pod: PodInfo, range: RingRange): void {
    const { framework, nominator, snapshot } = this.#options;
    const evaluation = this.#evaluationOf(state, pod);
    const { order, size } = snapshot;
    this.scan.run({ framework, nominator, state, pod, snapshot, evaluation, candidates: order, count: size, ...range });
  }

  #scoreAgain(state: CycleState, pod: PodInfo): void {
    const { framework, snapshot } = this.#options;
    const evaluation = this.#evaluationOf(state, pod);
    const request = { framework, state, pod, snapshot, evaluation, nodes: this.scan };
    const status = this.scores.run(request, this.scan.unscored);
    assert(status === undefined, `scores of a choice that was made must not fail, got ${status?.reasons.join() ?? ''}`);
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

  /** @param evaluation - what the scan went by */
  #choose(
    state: CycleState,
    pod: PodInfo,
    evaluation: ShapeEvaluation | 'direct' | undefined,
    diagnosis: Diagnosis,
  ): Decision {
    const { framework, snapshot } = this.#options;
    const { scan } = this;
    const { names } = snapshot.columns;
    if (scan.count === 1) {
      const slot = evaluation === 'direct' ? this.#direct.firstSlot : (scan.slots[0] as number);
      return placedWithoutScores(names[slot] as string, false, diagnosis);
    }
    const refusal = framework.runPreScore(state, pod, scan);
    if (refusal !== undefined) return { kind: 'error', status: refusal };
    const choice =
      evaluation === 'direct'
        ? (this.#direct.choose() ?? this.#chooseAgain(state, pod))
        : this.#chooseAmong(state, pod, evaluation);
    if ('code' in choice) return { kind: 'error', status: choice };
    this.hasScores = true;
    return placed(choice, snapshot.columns, diagnosis);
  }

  /** Goes the ordinary way after a direct pass, from the scan on. */
  #chooseAgain(state: CycleState, pod: PodInfo): RankedChoice | Status {
    this.#direct.scanAgain();
    return this.#chooseAmong(state, pod, this.#evaluationOf(state, pod));
  }

  #chooseAmong(state: CycleState, pod: PodInfo, evaluation: ShapeEvaluation | undefined): RankedChoice | Status {
    const { framework, snapshot, random } = this.#options;
    const { scan, scores } = this;
    const request = { framework, state, pod, snapshot, evaluation, nodes: scan };
    const choice = this.#chooseRanked(request);
    if (choice !== undefined) {
      scores.note(request, choice, this.#groupScores);
      return choice;
    }
    const error = scores.run(request, scan.unscored);
    if (error !== undefined) return error;
    const host = selectHost(scores.totals, scan.count, random);
    return { ...host, slot: scan.slots[host.position] as number };
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

function placed(choice: RankedChoice, { names }: NodeColumns, diagnosis: Diagnosis): Decision {
  const { position, total, ties, drawn, slot } = choice;
  const nodeName = names[slot] as string;
  return { kind: 'placed', nodeName, total, ties, position, drawn, isNominated: false, diagnosis };
}

function placedWithoutScores(nodeName: string, isNominated: boolean, diagnosis: Diagnosis): Decision {
  return { kind: 'placed', nodeName, total: 0, ties: 1, position: 0, drawn: 0, isNominated, diagnosis };
}
