/**
 * Scans that found no node, kept for pods of the same kind: as long as few nodes have changed since, the
 * next such scan judges those and takes the rest over. For pods whose filters look at nothing but the
 * single node, over all nodes of the snapshot.
 */
import type { NodeInfo } from '../../framework/node-info.js';
import { Code, type Status } from '../../framework/status.js';
import { judgesByNodeAlone, kindOf } from '../attempt/kept-results.js';
import { filterBeside, relevantAmong } from '../attempt/nominated-filter.js';
import { NodeNews } from '../attempt/node-news.js';
import { RecentlyUsed } from '../attempt/recently-used.js';
import { tellRejected, type RejectionListener } from '../attempt/rejection-listener.js';
import { copyRing } from '../attempt/ring.js';
import { KINDS_KEPT } from '../attempt/tuning.js';
import type { VerdictStatuses } from '../attempt/verdict-statuses.js';
import type { ScanRequest } from './requests.js';

/** A scan in which every node was rejected. */
export interface ScanVerdicts {
  /** Verdicts in the order of the list. */
  readonly verdicts: Int32Array;
  /** How many nodes have each verdict. */
  readonly tally: ReadonlyMap<number, number>;
  /** Statuses of negative verdicts; verdict -1 is the first. */
  readonly statuses: readonly Status[];
}

/** A scan as it stands when it is over. */
export interface KeptScan extends Pick<ScanVerdicts, 'tally' | 'statuses'> {
  /** In the order in which the nodes were visited. */
  readonly rejectedVerdicts: Int32Array;
}

/** See the file header. */
export class KeptFailures {
  /** By kind of pod. */
  readonly #failures = new RecentlyUsed<string, KeptFailure>(() => KINDS_KEPT);

  /** The verdicts on all nodes, if all of them reject the pod and that is known without a scan. */
  recall(request: ScanRequest): ScanVerdicts | undefined {
    const kind = kindOf(request.pod);
    if (!this.#failures.has(kind) || !isKeepable(request)) return undefined;
    const failure = this.#failures.get(kind);
    if (failure?.update(request) !== true) {
      this.#failures.delete(kind);
      return undefined;
    }
    return failure.isComplete ? failure : undefined;
  }

  /** Keeps a scan that has just found no node. */
  keep(request: ScanRequest, { rejectedVerdicts, tally, statuses }: KeptScan): void {
    if (!isKeepable(request)) return;
    this.#failures.set(kindOf(request.pod), new KeptFailure(request, rejectedVerdicts, tally, statuses));
  }
}

/** Whether the verdicts are those of the kind of pod, on all nodes. */
function isKeepable({
  framework,
  state,
  pod,
  snapshot,
  candidates,
  count,
  evaluation,
  nominator,
}: ScanRequest): boolean {
  return (
    evaluation?.mayFail === false &&
    candidates === snapshot.order &&
    count === snapshot.size &&
    // For a pod that is nominated somewhere others count there than for its like.
    nominator.nominatedNodeOf(pod.pod.metadata.uid) === undefined &&
    judgesByNodeAlone(framework, state, pod)
  );
}

/** One scan, brought up to date from pod to pod. */
class KeptFailure implements ScanVerdicts {
  readonly verdicts: Int32Array;
  readonly tally: Map<number, number>;
  readonly statuses: Status[];
  readonly #news: NodeNews;

  constructor(
    { snapshot, nominator, start, count }: ScanRequest,
    rejectedVerdicts: Int32Array,
    tally: ReadonlyMap<number, number>,
    statuses: readonly Status[],
  ) {
    this.verdicts = new Int32Array(count);
    // Back from the order of the scan: it visited the list's first node after so many others.
    copyRing(rejectedVerdicts, count, (count - start) % count, this.verdicts, count);
    this.tally = new Map(tally);
    this.statuses = [...statuses];
    this.#news = new NodeNews(snapshot, nominator);
    this.#news.update();
  }

  /** Whether every node rejects the pod. */
  get isComplete(): boolean {
    return !this.tally.has(0);
  }

  /** Judges the nodes that have changed; `false` when that cannot be told or done. */
  update(request: ScanRequest): boolean {
    if (!this.#news.update()) return false;
    const { slots } = this.#news;
    const { evaluation, snapshot } = request;
    if (evaluation === undefined) return false;
    evaluation.filter(slots, slots.length, snapshot.columns);
    for (const slot of slots) {
      const crowded = this.#judgeNominated(request, snapshot.nodeAt(slot));
      if (crowded?.code === Code.Error) return false;
      this.#replace(
        snapshot.columns.arrays.position[slot] as number,
        crowded === undefined ? (evaluation.verdicts[slot] as number) : this.#numberOf(crowded),
      );
    }
    return true;
  }

  /** The status that a node has on account of pods nominated to it. */
  #judgeNominated({ framework, nominator, state, pod }: ScanRequest, node: NodeInfo): Status | undefined {
    if (nominator.nominatedCount === 0) return undefined;
    const nominated = relevantAmong(nominator.nominatedPodsForNode(node.name), pod);
    return nominated.length === 0 ? undefined : filterBeside(framework, nominated, state, pod, node);
  }

  #replace(position: number, verdict: number): void {
    const previous = this.verdicts[position] as number;
    if (previous === verdict) return;
    this.verdicts[position] = verdict;
    const left = (this.tally.get(previous) ?? 0) - 1;
    if (left === 0) this.tally.delete(previous);
    else this.tally.set(previous, left);
    this.tally.set(verdict, (this.tally.get(verdict) ?? 0) + 1);
  }

  /** The number of a status, by content: few are different. */
  #numberOf(status: Status): number {
    const index = this.statuses.findIndex((known) => isSame(known, status));
    return index === -1 ? -this.statuses.push(status) : -index - 1;
  }
}

function isSame(a: Status, b: Status): boolean {
  return (
    a.code === b.code &&
    a.plugin === b.plugin &&
    a.reasons.length === b.reasons.length &&
    a.reasons.every((reason, index) => reason === b.reasons[index])
  );
}

/** The outcome of a scan that rejects every node, known without making it, as it is in the order of the scan. */
export class KnownRejections {
  readonly #known: ScanVerdicts;
  readonly #request: ScanRequest;

  constructor(known: ScanVerdicts, request: ScanRequest) {
    this.#known = known;
    this.#request = request;
  }

  tell(statuses: VerdictStatuses, listener: RejectionListener): void {
    const { verdicts, tally } = this.#known;
    const { candidates, count, start } = this.#request;
    tellRejected({ slots: candidates, verdicts, count, start }, statuses, listener, tally);
  }

  /** Writes the nodes and the verdicts on them down. */
  spellOut(rejected: Int32Array, rejectedVerdicts: Int32Array): void {
    const { verdicts } = this.#known;
    const { candidates, count, start } = this.#request;
    copyRing(candidates, count, start, rejected, count);
    copyRing(verdicts, count, start, rejectedVerdicts, count);
  }
}
