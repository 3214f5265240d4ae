/**
 * Thresholds in k6's grammar: `pod_startup_ms: p(99)<5000`, `api_request_ms{verb:LIST}: max<=30000`,
 * `unschedulable: count==0`, and with what ends a run early: `{ threshold, abortOnFail, delayAbortEval }`. What a run
 * has not measured at all fails a threshold on it: a test that is green because nothing happened tells nothing.
 */
import { parse } from 'yaml';
import { nearestWord } from '../kernel/nearest-word.js';
import { DURATION_TEXT, durationOf, type Duration } from '../options/durations.js';
import { isMapping } from '../options/option-checks.js';
import { OptionError, refuseUnknown } from '../options/option-error.js';
import { describeMetric, METRIC_NAMES, type MetricName, type MetricType } from './metric-catalogue.js';
import { nameWithTags, rounded, tagNames, type MetricStore, type Tags } from './metric-store.js';

const OPERATORS = {
  '>': (value: number, bound: number) => value > bound,
  '>=': (value: number, bound: number) => value >= bound,
  '<': (value: number, bound: number) => value < bound,
  '<=': (value: number, bound: number) => value <= bound,
  '==': (value: number, bound: number) => value === bound,
  '===': (value: number, bound: number) => value === bound,
  '!=': (value: number, bound: number) => value !== bound,
} as const;

type Operator = keyof typeof OPERATORS;

/** What may be asked of a metric of a type, besides `p(N)` of a trend. */
const METHODS: Readonly<Record<MetricType, readonly string[]>> = {
  trend: ['avg', 'min', 'med', 'max', 'count'],
  counter: ['count', 'rate'],
  gauge: ['value', 'count', 'min', 'max'],
};

/** A bound on a metric. */
export interface Threshold {
  readonly metric: MetricName;
  readonly tags: Tags;
  /** As it was written, such as `p(99)<5000`. */
  readonly expression: string;
  /** `p` = a percentile. */
  readonly method: string;
  /** Of `p`: 0..100. */
  readonly percentile: number;
  readonly operator: Operator;
  readonly bound: number;
  /** Whether a run ends as soon as it does not hold. */
  readonly abortOnFail: boolean;
  /** Measured time, ms, before which it ends none. */
  readonly delayAbortEvalMs: number;
}

/** A bound with what becomes of the run once it does not hold, as k6 has it. */
export interface AbortingThreshold {
  /** Such as `p(99)<5000`. */
  readonly threshold: string;
  /** Whether the run ends as soon as the bound does not hold; looked at every 2 s of simulated time. @defaultValue false */
  readonly abortOnFail?: boolean;
  /** Simulated time that is measured before the run may end for it. @defaultValue 0 */
  readonly delayAbortEval?: Duration;
}

/** One bound. */
export type ThresholdText = string | AbortingThreshold;

/** Thresholds by their metrics, as k6's options have them: one, or several. */
export type ThresholdMap = Readonly<Record<string, ThresholdText | readonly ThresholdText[]>>;

/** What became of a threshold. */
export interface ThresholdResult {
  /** With its tags. */
  readonly metric: string;
  readonly expression: string;
  readonly ok: boolean;
  /** What it was compared with; `null` = nothing was measured. */
  readonly value: number | null;
  /** When it ended the run, ms of simulated time; absent = it did not. */
  readonly abortedAtMs?: number;
}

const PERCENTILE = /^p\((\d+(?:\.\d+)?)\)$/;
const EXPRESSION = /^([a-z]+(?:\([^)]*\))?)\s*(===|==|!=|>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)$/;
const SUBJECT = /^([^{}\s]+)(?:\{([^{}]*)\})?$/;

const FORM = `an expression such as "p(99)<5000", or { threshold, abortOnFail, delayAbortEval }`;
const FIELDS = ['threshold', 'abortOnFail', 'delayAbortEval'] as const satisfies readonly (keyof AbortingThreshold)[];

/**
 * One threshold as the command line has it: `METRIC: EXPRESSION`, or `METRIC: {threshold: EXPRESSION, abortOnFail: true}`.
 *
 * @throws OptionError
 */
export function parseThreshold(text: string, field = 'threshold'): Threshold {
  const colon = typeof text === 'string' ? separatorOf(text) : -1;
  if (colon === -1) {
    throw new OptionError(field, 'METRIC: EXPRESSION, such as "pod_startup_ms: p(99)<5000"', text);
  }
  const bound = text.slice(colon + 1).trim();
  return thresholdOf(field, text.slice(0, colon).trim(), bound.startsWith('{') ? mappingIn(field, bound) : bound);
}

/** The mapping that a text on the command line writes, in YAML or JSON. */
function mappingIn(field: string, text: string): unknown {
  try {
    return parse(text) as unknown;
  } catch {
    throw new OptionError(field, FORM, text);
  }
}

/** Thresholds by their metrics. @throws OptionError that names the field, what it got and what is allowed */
export function parseThresholds(thresholds: unknown, field = 'thresholds'): readonly Threshold[] {
  if (typeof thresholds !== 'object' || thresholds === null || Array.isArray(thresholds)) {
    throw new OptionError(field, 'a mapping of metrics to expressions such as "p(99)<5000"', thresholds);
  }
  return Object.entries(thresholds).flatMap(([subject, value]: readonly [string, unknown]) => {
    const bounds: readonly unknown[] = Array.isArray(value) ? value : [value];
    return bounds.map((bound) => thresholdOf(`${field}.${subject}`, subject.trim(), bound));
  });
}

/** Thresholds as they may be given to a call. @throws OptionError */
export function thresholdsOf(thresholds: ThresholdMap | readonly Threshold[]): readonly Threshold[] {
  return isParsed(thresholds) ? thresholds : parseThresholds(thresholds);
}

/** Only the parser's own results have a method. */
function isParsed(thresholds: ThresholdMap | readonly Threshold[]): thresholds is readonly Threshold[] {
  return (
    Array.isArray(thresholds) &&
    thresholds.every((each: unknown) => typeof each === 'object' && each !== null && 'method' in each)
  );
}

/** The colon behind the metric; those of its tags stand in braces. */
function separatorOf(text: string): number {
  const end = text.indexOf('}');
  const brace = text.indexOf('{');
  const first = text.indexOf(':');
  return brace !== -1 && brace < first && end !== -1 ? text.indexOf(':', end) : first;
}

function thresholdOf(field: string, subject: string, bound: unknown): Threshold {
  if (typeof bound === 'string') return boundOf(field, subject, bound.trim());
  if (!isMapping(bound) || typeof bound['threshold'] !== 'string') {
    throw new OptionError(field, `${FORM}, or a list of them`, bound);
  }
  refuseUnknown(`${field}.`, bound, FIELDS);
  const { threshold, abortOnFail = false, delayAbortEval = 0 } = bound;
  const delayAbortEvalMs = durationOf(delayAbortEval);
  if (typeof abortOnFail !== 'boolean') throw new OptionError(`${field}.abortOnFail`, 'true or false', abortOnFail);
  if (delayAbortEvalMs === undefined) throw new OptionError(`${field}.delayAbortEval`, DURATION_TEXT, delayAbortEval);
  return { ...boundOf(field, subject, threshold.trim()), abortOnFail, delayAbortEvalMs };
}

function boundOf(field: string, subject: string, expression: string): Threshold {
  const [, name = '', tagText = ''] = SUBJECT.exec(subject) ?? [];
  const metric = metricOf(field, name === '' ? subject : name);
  const tags = tagsOf(field, metric, tagText);
  const [, aggregation = '', operator = '', bound = ''] = EXPRESSION.exec(expression) ?? [];
  if (operator === '') throw new OptionError(field, expressionText(metric), expression);
  const [, percentile] = PERCENTILE.exec(aggregation) ?? [];
  checkMethod(field, metric, aggregation, percentile);
  return {
    metric,
    tags,
    expression,
    method: percentile === undefined ? aggregation : 'p',
    percentile: Number(percentile ?? 0),
    operator: operator as Operator,
    bound: Number(bound),
    abortOnFail: false,
    delayAbortEvalMs: 0,
  };
}

function metricOf(field: string, name: string): MetricName {
  const known = METRIC_NAMES.find((each) => each === name);
  if (known !== undefined) return known;
  const nearest = nearestWord(name, METRIC_NAMES);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw OptionError.of(field, {
    name: '',
    message: `${field} must name one of ${METRIC_NAMES.join(', ')}, got ${JSON.stringify(name)}${hint}`,
  });
}

function tagsOf(field: string, metric: MetricName, text: string): Tags {
  if (text.trim() === '') return {};
  const known = tagNames(metric);
  const tags = text.split(',').map((each) => {
    const colon = each.indexOf(':');
    const name = each.slice(0, Math.max(0, colon)).trim();
    if (known.includes(name)) return [name, each.slice(colon + 1).trim()] as const;
    const allowed = known.length === 0 ? `no tags for ${metric}, which has none` : `tags among ${known.join(', ')}`;
    throw new OptionError(field, `${allowed}, each as NAME:VALUE`, each.trim());
  });
  return Object.fromEntries(tags);
}

function checkMethod(field: string, metric: MetricName, aggregation: string, percentile: string | undefined): void {
  const { type = 'trend' } = describeMetric(metric) ?? {};
  if (percentile === undefined ? METHODS[type].includes(aggregation) : type === 'trend' && Number(percentile) <= 100)
    return;
  throw new OptionError(field, expressionText(metric), aggregation);
}

function expressionText(metric: MetricName): string {
  const { type = 'trend' } = describeMetric(metric) ?? {};
  const methods = [...METHODS[type], ...(type === 'trend' ? ['p(0..100)'] : [])];
  return `METHOD OPERATOR NUMBER with a method of a ${type} (${methods.join(', ')}) and an operator among ${Object.keys(OPERATORS).join(' ')}`;
}

/** Compares thresholds with what was measured. @param seconds - simulated time that was measured */
export function judgeThresholds(
  store: MetricStore,
  thresholds: readonly Threshold[],
  seconds: number,
): readonly ThresholdResult[] {
  return thresholds.map((threshold) => judgeThreshold(store, threshold, seconds));
}

/** One of them. */
export function judgeThreshold(store: MetricStore, threshold: Threshold, seconds: number): ThresholdResult {
  const { metric, tags, expression, operator, bound } = threshold;
  const value = valueOf(store, threshold, seconds);
  const ok = value !== undefined && OPERATORS[operator](value, bound);
  return { metric: nameWithTags(metric, tags), expression, ok, value: value === undefined ? null : rounded(value) };
}

function valueOf(
  store: MetricStore,
  { metric, tags, method, percentile }: Threshold,
  seconds: number,
): number | undefined {
  const { type = 'trend' } = describeMetric(metric) ?? {};
  if (type !== 'trend') {
    const { value, min, max } = store.levelWith(metric, tags);
    if (method === 'min') return min;
    if (method === 'max') return max;
    if (method === 'rate') return seconds > 0 ? value / seconds : 0;
    return value;
  }
  const counts = store.trendWith(metric, tags);
  if (method === 'count') return counts.total;
  if (method === 'avg') return counts.mean;
  if (method === 'min') return counts.min;
  if (method === 'max') return counts.max;
  return counts.quantile(method === 'med' ? 0.5 : percentile / 100);
}

/** A threshold that did not hold, in one line; one that did says so. */
export function thresholdText({ metric, expression, ok, value, abortedAtMs }: ThresholdResult): string {
  const found = value === null ? 'nothing was measured' : `it was ${value}`;
  const end = abortedAtMs === undefined ? '' : `, which ended the run at ${abortedAtMs / 1000}s`;
  return `threshold ${ok ? 'met' : 'failed'}: ${metric}: ${expression} (${found}${end})`;
}
