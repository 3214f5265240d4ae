/**
 * The pods of a node that a more important one may displace, most important first: higher priority, then
 * longer running; up to twelve pods that are equal in both keep the order in which they stand on the node, and among
 * more of them Go's sort decides. Upstream: `MoreImportantPod` and `SelectVictimsOnNode` of kube-scheduler v1.34.
 */
import { sortAsGo } from '../../kernel/go-sort.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import type { PodInfo } from '../framework/pod-info.js';

/** Start of a pod that has not started, where that is later than any other start: it counts as starting now. */
export const NOT_STARTED = Number.POSITIVE_INFINITY;

/** Length of a timestamp as Kubernetes writes them, such as `2030-01-01T00:00:00Z`. */
const PLAIN_LENGTH = 20;

/** See the file header. One object serves one node after the other; entries from `count` on are meaningless. */
export class LesserPods {
  readonly infos: PodInfo[] = [];
  count = 0;
  /** The order holds for the present moment only: some have not started, and others seem to do so later. */
  isMomentary = false;
  readonly #timestamps: Pick<Timestamps, 'toMs'>;
  readonly #nowMs: number;

  /** @param nowMs - present simulated time */
  constructor(timestamps: Pick<Timestamps, 'toMs'>, nowMs: number) {
    this.#timestamps = timestamps;
    this.#nowMs = nowMs;
  }

  /** Takes those of the pods that have a lower priority. */
  take(pods: readonly PodInfo[], priority: number): void {
    this.count = 0;
    this.isMomentary = false;
    let waiting = 0;
    for (let index = 0; index < pods.length; index += 1) {
      const info = pods[index] as PodInfo;
      if (info.priority >= priority) continue;
      if (info.startTime === undefined) waiting += 1;
      this.infos[this.count] = info;
      this.count += 1;
    }
    this.#order();
    if (waiting > 0 && waiting < this.count) this.#settleWaiting(pods, priority);
  }

  /** When a pod started, simulated milliseconds; or {@link NOT_STARTED}. */
  startMs(index: number): number {
    const start = (this.infos[index] as PodInfo).startTime;
    if (start === undefined) return this.isMomentary ? this.#nowMs : NOT_STARTED;
    return this.#timestamps.toMs(start);
  }

  /** Whether one pod stands before another in the order, by what they are. */
  isBefore(index: number, other: number): boolean {
    return this.#goesBefore(this.infos[index] as PodInfo, this.infos[other] as PodInfo);
  }

  /** Upstream sorts with `sort.Slice`. */
  #order(): void {
    const { infos } = this;
    infos.length = this.count;
    sortAsGo(infos, this.#goesBefore);
  }

  readonly #goesBefore = (
    { priority, startTime: start }: PodInfo,
    { priority: other, startTime: otherStart }: PodInfo,
  ): boolean => {
    if (priority !== other) return priority > other;
    if (start === otherStart) return false;
    if (this.isMomentary) return this.#msOf(start) < this.#msOf(otherStart);
    if (start === undefined || otherStart === undefined) return otherStart === undefined;
    // Texts of this form stand in the order of the times that they name.
    if (isPlain(start) && isPlain(otherStart)) return start < otherStart;
    return this.#msOf(start) < this.#msOf(otherStart);
  };

  #msOf(start: string | undefined): number {
    return start === undefined ? this.#nowMs : this.#timestamps.toMs(start);
  }

  /** Waiting pods count as starting now: where others start now or later, the pods are put in order anew. */
  #settleWaiting(pods: readonly PodInfo[], priority: number): void {
    const isAhead = this.infos.some(
      ({ startTime }, index) => index < this.count && startTime !== undefined && this.#msOf(startTime) >= this.#nowMs,
    );
    if (!isAhead) return;
    this.count = 0;
    this.isMomentary = true;
    for (const info of pods) {
      if (info.priority >= priority) continue;
      this.infos[this.count] = info;
      this.count += 1;
    }
    this.#order();
  }
}

function isPlain(time: string): boolean {
  return time.length === PLAIN_LENGTH && time.charCodeAt(PLAIN_LENGTH - 1) === 90;
}
