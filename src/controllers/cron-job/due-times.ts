/** Which time of its schedule a cron job is due for, and when to look again. Mirrors kube-controller-manager v1.34 pkg/controller/cronjob/utils.go. */
import type { CronJob } from '../../api/objects/batch-objects.js';
import type { CronTimes } from '../../api/cron/cron-times.js';
import type { Timestamps } from '../../kernel/timestamps.js';

/** Added to the next time, as upstream does lest its clock be behind. */
const DELTA_MS = 100;
/** Missed times beyond which a warning is given. */
const MANY = 100;

/** A schedule that has no times, such as the 31st of February. */
export class NoTimesError extends Error {
  override readonly name = 'NoTimesError';
  override readonly message = 'time difference between two schedules is less than 1 second';
}

/** What has become due. Times are simulated milliseconds. */
export interface DueTime {
  /** The latest time that has passed since the last one that was served; `undefined` when none has. */
  readonly timeMs: number | undefined;
  /** How many passed; an estimate when there are several. */
  readonly missed: number;
  /** From where on times count. */
  readonly sinceMs: number;
}

/**
 * @param deadlineSeconds - times that passed longer ago than that do not count
 * @throws NoTimesError
 */
export function dueTime(
  cronJob: CronJob,
  times: CronTimes,
  nowMs: number,
  timestamps: Timestamps,
  deadlineSeconds: number | undefined,
): DueTime {
  const { metadata, status } = cronJob;
  const lastMs = timestamps.toMs(status.lastScheduleTime ?? metadata.creationTimestamp);
  const sinceMs = deadlineSeconds === undefined ? lastMs : Math.max(lastMs, nowMs - deadlineSeconds * 1000);
  const first = times.next(sinceMs);
  const second = first === undefined ? undefined : times.next(first);
  if (first === undefined || second === undefined) throw new NoTimesError();
  if (nowMs < first) return { timeMs: undefined, missed: 0, sinceMs };
  if (nowMs < second) return { timeMs: first, missed: 0, sinceMs };
  const gapSeconds = Math.round((second - first) / 1000);
  const missed = Math.floor(Math.floor((nowMs - first) / 1000) / gapSeconds) + 1;
  let latest: number | undefined;
  let time = times.next(first + (missed - 2) * gapSeconds * 1000);
  while (time !== undefined && time <= nowMs) {
    latest = time;
    time = times.next(time);
  }
  return { timeMs: latest, missed, sinceMs };
}

/** Whether so many times were missed that a user should hear of it. */
export function isTooMany({ missed }: DueTime): boolean {
  return missed > MANY;
}

/** Milliseconds until the next time after those that are due. */
export function untilNextMs(cronJob: CronJob, times: CronTimes, nowMs: number, timestamps: Timestamps): number {
  const { timeMs, missed, sinceMs } = dueTime(cronJob, times, nowMs, timestamps, undefined);
  const next = times.next(timeMs ?? (missed === 0 ? sinceMs : nowMs));
  return (next ?? nowMs) + DELTA_MS - nowMs;
}
