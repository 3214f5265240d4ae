/**
 * The times that a cron schedule names, in a time zone: every minute of matching local date and time, as
 * robfig/cron v3.0.1 finds them. A local time that a change of the clocks leaves out is left out, one that
 * comes twice counts twice. Croner, which does the work, is always given the moment and never sets a timer.
 */
import { Cron, CronDate } from 'croner';
import type { Timestamps } from '../../kernel/timestamps.js';
import type { CronFields, CronSchedule } from './cron-schedule.js';
import { SECOND_MS } from '../../kernel/time-units.js';

/** The search for the next time ends with this many years, as upstream's. */
const YEARS_AHEAD = 5;
/** Spans between two times that are remembered: the same few are asked for again and again. */
const KNOWN_SPANS = 4;

/** From any moment in it, the next time is its end. Unix milliseconds. */
interface Span {
  readonly fromMs: number;
  readonly endMs: number;
}

/** See the file header. Times are simulated milliseconds. */
export class CronTimes {
  readonly #timestamps: Timestamps;
  /** Seconds from one time to the next; or the times by the calendar. */
  readonly #rule: number | Cron;
  /** What croner is asked with: set anew for each question. */
  readonly #moment = new CronDate('1970-01-01T00:00:00Z', 'UTC').getDate();
  #spans: readonly Span[] = [];

  constructor(schedule: CronSchedule, timeZone: string, timestamps: Timestamps) {
    this.#timestamps = timestamps;
    if (schedule.kind === 'interval') this.#rule = schedule.seconds;
    else {
      const timezone = timeZone === '' ? 'UTC' : timeZone;
      this.#rule = new Cron(patternOf(schedule), { timezone, mode: '5-part', paused: true });
    }
  }

  /** The first time after a moment; `undefined` when there is none for years. */
  next(afterMs: number): number | undefined {
    // Unix milliseconds of simulated time 0 by the caller's clock, which may have been put right since the last call.
    const epochMs = -this.#timestamps.toMs('1970-01-01T00:00:00Z');
    const fromMs = Math.floor((epochMs + afterMs) / SECOND_MS) * SECOND_MS;
    if (typeof this.#rule === 'number') return fromMs + this.#rule * SECOND_MS - epochMs;
    const known = this.#spans.find((span) => span.fromMs <= fromMs && fromMs < span.endMs);
    if (known !== undefined) return known.endMs - epochMs;
    const endMs = this.#search(this.#rule, fromMs);
    if (endMs === undefined) return undefined;
    this.#spans = [{ fromMs, endMs }, ...this.#spans.slice(0, KNOWN_SPANS - 1)];
    return endMs - epochMs;
  }

  #search(rule: Cron, fromMs: number): number | undefined {
    this.#moment.setTime(fromMs);
    const next = rule.nextRun(this.#moment);
    if (next === null || next.getUTCFullYear() > this.#moment.getUTCFullYear() + YEARS_AHEAD) return undefined;
    return next.getTime();
  }
}

/**
 * The schedule in croner's words. Minutes and hours are written with a step: croner would otherwise move
 * a single time of day out of the hour that the clocks leave out, and let it pass the second time.
 */
function patternOf({ minutes, hours, daysOfMonth, months, daysOfWeek }: CronFields): string {
  const days = [daysOfMonth, months, daysOfWeek].map((values) => values?.join(',') ?? '*');
  return [stepped(minutes), stepped(hours), ...days].join(' ');
}

function stepped(values: readonly number[]): string {
  return values.map((value) => `${value}-${value}/1`).join(',');
}
