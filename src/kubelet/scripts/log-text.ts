/** What containers log: the text of their scripts, and the lines of a run as far as it has come. */
import { parseDurationMs } from '../../kernel/distribution.js';
import type { LogLineScript } from './script-types.js';
import { textForm, type TextForm } from './text-form.js';

/** A line of a log. */
export interface LogLine {
  /** Simulated ms. */
  readonly atMs: number;
  readonly text: string;
  /** It has no end: what follows it goes on on the same line. */
  readonly isPartial?: boolean;
}

/** Lines that a repeated entry has at most: the latest, as a kubelet keeps the latest file of a log. */
const KEPT_PER_ENTRY = 10_000;

const LINE = /^(?:(?<at>[\d.]+[a-z][\da-z.]*)\s*)?(?:every\s+(?<every>\S+?)\s*)?:\s?(?<text>.*)$/;

/** One entry a line: `1s: listening`, `5s every 10s: still here`; a text without a time is logged at the start. */
export const LOGS: TextForm<readonly LogLineScript[]> = textForm(
  'lines such as listening, 1s: ready or 5s every 10s: still here',
  (text) => text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [readLine(line.trim())])),
);

function readLine(line: string): LogLineScript {
  const { at, every, text } = LINE.exec(line)?.groups ?? {};
  const atMs = at === undefined ? 0 : parseDurationMs(at);
  const everyMs = every === undefined ? undefined : parseDurationMs(every);
  const isTimed = (at !== undefined || every !== undefined) && atMs !== undefined;
  if (!isTimed || text === undefined || (every !== undefined && !(everyMs !== undefined && everyMs >= 1))) {
    return { atMs: 0, text: line };
  }
  return { atMs: Math.round(atMs), text, ...(everyMs === undefined ? {} : { everyMs: Math.round(everyMs) }) };
}

/** The lines of a run, in order. @param untilMs - its end, or the present; simulated ms, included */
export function logLines(logs: readonly LogLineScript[] = [], startedMs: number, untilMs: number): readonly LogLine[] {
  const lines = logs.flatMap(({ atMs, everyMs, text }): readonly LogLine[] => {
    const firstMs = startedMs + atMs;
    if (firstMs > untilMs) return [];
    if (everyMs === undefined) return [{ atMs: firstMs, text }];
    const last = Math.floor((untilMs - firstMs) / everyMs);
    const first = Math.max(0, last - KEPT_PER_ENTRY + 1);
    return Array.from({ length: last - first + 1 }, (_, index) => ({
      atMs: firstMs + (first + index) * everyMs,
      text,
    }));
  });
  return lines.sort((a, b) => a.atMs - b.atMs);
}
