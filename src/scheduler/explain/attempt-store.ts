import type { NodeScan } from '../cycle/reference/node-scan.js';
import type { NodeScore, PluginScores } from '../cycle/reference/node-scores.js';
import type { Decision, PodScheduler } from '../cycle/schedule-pod.js';
import type { QueuedPodInfo } from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import { Code, type Status } from '../framework/status.js';
import { detailLength, type AttemptRecord, type ScoredPlugin } from './attempt-record.js';
import { DetailPages, floatsFor, LOST_PAGE, type DetailPage } from './detail-pages.js';
import type { AttemptExplanation } from './explanation.js';
import { noteRejections } from './rejection-groups.js';

/** Pods kept that were placed at their first attempt, and as many that were not. */
const MAX_PODS = 10_000;
/** Attempts kept of a pod. */
const MAX_ATTEMPTS = 16;
/** Sets of plugins that scored, written down once each. */
const MAX_PLUGIN_SETS = 16;

const NO_PLUGINS: readonly ScoredPlugin[] = [];
const NO_SCORES: readonly NodeScore[] = [];
const NO_BLOCK = new Float64Array(0);
const NO_VALUES: readonly number[] = [];

/** What is noted of an attempt with details that are overwritten soon; absent where they are not. */
type Brief = readonly NodeScore[] | undefined;

/** Records of attempts within the bounds. */
export class AttemptStore {
  /** A ring of pods that were placed at their first attempt. It is searched only on request. */
  readonly #placed: AttemptRecord[] = [];
  #nextPlaced = 0;
  /** The last attempt of every other pod, the pod that was tried longest ago first. */
  readonly #retried = new Map<string, AttemptRecord>();
  /** The attempt that was noted last. */
  #last: AttemptRecord | undefined;
  readonly #pages: DetailPages;
  readonly #pluginSets: (readonly ScoredPlugin[])[] = [];
  /** The part of a scan's slots that was copied last; it tends to be as long the next time. */
  #slotsSeen = new Int32Array(0);
  #slots = this.#slotsSeen;
  /** Columns of scores of the last attempt that was noted briefly; the next one tends to have as many. */
  #columns = 1;

  /** @param maxPages - pages of memory for single nodes */
  constructor(maxPages: number) {
    this.#pages = new DetailPages(maxPages);
  }

  /** The last attempt of a pod, by `namespace/name`. */
  latest(podKey: string): AttemptRecord | undefined {
    // The pod that was tried last is found without a search.
    if (this.#last?.pod === podKey) return this.#last;
    const retried = this.#retried.get(podKey);
    const placed = this.#placed[this.#findPlaced(podKey)];
    if (retried === undefined || placed === undefined) return retried ?? placed;
    // Two pods of one name, one after the other.
    return placed.atMs < retried.atMs ? retried : placed;
  }

  /**
   * Notes a decision while the scan and its scores still stand.
   *
   * @param behind - number of pods that are tried next: details that they would overwrite are not written at all
   */
  note(
    info: QueuedPodInfo,
    atMs: number,
    decision: Decision,
    scheduler: PodScheduler,
    columns: NodeColumns,
    behind: number,
  ): void {
    const record = this.#record(info, atMs, decision, scheduler, columns, behind);
    this.#last = record;
    if (info.attempts > 1 || decision.kind !== 'placed') {
      this.#insertRetried(record);
      return;
    }
    this.#placed[this.#nextPlaced] = record;
    this.#nextPlaced = this.#nextPlaced === MAX_PODS - 1 ? 0 : this.#nextPlaced + 1;
  }

  /** Adds how the last attempt of a pod failed. */
  noteFailure(podKey: string, code: Code, message: string, refusal: Status | undefined): void {
    const record = this.latest(podKey);
    if (record === undefined) return;
    record.failedWith = code;
    record.message = message;
    record.refusal = refusal;
    // A pod is tried again after its chosen node was refused.
    if (this.#retried.get(podKey) !== record) this.#insertRetried(record);
  }

  #record(
    info: QueuedPodInfo,
    atMs: number,
    decision: Decision,
    scheduler: PodScheduler,
    columns: NodeColumns,
    behind: number,
  ): AttemptRecord {
    const { scan, scores, hasScores } = scheduler;
    const { pod, key } = info.podInfo;
    const isPlaced = decision.kind === 'placed';
    const isNominated = isPlaced && decision.isNominated;
    const isScored = isPlaced && hasScores;
    const brief = this.#briefly(scheduler, decision, behind);
    let page: DetailPage | undefined;
    let at = 0;
    if (brief === undefined) {
      const block = isScored ? scores.block : NO_BLOCK;
      page = this.#pages.pageFor(detailLength(scan.count, scan.rejectedCount, block.length));
      at = page.free;
      this.#copyNodes(page, scan, block);
    }
    const scored = brief ?? (isScored ? chosenAmong(scores.plugins, decision.position) : NO_SCORES);
    const rejections = noteRejections(decision, scan, columns, page);
    return {
      uid: pod.metadata.uid,
      pod: key,
      previous: undefined,
      atMs,
      attempt: info.attempts,
      nodeName: isPlaced ? decision.nodeName : undefined,
      chosenBy: isPlaced ? reasonOfChoice(isNominated, hasScores) : undefined,
      way: scheduler.way,
      failedWith: failureOf(decision),
      message: undefined,
      refusal: undefined,
      preemption: undefined,
      totalNodes: columns.nodeCount,
      visited: scan.visited + (isNominated || rejections.extraNode !== undefined ? 1 : 0),
      feasibleCount: scan.count,
      rejectedCount: scan.rejectedCount,
      groups: rejections.groups,
      extraNode: rejections.extraNode,
      extraGroup: rejections.extraGroup,
      plugins: scored.length === 0 ? NO_PLUGINS : this.#pluginSet(scored),
      chosenTotal: isPlaced ? decision.total : 0,
      chosen: scored.length === 0 ? NO_VALUES : pairsOf(scored),
      ties: isPlaced ? decision.ties : 0,
      drawn: isPlaced ? decision.drawn : 0,
      names: columns.names,
      page: page ?? LOST_PAGE,
      pageUse: page?.use ?? 0,
      at,
    };
  }

  /** The scores of the chosen node alone, if there are any, where the details are not worth writing down. */
  #briefly({ scan, scores, hasScores }: PodScheduler, decision: Decision, behind: number): Brief {
    const { count, rejectedCount } = scan;
    if (decision.kind !== 'placed' || !hasScores) {
      return this.#pages.isLostAfter(behind, detailLength(count, rejectedCount, 0)) ? NO_SCORES : undefined;
    }
    if (!this.#pages.isLostAfter(behind, detailLength(count, rejectedCount, this.#columns * count))) return undefined;
    const chosen = scores.scoresOf(decision.position);
    if (chosen === undefined) return undefined;
    let columns = 0;
    for (const { isNormalized } of chosen) columns += isNormalized ? 2 : 1;
    this.#columns = columns;
    return this.#pages.isLostAfter(behind, detailLength(count, rejectedCount, columns * count)) ? chosen : undefined;
  }

  /** Writes down nodes and scores; the page's last part, the groups of rejected nodes, is left free. */
  #copyNodes(page: DetailPage, scan: NodeScan, block: Float64Array): void {
    const { slots, count, rejected, rejectedCount } = scan;
    const { floats, ints } = page;
    if (this.#slotsSeen !== slots || this.#slots.length !== count) {
      this.#slotsSeen = slots;
      this.#slots = slots.subarray(0, count);
    }
    let next = page.free;
    ints.set(this.#slots, 2 * next);
    next += floatsFor(count);
    floats.set(block, next);
    next += block.length;
    if (rejectedCount > 0) ints.set(rejected.subarray(0, rejectedCount), 2 * next);
    page.free = next + 2 * floatsFor(rejectedCount);
  }

  #insertRetried(record: AttemptRecord): void {
    const retried = this.#retried;
    const previous = retried.get(record.pod);
    if (previous !== undefined) {
      retried.delete(record.pod);
      // Another pod may have had the name before.
      if (previous.uid === record.uid) {
        record.previous = previous;
        cutAfter(record, MAX_ATTEMPTS);
      }
    } else if (retried.size >= MAX_PODS) {
      for (const oldest of retried.keys()) {
        retried.delete(oldest);
        break;
      }
    }
    retried.set(record.pod, record);
  }

  /** Index in the ring, the newest first; -1 = not there. */
  #findPlaced(podKey: string): number {
    const { length } = this.#placed;
    for (let step = 1; step <= length; step += 1) {
      const index = (this.#nextPlaced - step + length) % length;
      if (this.#placed[index]?.pod === podKey) return index;
    }
    return -1;
  }

  #pluginSet(scored: readonly NodeScore[]): readonly ScoredPlugin[] {
    for (const known of this.#pluginSets) if (isSameSet(known, scored)) return known;
    const plugins = scored.map(({ name, weight, isNormalized }) => ({ name, weight, isNormalized }));
    if (this.#pluginSets.length >= MAX_PLUGIN_SETS) this.#pluginSets.shift();
    this.#pluginSets.push(plugins);
    return plugins;
  }
}

function failureOf({ kind }: Decision): Code | undefined {
  if (kind === 'placed') return undefined;
  return kind === 'error' ? Code.Error : Code.Unschedulable;
}

function reasonOfChoice(isNominated: boolean, hasScores: boolean): AttemptExplanation['chosenBy'] {
  if (isNominated) return 'nominated-node';
  return hasScores ? 'scores' : 'only-feasible-node';
}

function isSameSet(known: readonly ScoredPlugin[], scored: readonly NodeScore[]): boolean {
  if (known.length !== scored.length) return false;
  for (let index = 0; index < known.length; index += 1) {
    const a = known[index] as ScoredPlugin;
    const b = scored[index] as NodeScore;
    if (a.name !== b.name || a.weight !== b.weight || a.isNormalized !== b.isNormalized) return false;
  }
  return true;
}

/** Raw and normalised score of each plugin, in turn. */
function pairsOf(scored: readonly NodeScore[]): readonly number[] {
  const pairs: number[] = [];
  for (const { raw, normalized } of scored) pairs.push(raw, normalized);
  return pairs;
}

function cutAfter(record: AttemptRecord, count: number): void {
  let last: AttemptRecord | undefined = record;
  for (let index = 1; index < count && last !== undefined; index += 1) last = last.previous;
  if (last !== undefined) last.previous = undefined;
}

function chosenAmong(scored: readonly PluginScores[], position: number): readonly NodeScore[] {
  return scored.map(({ name, weight, raw, normalized }) => ({
    name,
    weight,
    isNormalized: normalized !== raw,
    raw: raw[position] as number,
    normalized: normalized[position] as number,
  }));
}
