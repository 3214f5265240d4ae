/**
 * Decides where a pod goes: PreFilter, the nominated node, the scan with its moving start, scores, the
 * choice. It changes nothing outside: the caller assumes the pod, or handles the failure. Mirrors
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
import { chooseScan, chooseWay, type Prepared, type WaySteps } from './choose-way.js';
import { OneOffWalk } from './walk/one-off-walk.js';
import { EvaluationPool } from './table/evaluation-pool.js';
import { NodeScan } from './reference/node-scan.js';
import { GroupScores } from './table/group-scores.js';
import { NodeScores } from './reference/node-scores.js';
import type { ScoreRequest } from './table/requests.js';
import { blame, createDiagnosis, type Diagnosis } from './attempt/node-statuses.js';
import { filterWithNominatedPods, type Nominator } from './attempt/nominated-filter.js';
import type { NodeChoice } from './attempt/select-host.js';
import { advance, nextRange, type RingRange, type RingStart } from './attempt/ring.js';
import { KnownTotals } from './table/known-totals.js';
import { ShortAttempt } from './reference/short-attempt.js';
import { selectHost } from './attempt/select-host.js';
import type { ShapeEvaluation } from './table/shape-evaluation.js';
import { Outlines } from './attempt/outline.js';
import { WAYS, WayCounts, type TakenWay } from './attempt/way.js';

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
  /** Ways that always step aside; for comparison. The plugins by node cannot. @defaultValue none */
  readonly withoutWays?: ReadonlySet<TakenWay> | undefined;
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

/** Of decisions before which nothing was said against any node; never added to. */
const NO_DIAGNOSIS = createDiagnosis();

/** An attempt to place a pod. */
interface Attempt {
  readonly state: CycleState;
  readonly pod: PodInfo;
}

/** See the file header. */
export class PodScheduler {
  /** The last scan and scores; valid until the next decision. */
  readonly scan = new NodeScan();
  readonly scores = new NodeScores();
  readonly evaluations: EvaluationPool;
  readonly walks: OneOffWalk;
  /** Whether the last decision scored nodes: a single feasible node needs no score. */
  hasScores = false;
  /** The way that the last decision took. */
  way: TakenWay = WAYS.noNodes;
  readonly wayCounts = new WayCounts();
  readonly #options: PodSchedulerOptions;
  readonly #groupScores = new GroupScores();
  readonly #totals: KnownTotals;
  readonly #short: ShortAttempt;
  readonly #steps: WaySteps = {
    prepare: () => this.#prepare(),
    isFirst: () => this.evaluations.isFirst(this.#pod.shape.id),
    tries: (way) => this.#options.withoutWays?.has(way) !== true && this.#tries(way),
  };
  #named = new Int32Array(0);
  /** Of the attempt under way. */
  #attempt: Attempt | undefined;
  #range: RingRange = { start: 0, target: 0 };
  #diagnosis = NO_DIAGNOSIS;
  /** The nodes that PreFilter has left; absent = all. */
  #nodeNames: ReadonlySet<string> | undefined;
  #evaluation: ShapeEvaluation | undefined;
  /** What is decided before any scan. */
  #decided: Decision | undefined;
  #hasBegun = false;

  constructor(options: PodSchedulerOptions) {
    this.#options = options;
    const { framework, snapshot } = options;
    this.#short = new ShortAttempt({
      framework,
      snapshot,
      scan: this.scan,
      scores: this.scores,
      scanNodes: (state, pod, range) => this.#scanAgain(state, pod, range),
      scoreNodes: (state, pod) => this.#scoreAgain(state, pod),
    });
    const outlines = new Outlines(framework);
    this.walks = new OneOffWalk(framework, outlines);
    this.#totals = new KnownTotals(framework, snapshot, outlines, options.isEager === true);
    this.evaluations = new EvaluationPool(framework.scores.length);
    this.evaluations.setNeighbour(this.#totals.shapes);
  }

  /** Decides; the snapshot must be current. `state` is the attempt's. */
  decide(state: CycleState, pod: PodInfo): Decision {
    const { snapshot, nominator, percentageOfNodesToScore, start, isPlain = false } = this.#options;
    const { spec, status } = pod.pod;
    const { size } = snapshot;
    this.hasScores = false;
    this.scan.clear();
    this.#attempt = { state, pod };
    this.#range = nextRange(start, size, percentageOfNodesToScore);
    this.#diagnosis = NO_DIAGNOSIS;
    this.#nodeNames = undefined;
    this.#evaluation = undefined;
    this.#decided = undefined;
    this.#hasBegun = false;
    const facts = {
      nodeCount: size,
      target: this.#range.target,
      isPlain,
      namesNode: (spec.nodeName ?? '') !== '',
      isNominated: (status.nominatedNodeName ?? '') !== '',
      hasNominations: nominator.nominatedCount > 0,
    };
    this.way = chooseWay(facts, this.#steps);
    this.wayCounts.count(this.way);
    return this.#conclude();
  }

  get #state(): CycleState {
    return (this.#attempt as Attempt).state;
  }

  get #pod(): PodInfo {
    return (this.#attempt as Attempt).pod;
  }

  /** What becomes of the nodes that were found. */
  #conclude(): Decision {
    const { way, scan } = this;
    if (way === WAYS.noNodes) return NO_NODES;
    if (this.#decided !== undefined) return this.#decided;
    const isShort = way === WAYS.knownTotals || way === WAYS.shortWalk || way === WAYS.firstOfShape;
    advance(this.#options.start, isShort ? scan.visited : this.#noteRejections(), this.#options.snapshot.size);
    if (way === WAYS.knownTotals) return this.#chooseByTotals();
    if (scan.error !== undefined) return { kind: 'error', status: scan.error };
    if (scan.count === 0) return { kind: 'unfit', diagnosis: this.#diagnosis };
    return this.#choose(isShort);
  }

  /** Goes a way; `false` when it steps aside. */
  #tries(way: TakenWay): boolean {
    switch (way) {
      case WAYS.knownTotals:
        return this.#totals.scan(this.#state, this.#pod, this.#range) && this.#beginShort(this.#totals);
      case WAYS.shortWalk:
      case WAYS.firstOfShape: {
        const { snapshot } = this.#options;
        return this.walks.run(this.#state, this.#pod, snapshot, this.#range) && this.#beginShort(this.walks);
      }
      default:
        if (!this.#hasBegun) this.#beginScan();
        return this.scan.tries(way);
    }
  }

  #beginShort(shortcut: KnownTotals | OneOffWalk): true {
    this.#short.begin(shortcut, this.#state, this.#pod, this.#range);
    return true;
  }

  /** Runs PreFilter, then the nominated node's filters. */
  #prepare(): Prepared {
    const { framework, snapshot } = this.#options;
    const state = this.#state;
    const pod = this.#pod;
    const preFilter = framework.runPreFilter(state, pod, snapshot);
    const diagnosis = createDiagnosis(preFilter.narrowedBy);
    this.#diagnosis = diagnosis;
    if (preFilter.status !== undefined) {
      this.#decided = refusedBy(preFilter.status, diagnosis);
      return 'refused';
    }
    const nominatedNode = pod.pod.status.nominatedNodeName ?? '';
    if (nominatedNode !== '' && this.#fitsNominated(state, pod, nominatedNode, diagnosis)) {
      this.#decided = placedWithoutScores(nominatedNode, true, diagnosis);
      return 'nominated';
    }
    this.#nodeNames = preFilter.nodeNames;
    if (preFilter.nodeNames !== undefined) return 'narrowed';
    return diagnosis.nodeToStatus.size > 0 ? 'judged' : 'open';
  }

  #chooseByTotals(): Decision {
    const choice = this.#totals.choose(this.#options.random);
    this.hasScores = this.scan.count > 1;
    if (this.hasScores) this.#short.note(choice);
    return placed(choice, this.#options.snapshot.columns, NO_DIAGNOSIS);
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

  #beginScan(): void {
    const { framework, nominator, snapshot, percentageOfNodesToScore, start } = this.#options;
    const state = this.#state;
    const pod = this.#pod;
    this.#hasBegun = true;
    this.#evaluation = this.#evaluationOf(state, pod);
    const evaluation = this.#evaluation;
    const common = { framework, nominator, state, pod, snapshot, evaluation };
    if (this.#nodeNames === undefined) {
      this.scan.begin({ ...common, candidates: snapshot.order, count: snapshot.size, ...this.#range });
      return;
    }
    const count = this.#lookUp(this.#nodeNames);
    const narrowedBy = [...this.#diagnosis.unschedulablePlugins].sort().join(' ');
    this.#diagnosis.nodeToStatus.absentStatus = createStatus(
      Code.UnschedulableAndUnresolvable,
      '',
      `node(s) didn't satisfy plugin(s) [${narrowedBy}]`,
    );
    const range = nextRange(start, count, percentageOfNodesToScore);
    this.scan.begin({ ...common, candidates: this.#named, count, ...range });
  }

  /** Goes the ordinary way after a direct pass, as far as the scan. */
  #scanAgain(state: CycleState, pod: PodInfo, range: RingRange): void {
    const { framework, nominator, snapshot } = this.#options;
    const evaluation = this.#evaluationOf(state, pod);
    const { order, size } = snapshot;
    const all = { candidates: order, count: size, ...range };
    this.scan.begin({ framework, nominator, state, pod, snapshot, evaluation, ...all });
    chooseScan(this.scan);
  }

  #scoreAgain(state: CycleState, pod: PodInfo): void {
    const { framework, snapshot } = this.#options;
    const evaluation = this.#evaluationOf(state, pod);
    const request = { framework, state, pod, snapshot, evaluation, nodes: this.scan };
    const status = this.scores.run(request);
    assert(status === undefined, `scores of a choice that was made must not fail, got ${status?.reasons.join() ?? ''}`);
  }

  /** Rejections are gone through only when the pod stays without a node; returns the nodes processed. */
  #noteRejections(): number {
    const { scan } = this;
    const diagnosis = this.#diagnosis;
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

  /** @param isShort - the nodes were found by a walk that has not written them down */
  #choose(isShort: boolean): Decision {
    const { framework, snapshot, random } = this.#options;
    const { scan } = this;
    const state = this.#state;
    const pod = this.#pod;
    if (scan.count === 1) {
      const slot = isShort ? this.walks.onlySlot : (scan.slots[0] as number);
      return placedWithoutScores(snapshot.columns.names[slot] as string, false, this.#diagnosis);
    }
    const refusal = framework.runPreScore(state, pod, scan);
    if (refusal !== undefined) return { kind: 'error', status: refusal };
    let choice: NodeChoice | Status | undefined;
    if (isShort) {
      choice = this.walks.choose(state, pod, random);
      if (choice === undefined) {
        // From the scan on the ordinary way.
        this.#short.scanAgain();
        this.#evaluation = this.#evaluationOf(state, pod);
      } else this.#short.note(choice);
    }
    choice ??= this.#chooseAmong(state, pod, this.#evaluation);
    if ('code' in choice) return { kind: 'error', status: choice };
    this.hasScores = true;
    return placed(choice, snapshot.columns, this.#diagnosis);
  }

  #chooseAmong(state: CycleState, pod: PodInfo, evaluation: ShapeEvaluation | undefined): NodeChoice | Status {
    const { framework, snapshot, random } = this.#options;
    const { scan, scores } = this;
    const request = { framework, state, pod, snapshot, evaluation, nodes: scan };
    const choice = this.#chooseRanked(request);
    if (choice !== undefined) {
      scores.note(request, choice, this.#groupScores);
      return choice;
    }
    const error = scores.run(request);
    if (error !== undefined) return error;
    const host = selectHost(scores.totals, scan.count, random);
    return { ...host, slot: scan.slots[host.position] as number };
  }

  /** The choice by blocks of nodes, if the scan was one and every score can be had by group. */
  #chooseRanked(request: ScoreRequest): NodeChoice | undefined {
    const { ranked } = this.scan;
    const { evaluation, framework, state, pod, snapshot } = request;
    if (ranked === undefined || evaluation?.table === undefined) return undefined;
    if (evaluation.prepareScores(framework, state, pod, snapshot.columns) || evaluation.hasBadScore()) return undefined;
    if (!this.#groupScores.run(request, evaluation, evaluation.table)) return undefined;
    return ranked.choose(this.#groupScores.additions, this.#options.random);
  }
}

/** The decision of a PreFilter that has not let the pod pass. */
function refusedBy(status: Status, diagnosis: Diagnosis): Decision {
  if (!isRejected(status)) return { kind: 'error', status };
  diagnosis.nodeToStatus.absentStatus = status;
  diagnosis.preFilterMessage = messageOf(status);
  blame(diagnosis, status);
  return { kind: 'unfit', diagnosis };
}

function placed(choice: NodeChoice, { names }: NodeColumns, diagnosis: Diagnosis): Decision {
  const { position, total, ties, drawn, slot } = choice;
  const nodeName = names[slot] as string;
  return { kind: 'placed', nodeName, total, ties, position, drawn, isNominated: false, diagnosis };
}

function placedWithoutScores(nodeName: string, isNominated: boolean, diagnosis: Diagnosis): Decision {
  return { kind: 'placed', nodeName, total: 0, ties: 1, position: 0, drawn: 0, isNominated, diagnosis };
}
