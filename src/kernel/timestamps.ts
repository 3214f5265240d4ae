/** Kubernetes' two timestamp formats, computed from simulated time. The host's clock is never read. */

/** Turns simulated milliseconds into timestamps and back. */
export interface Timestamps {
  /** Simulated time to RFC 3339 with whole seconds (metav1.Time), truncated. */
  toTime(nowMs: number): string;
  /** Simulated time to RFC 3339 with microseconds (metav1.MicroTime). */
  toMicroTime(nowMs: number): string;
  /** Milliseconds of simulated time since the start of the cluster; NaN when `text` is no timestamp. */
  toMs(text: string): number;
}

/** @param epoch - RFC 3339 timestamp of simulated time 0 */
export function createTimestamps(epoch: string): Timestamps {
  const epochMs = new Date(epoch).getTime();
  let lastSecond = Number.NaN;
  let lastText = '';
  let lastMs = Number.NaN;
  let lastMicroText = '';
  return {
    toTime(nowMs) {
      const second = Math.floor((epochMs + nowMs) / 1000);
      if (second !== lastSecond) {
        lastSecond = second;
        lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
      }
      return lastText;
    },
    toMicroTime(nowMs) {
      if (nowMs !== lastMs) {
        lastMs = nowMs;
        lastMicroText = `${new Date(epochMs + nowMs).toISOString().slice(0, 23)}000Z`;
      }
      return lastMicroText;
    },
    toMs(text) {
      const secondMs = wholeSecondMs(text);
      return (Number.isNaN(secondMs) ? anyTimeMs(text) : secondMs) - epochMs;
    },
  };
}

/** Other texts may stand for times on one host and not on another. */
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function anyTimeMs(text: string): number {
  return RFC_3339.test(text) ? new Date(text).getTime() : Number.NaN;
}

/** Days before a month in a year that begins in March, so that a leap day is the last one of its year. */
const DAYS_BEFORE = [306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275];
/** From 0000-03-01 to 1970-01-01. */
const DAYS_TO_EPOCH = 719_468;
/** Days that every month has; later ones are left to the host, which knows what is wrong with them. */
const SURE_DAYS = 28;

/** Length of `2030-01-01T00:00:00Z`, the form in which Kubernetes writes times, and of its date. */
const TIME_LENGTH = 20;
const DATE_LENGTH = 10;

/** The date that was read last, with the hyphens of its text: times that are read together tend to share it. */
let lastDate = '\u0000';
let lastDateMs = 0;

/** Unix milliseconds of a timestamp of the form `2030-01-01T00:00:00Z`; NaN for any other. */
function wholeSecondMs(text: string): number {
  if (text.length !== TIME_LENGTH) return Number.NaN;
  if (!text.startsWith(lastDate)) {
    const dateMs = startOfDayMs(text);
    if (Number.isNaN(dateMs)) return dateMs;
    lastDate = text.slice(0, DATE_LENGTH);
    lastDateMs = dateMs;
  }
  const isPlain =
    text.charCodeAt(10) === 84 &&
    text.charCodeAt(13) === 58 &&
    text.charCodeAt(16) === 58 &&
    text.charCodeAt(19) === 90;
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (!isPlain || !(hour < 24 && minute < 60 && second < 60)) return Number.NaN;
  return lastDateMs + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** Unix milliseconds at which a day begins, by a text that begins with its date; NaN where that is not for sure. */
function startOfDayMs(text: string): number {
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return Number.NaN;
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= SURE_DAYS)) return Number.NaN;
  const marchYear = month < 3 ? year - 1 : year;
  const leapDays = Math.trunc(marchYear / 4) - Math.trunc(marchYear / 100) + Math.trunc(marchYear / 400);
  const days = 365 * marchYear + leapDays + (DAYS_BEFORE[month - 1] as number) + day - 1 - DAYS_TO_EPOCH;
  return days * 86_400_000;
}

/** NaN unless both characters are digits. */
function twoDigits(text: string, index: number): number {
  const tens = text.charCodeAt(index) - 48;
  const ones = text.charCodeAt(index + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : Number.NaN;
}
