/**
 * Names of Artillery's metrics. Its `ensure` replaces names in expressions as texts, so none is the beginning of
 * another, and a metric that was never told of fails a check, so counters are told of with 0 at the start.
 */
import type { METRICS } from 'kubeloom';
import type { Emitter } from './contract.js';
import type { Measured } from './protocol.js';

const PREFIX = 'kubeloom.';

/** Verbs that go to the cluster, each counted as `kubeloom.calls_VERB`. */
export const CALLED_VERBS = [
  'apply',
  'scale',
  'roll',
  'delete',
  'drain',
  'fault',
  'heal',
  'await',
  'request',
  'think',
  'run',
] as const;

/** Real time of a call, simulated time that passed while one waited, and the same of whole runs. */
export const OWN_VALUES = ['call_ms', 'wait_ms', 'run_host_ms', 'run_virtual_ms'] as const;

/** Whole runs by how they came out. */
export const RUN_COUNTERS = ['runs_passed', 'runs_failed'] as const;

type Metrics = typeof METRICS;

/** Counters and gauges of a measurement, told as what they changed by: their sums are what they came to. */
export function counterNames(metrics: Metrics): (keyof Metrics)[] {
  return namesOf(metrics, ({ type }) => type !== 'trend');
}

/** Distributions of a measurement of which each value is told. */
export function valueNames(metrics: Metrics): (keyof Metrics)[] {
  return namesOf(metrics, ({ type, unit }) => type === 'trend' && unit === 'ms');
}

function namesOf(
  metrics: Metrics,
  isWanted: (metric: { readonly type: string; readonly unit: string }) => boolean,
): (keyof Metrics)[] {
  return (Object.keys(metrics) as (keyof Metrics)[]).filter((name) => isWanted(metrics[name]));
}

/** Tells of every counter, so that checks on it find it. */
export function emitZeros(ee: Emitter, metrics: Metrics): void {
  const own = [...CALLED_VERBS.map((verb) => `calls_${verb}`), ...RUN_COUNTERS];
  for (const name of [...counterNames(metrics), ...own]) emitCount(ee, name, 0);
}

export function emitCount(ee: Emitter, name: string, amount: number): void {
  ee.emit('counter', `${PREFIX}${name}`, amount);
}

export function emitValue(ee: Emitter, name: string, value: number): void {
  ee.emit('histogram', `${PREFIX}${name}`, value);
}

export function emitMeasured(ee: Emitter, { counters, values }: Measured): void {
  for (const [name, amount] of counters) emitCount(ee, name, amount);
  for (const [name, counts] of values) {
    for (const [value, times] of counts) for (let each = 0; each < times; each += 1) emitValue(ee, name, value);
  }
}
