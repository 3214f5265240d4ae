/**
 * The functions of sprig (github.com/Masterminds/sprig) that templates of load tests use: texts, numbers, lists,
 * dictionaries, encodings, and what depends on the surroundings, which are handed in. Keys, certificates and
 * semantic versions are left out.
 */
import type { RandomStream } from '../../kernel/random.js';
import { toInteger } from '../casts.js';
import { fixed, type FunctionTable } from '../functions.js';
import { formatMoment } from '../moments.js';
import { FunctionError } from '../template-error.js';
import { Moment, type Value } from '../values.js';
import { COLLECTION_FUNCTIONS } from './collections.js';
import { ENCODING_FUNCTIONS } from './encodings.js';
import { NUMBER_FUNCTIONS } from './numbers.js';
import { STRING_FUNCTIONS } from './strings.js';

/** What templates may see of the world around them. */
export interface TemplateSurroundings {
  readonly random: RandomStream;
  /** Simulated time, milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');

/** sprig's table over surroundings. */
export function sprigFunctions({ random, nowMs, environment }: TemplateSurroundings): FunctionTable {
  const variable = (name: string): string => environment[name] ?? '';
  return {
    ...STRING_FUNCTIONS,
    ...NUMBER_FUNCTIONS,
    ...COLLECTION_FUNCTIONS,
    ...ENCODING_FUNCTIONS,
    randAlpha: fixed(['int'], (length) => randomText(random, LETTERS, length)),
    randNumeric: fixed(['int'], (length) => randomText(random, DIGITS, length)),
    randAlphaNum: fixed(['int'], (length) => randomText(random, LETTERS + DIGITS, length)),
    randAscii: fixed(['int'], (length) => randomText(random, PRINTABLE, length)),
    randInt: fixed(['int', 'int'], (min, max) => {
      if (max <= min) throw new FunctionError('invalid argument to Intn');
      return random.int(min, max - 1);
    }),
    shuffle: fixed(['string'], (text) => shuffled(random, text)),
    uuidv4: fixed([], () => uuid(random)),
    now: fixed([], () => new Moment(nowMs())),
    date: fixed(['string', 'any'], (layout, moment) => formatMoment(momentOf(moment, nowMs), layout)),
    dateInZone: fixed(['string', 'any', 'string'], (layout, moment) => formatMoment(momentOf(moment, nowMs), layout)),
    htmlDate: fixed(['any'], (moment) => formatMoment(momentOf(moment, nowMs), '2006-01-02')),
    unixEpoch: fixed(['any'], (moment) => String(Math.floor(momentOf(moment, nowMs).epochMs / 1000))),
    env: fixed(['string'], variable),
    expandenv: fixed(['string'], (text) =>
      text.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_all, braced?: string, bare?: string) =>
        variable(braced ?? bare ?? ''),
      ),
    ),
  };
}

/** Characters drawn from an alphabet. */
function randomText(random: RandomStream, alphabet: string, length: number): string {
  return Array.from({ length: Math.max(0, length) }, () => alphabet[random.int(0, alphabet.length - 1)]).join('');
}

/** A random UUID of version 4. */
function uuid(random: RandomStream): string {
  const hex = Array.from({ length: 4 }, () => random.bits().toString(16).padStart(8, '0')).join('');
  const variant = '89ab'[random.int(0, 3)] ?? '8';
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function shuffled(random: RandomStream, text: string): string {
  const characters = Array.from(text);
  for (let index = characters.length - 1; index > 0; index -= 1) {
    const other = random.int(0, index);
    [characters[index], characters[other]] = [characters[other] ?? '', characters[index] ?? ''];
  }
  return characters.join('');
}

/** Numbers are seconds since 1970; anything else is now. */
function momentOf(value: Value, nowMs: () => number): Moment {
  if (value instanceof Moment) return value;
  return new Moment(typeof value === 'number' ? toInteger(value) * 1000 : nowMs());
}
