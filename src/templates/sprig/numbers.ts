/** sprig's arithmetic: integers unless a name ends in f; texts count for the numbers that they spell. */
import { toInteger, toNumber } from '../casts.js';
import { fixed, variadic, type FunctionTable } from '../functions.js';
import { FunctionError } from '../template-error.js';
import { Float, type Value } from '../values.js';

/** Longer sequences are a mistake. */
const LONGEST_SEQUENCE = 10_000_000;

export const NUMBER_FUNCTIONS: FunctionTable = {
  add: variadic([], 'any', (values) => values.reduce((sum: number, value) => sum + toInteger(value), 0)),
  add1: fixed(['any'], (value) => toInteger(value) + 1),
  sub: fixed(['any', 'any'], (a, b) => toInteger(a) - toInteger(b)),
  mul: variadic(['any'], 'any', (values, first) =>
    values.reduce((product: number, value) => product * toInteger(value), toInteger(first)),
  ),
  div: fixed(['any', 'any'], (a, b) => Math.trunc(toInteger(a) / divisor(b)) + 0),
  mod: fixed(['any', 'any'], (a, b) => (toInteger(a) % divisor(b)) + 0),
  max: variadic(['any'], 'any', (values, first) => Math.max(toInteger(first), ...values.map(toInteger))),
  min: variadic(['any'], 'any', (values, first) => Math.min(toInteger(first), ...values.map(toInteger))),
  addf: variadic([], 'any', (values) => new Float(values.reduce((sum: number, value) => sum + toNumber(value), 0))),
  add1f: fixed(['any'], (value) => new Float(toNumber(value) + 1)),
  subf: variadic(
    ['any'],
    'any',
    (values, first) => new Float(values.reduce((rest: number, value) => rest - toNumber(value), toNumber(first))),
  ),
  mulf: variadic(
    ['any'],
    'any',
    (values, first) => new Float(values.reduce((product: number, value) => product * toNumber(value), toNumber(first))),
  ),
  divf: variadic(
    ['any'],
    'any',
    (values, first) => new Float(values.reduce((rest: number, value) => rest / toNumber(value), toNumber(first))),
  ),
  maxf: variadic(['any'], 'any', (values, first) => new Float(Math.max(toNumber(first), ...values.map(toNumber)))),
  minf: variadic(['any'], 'any', (values, first) => new Float(Math.min(toNumber(first), ...values.map(toNumber)))),
  biggest: variadic(['any'], 'any', (values, first) => Math.max(toInteger(first), ...values.map(toInteger))),
  floor: fixed(['any'], (value) => new Float(Math.floor(toNumber(value)))),
  ceil: fixed(['any'], (value) => new Float(Math.ceil(toNumber(value)))),
  round: variadic(['any', 'any'], 'any', (_roundOn, value, places) => rounded(toNumber(value), toInteger(places))),
  int: fixed(['any'], toInteger),
  int64: fixed(['any'], toInteger),
  float64: fixed(['any'], (value) => new Float(toNumber(value))),
  atoi: fixed(['string'], toInteger),
  toDecimal: fixed(['any'], (value) => Number.parseInt(String(toInteger(value)), 8) || 0),
  until: fixed(['int'], (count) => sequence(0, count, count < 0 ? -1 : 1)),
  untilStep: fixed(['int', 'int', 'int'], sequence),
  seq: variadic([], 'int', (values) => sequenceText(values)),
};

function divisor(value: Value): number {
  const number = toInteger(value);
  if (number === 0) throw new FunctionError('runtime error: integer divide by zero');
  return number;
}

/** Half goes up, away from zero. */
function rounded(value: number, places: number): Float {
  const factor = Number(`1e${places}`);
  return new Float((Math.sign(value) * Math.round(Math.abs(value) * factor)) / factor);
}

function sequence(start: number, stop: number, step: number): number[] {
  const length = step === 0 ? 0 : Math.max(0, Math.ceil((stop - start) / step));
  if (length > LONGEST_SEQUENCE)
    throw new FunctionError(`sequence of ${length} numbers is longer than ${LONGEST_SEQUENCE}`);
  return Array.from({ length }, (_, index) => start + index * step);
}

function counted(start: number, step: number, end: number): string {
  return sequence(start, end + Math.sign(step), step).join(' ');
}

/** As the command seq counts: `seq 3`, `seq 2 5`, `seq 0 2 10`. */
function sequenceText(values: readonly number[]): string {
  const [first = 0, second = 0, third = 0] = values;
  if (values.length === 1) return counted(1, first < 1 ? -1 : 1, first);
  if (values.length === 2) return counted(first, second < first ? -1 : 1, second);
  if (values.length !== 3 || (second > 0 ? third < first : third > first)) return '';
  return counted(first, second, third);
}
