/**
 * The record of the scheduler's attempts. Most pods are placed at once, and for them noting is to cost
 * next to nothing: a decision's arrays are copied while they stand, and made readable only on request;
 * of single nodes nothing is written, or even looked at, that later attempts would soon overwrite. What
 * is kept is bounded, the oldest goes first. It never changes a decision, and nothing it does is traced.
 * Upstream has no counterpart but its log at level 10.
 */
import type { Decision, PodScheduler } from '../cycle/schedule-pod.js';
import type { PostFilterResult, PreemptionExplanation, QueuedPodInfo } from '../framework/interface.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { Code, Status } from '../framework/status.js';
import type { AttemptRecord } from './attempt-record.js';
import { AttemptStore } from './attempt-store.js';
import { describeAttempt } from './describe-attempt.js';
import type { AttemptExplanation, PodExplanation, PodFocus } from './explanation.js';

/**
 * Pages of 512 KiB for verdicts and scores of single nodes: some 90 attempts that score 500 nodes each. So
 * few stay in the processor's cache; with ten times as many a note takes twice as long.
 */
const DETAIL_PAGES = 4;
/** The same for pods in focus: 256 MiB at most. */
const FOCUS_PAGES = 512;
/** Preemptions kept with all their candidates; of older ones the nominated node's victims are left. */
const MAX_PREEMPTIONS = 256;

/** See the file header. */
export class AttemptLog {
  readonly #others = new AttemptStore(DETAIL_PAGES);
  #inFocus: AttemptStore | undefined;
  #focus: PodFocus | undefined;
  readonly #preempting: AttemptRecord[] = [];
  #nextPreempting = 0;

  /** Keeps the attempts of some pods apart from now on, so that all others do not displace them. */
  focusOn(focus: PodFocus): void {
    this.#focus = focus;
    this.#inFocus = new AttemptStore(FOCUS_PAGES);
  }

  /**
   * Notes a decision that was just taken, while the scan and its scores still stand.
   *
   * @param behind - pods that wait for their attempt
   */
  note(
    info: QueuedPodInfo,
    atMs: number,
    decision: Decision,
    scheduler: PodScheduler,
    columns: NodeColumns,
    behind: number,
  ): void {
    const store = isInFocus(info.podInfo.key, this.#focus) ? this.#inFocus : undefined;
    if (store === undefined) this.#others.note(info, atMs, decision, scheduler, columns, behind);
    else store.note(info, atMs, decision, scheduler, columns, 0);
  }

  /** Adds how the last attempt failed; `refusal` when the chosen node was refused afterwards. */
  noteFailure(podKey: string, code: Code, message: string, refusal?: Status): void {
    this.#storeOf(podKey).noteFailure(podKey, code, message, refusal);
  }

  /** Adds what a preemption considered in the last attempt. */
  notePreemption(podKey: string, explanation: NonNullable<PostFilterResult['explanation']>): void {
    const record = this.#storeOf(podKey).latest(podKey);
    if (record === undefined) return;
    record.preemption = explanation;
    const oldest = this.#preempting[this.#nextPreempting];
    if (oldest?.preemption !== undefined) oldest.preemption = summarized(oldest.preemption);
    this.#preempting[this.#nextPreempting] = record;
    this.#nextPreempting = (this.#nextPreempting + 1) % MAX_PREEMPTIONS;
  }

  /** The attempts to place a pod, by `namespace/name`; `undefined` when none is known. */
  explain(podKey: string): PodExplanation | undefined {
    const attempts: AttemptExplanation[] = [];
    let record = this.#storeOf(podKey).latest(podKey) ?? this.#others.latest(podKey);
    for (; record !== undefined; record = record.previous) attempts.push(describeAttempt(record));
    return attempts.length === 0 ? undefined : { pod: podKey, attempts: attempts.reverse() };
  }

  /** Whether an attempt to place a pod is known. */
  knows(podKey: string): boolean {
    return (this.#storeOf(podKey).latest(podKey) ?? this.#others.latest(podKey)) !== undefined;
  }

  #storeOf(podKey: string): AttemptStore {
    return this.#inFocus !== undefined && isInFocus(podKey, this.#focus) ? this.#inFocus : this.#others;
  }
}

function isInFocus(podKey: string, focus: PodFocus | undefined): boolean {
  if (focus === undefined) return false;
  const slash = podKey.indexOf('/');
  if (focus.namespace !== undefined && podKey.slice(0, slash) !== focus.namespace) return false;
  return podKey.startsWith(focus.namePrefix, slash + 1);
}

function summarized(explanation: NonNullable<PostFilterResult['explanation']>): PreemptionExplanation {
  if (typeof explanation === 'function') return explanation('nominated');
  const { nominated, candidates } = explanation;
  return { ...explanation, candidates: candidates.filter(({ node }) => node === nominated) };
}
