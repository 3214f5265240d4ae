/** The functions of clusterloader2's templates (pkg/config/template_functions.go); chance comes from the run's seed. */
import { stringify } from 'yaml';
import { randomStream, type RandomStream } from '../../kernel/random.js';
import { toText } from '../../templates/casts.js';
import { fixed, variadic, type FunctionTable } from '../../templates/functions.js';
import { FunctionError } from '../../templates/template-error.js';
import { Float, isNil, typeName, type Value } from '../../templates/values.js';

const LETTERS = new TextEncoder().encode('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ');
/** More are a mistake. */
const MOST_ITEMS = 10_000_000;

/** What the functions take from around them. */
export interface LoadSurroundings {
  readonly random: RandomStream;
  /** Reads a file by its path below the folder of the test. @throws FunctionError */
  readonly readFile: (path: string) => string;
}

/** Function table of clusterloader2. */
export function loadFunctions({ random, readFile }: LoadSurroundings): FunctionTable {
  return {
    ...ARITHMETIC,
    ...COLLECTIONS,
    RandInt: fixed(['any'], (most) => random.int(0, whole(most))),
    RandIntRange: fixed(['any', 'any'], (from, to) => {
      const [least, most] = [whole(from), whole(to)];
      return least >= most ? least : random.int(least, most);
    }),
    RandData: fixed(['any'], (length) => randomData(random, whole(length))),
    RandDataWithSeed: fixed(['any', 'any'], (length, seed) => {
      if (whole(length) === 0) return '';
      return drawnText(randomStream(toText(seed), 'RandDataWithSeed'), whole(length));
    }),
    IncludeFile: fixed(['string'], readFile),
    IncludeEmbedFile: fixed(['string'], readFile),
  };
}

const ARITHMETIC: FunctionTable = {
  AddInt: variadic([], 'any', (values) => truncated(sum(values))),
  AddFloat: variadic([], 'any', (values) => new Float(sum(values))),
  SubtractInt: fixed(['any', 'any'], (a, b) => truncated(number(a) - number(b))),
  SubtractFloat: fixed(['any', 'any'], (a, b) => new Float(number(a) - number(b))),
  MultiplyInt: variadic([], 'any', (values) => truncated(product(values))),
  MultiplyFloat: variadic([], 'any', (values) => new Float(product(values))),
  DivideInt: fixed(['any', 'any'], (a, b) => truncated(quotient(a, b))),
  DivideFloat: fixed(['any', 'any'], (a, b) => new Float(quotient(a, b))),
  MaxInt: variadic([], 'any', (values) => truncated(extreme('maximum', values, Math.max))),
  MaxFloat: variadic([], 'any', (values) => new Float(extreme('maximum', values, Math.max))),
  MinInt: variadic([], 'any', (values) => truncated(extreme('minimum', values, Math.min))),
  MinFloat: variadic([], 'any', (values) => new Float(extreme('minimum', values, Math.min))),
  Mod: fixed(['any', 'any'], (a, b) => {
    if (whole(b) === 0) throw new FunctionError('runtime error: integer divide by zero');
    return (whole(a) % whole(b)) + 0;
  }),
  Ceil: fixed(['any'], (value) => new Float(Math.ceil(number(value)))),
};

const COLLECTIONS: FunctionTable = {
  DefaultParam: fixed(['any', 'any'], (value, standard) => (isNil(value) ? standard : value)),
  IfThenElse: fixed(['any', 'any', 'any'], (condition, yes, no) => {
    if (typeof condition !== 'boolean') {
      throw new FunctionError(`incorrect argument type: got: ${typeName(condition)} want: bool`);
    }
    return condition ? yes : no;
  }),
  Concat: variadic([], 'string', (texts) => texts.join('')),
  Lowercase: fixed(['string'], (text) => text.toLowerCase()),
  StringSplit: fixed(['string'], (text) => text.split(',')),
  Loop: fixed(['any'], (size) => Array.from({ length: listLength(size) }, (_, index) => index)),
  SliceOfZeros: fixed(['any'], (size) => Array.from({ length: listLength(size) }, () => 0)),
  Seq: fixed(['any'], (size) => Array.from({ length: listLength(size) }, () => 0)),
  YamlQuote: fixed(['any', 'any'], (text, tabs) => {
    if (typeof text !== 'string')
      throw new FunctionError(`incorrect argument type: got: ${typeName(text)} want: string`);
    if (typeof tabs !== 'number') throw new FunctionError(`incorrect argument type: got: ${typeName(tabs)} want: int`);
    return stringify(text, { lineWidth: 0 }).replaceAll('\n', `\n${'  '.repeat(tabs)}`);
  }),
};

/** Texts count for the numbers that they spell. */
function number(value: Value): number {
  if (value instanceof Float) return value.value;
  if (typeof value === 'number') return value;
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  if (Number.isNaN(parsed)) throw new FunctionError(`cannot cast ${toText(value)} to float64`);
  return parsed;
}

function whole(value: Value): number {
  return truncated(number(value));
}

function truncated(value: number): number {
  return Math.trunc(value) + 0;
}

function sum(values: readonly Value[]): number {
  return values.reduce((total: number, value) => total + number(value), 0);
}

function product(values: readonly Value[]): number {
  return values.reduce((total: number, value) => total * number(value), 1);
}

function quotient(a: Value, b: Value): number {
  if (number(b) === 0) throw new FunctionError('division by zero');
  return number(a) / number(b);
}

function extreme(name: string, values: readonly Value[], choose: (...numbers: number[]) => number): number {
  if (values.length === 0) throw new FunctionError(`${name} undefined`);
  return choose(...values.map(number));
}

function listLength(size: Value): number {
  const length = whole(size);
  if (length < 0 || length > MOST_ITEMS)
    throw new FunctionError(`a list must have 0 to ${MOST_ITEMS} items, got ${length}`);
  return length;
}

/** Characters from which long data are cut. */
const DRAWN_LENGTH = 1 << 20;
/** At the head of long data, drawn for themselves: none are equal. */
const OWN_LENGTH = 12;
const drawnTexts = new WeakMap<RandomStream, string>();

/**
 * Short data are drawn character by character. Long ones, of which a test can ask for a gigabyte (upstream's `list`),
 * are cut out of a text that is drawn once a stream, at a place that is drawn: that costs no more for longer ones.
 */
function randomData(random: RandomStream, length: number): string {
  if (length <= OWN_LENGTH * 2) return drawnText(random, length);
  let drawn = drawnTexts.get(random);
  if (drawn === undefined) {
    drawn = drawnText(random, DRAWN_LENGTH);
    drawnTexts.set(random, drawn);
  }
  const wanted = length - OWN_LENGTH;
  const from = random.int(0, DRAWN_LENGTH - 1);
  const rounds = Math.ceil((from + wanted) / DRAWN_LENGTH);
  return drawnText(random, OWN_LENGTH) + drawn.repeat(rounds).slice(from, from + wanted);
}

function drawnText(random: RandomStream, length: number): string {
  const codes = new Uint8Array(Math.max(0, length));
  for (let index = 0; index < codes.length; index += 1) codes[index] = LETTERS[random.int(0, LETTERS.length - 1)] ?? 0;
  return new TextDecoder().decode(codes);
}
