/** Usage curves as text: `100Mi`, or `0s=100Mi, 10m=2Gi repeat 1h`. */
import { cpuMillis, wholeValue } from '../../api/values/quantity.js';
import { parseDurationMs } from '../../kernel/distribution.js';
import type { UsageCurve } from './script-types.js';
import { need, refuse, textForm, type TextForm } from './text-form.js';

/** A curve of one resource: its text, and what an amount of it is. */
export interface UsageForm extends TextForm<UsageCurve> {
  /** One amount as a quantity's text, at least 0. */
  readonly amount: TextForm<number>;
}

/** Milliseconds since the start of a run: whole ones. */
export const MOMENT: TextForm<number> = {
  allowed: 'a duration such as 500ms or 1m30s',
  parse(text) {
    const timeMs = parseDurationMs(text);
    return timeMs === undefined ? undefined : Math.round(timeMs);
  },
};

/** In millicores. */
export const CPU_USAGE: UsageForm = usageForm('500m', '2', cpuMillis);
/** In bytes. */
export const BYTES_USAGE: UsageForm = usageForm('100Mi', '2Gi', wholeValue);
/** In whole pieces. */
export const COUNT_USAGE: UsageForm = usageForm('10', '500', wholeValue);

type Point = UsageCurve['points'][number];

/** What is wrong with a curve's times; `undefined` when nothing is. */
export function curveFault({ points, repeatMs }: UsageCurve): 'points' | 'repeatMs' | undefined {
  const lastMs = points.reduce((beforeMs, [atMs]) => (atMs >= beforeMs ? atMs : Infinity), 0);
  if (points.length === 0 || lastMs === Infinity) return 'points';
  return repeatMs !== undefined && repeatMs <= lastMs ? 'repeatMs' : undefined;
}

function usageForm(low: string, high: string, read: (quantity: string) => number): UsageForm {
  const amount: TextForm<number> = {
    allowed: `a quantity such as ${low} or ${high}`,
    parse: (text) => amountOf(text, read),
  };
  const form = textForm(
    `a quantity such as ${low}, or several over time such as 0s=${low}, 10m=${high} repeat 1h: times rise, and it repeats after the last`,
    (text): UsageCurve => {
      const [list = '', repeat, ...rest] = text.split(/\brepeat\b/);
      if (rest.length > 0) refuse();
      const points = list.includes('=')
        ? list.split(',').map((word) => readPoint(word, amount))
        : [[0, need(amount, list)] as Point];
      const curve = repeat === undefined ? { points } : { points, repeatMs: need(MOMENT, repeat) };
      return curveFault(curve) === undefined ? curve : refuse();
    },
  );
  return { ...form, amount };
}

function readPoint(word: string, amount: TextForm<number>): Point {
  const [time, used, ...rest] = word.split('=');
  return rest.length > 0 ? refuse() : [need(MOMENT, time), need(amount, used)];
}

function amountOf(text: string, read: (quantity: string) => number): number | undefined {
  try {
    const used = read(text.trim());
    return used >= 0 ? used : undefined;
  } catch {
    return undefined;
  }
}
