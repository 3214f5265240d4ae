/** `'%s'.format([…])` (cel-go v0.26 ext/formatting.go). */
import {
  CelDuration,
  CelError,
  CelTime,
  CelUint,
  shortText,
  timeText,
  typeName,
  type CelMap,
  type CelValue,
} from '../values.js';

const CLAUSE = /%(?:(%)|(?:\.(\d+))?([A-Za-z]))/g;

/** The text with its clauses filled in. @throws CelError */
export function formatted(text: string, values: readonly CelValue[]): string {
  let next = 0;
  return text.replace(CLAUSE, (_whole, percent: string | undefined, precision: string | undefined, verb: string) => {
    if (percent !== undefined) return '%';
    const value = values[next];
    if (value === undefined) throw new CelError(`index ${next} out of range`);
    next += 1;
    return clause(verb, value, precision === undefined ? undefined : Number(precision));
  });
}

function clause(verb: string, value: CelValue, precision: number | undefined): string {
  switch (verb) {
    case 's':
      return shown(value);
    case 'd':
      return numberText(value, verb, (number) => String(number));
    case 'f':
      return decimal(value, precision ?? 6);
    case 'e':
      return exponent(value, precision ?? 6);
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : numberText(value, verb, (number) => number.toString(2));
    case 'o':
      return numberText(value, verb, (number) => number.toString(8));
    case 'x':
      return hex(value);
    case 'X':
      return hex(value).toUpperCase();
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

function numberText(value: CelValue, verb: string, show: (number: bigint) => string): string {
  if (typeof value === 'bigint') return show(value);
  if (value instanceof CelUint) return show(value.number);
  const wanted =
    verb === 'd' ? 'decimal clause can only be used on integers' : 'only integers can be formatted this way';
  throw new CelError(`error during formatting: ${wanted}, was given ${typeName(value)}`);
}

function doubleOf(value: CelValue): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  throw new CelError(
    `error during formatting: fixed-point clause can only be used on doubles, was given ${typeName(value)}`,
  );
}

function decimal(value: CelValue, precision: number): string {
  const number = doubleOf(value);
  return Number.isFinite(number) ? number.toFixed(precision) : shown(number);
}

function exponent(value: CelValue, precision: number): string {
  const number = doubleOf(value);
  if (!Number.isFinite(number)) return shown(number);
  return number.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}

function hex(value: CelValue): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return numberText(value, 'x', (number) => number.toString(16));
}

function shown(value: CelValue): string {
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return 'NaN';
    return Number.isFinite(value) ? String(value) : value > 0 ? 'Infinity' : '-Infinity';
  }
  if (Array.isArray(value)) return `[${(value as readonly CelValue[]).map(shownInside).join(', ')}]`;
  if (value instanceof Map) {
    const parts = [...(value as CelMap)].map(([key, each]) => `${shownInside(key)}: ${shownInside(each)}`);
    return `{${parts.toSorted().join(', ')}}`;
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof CelUint) return String(value.number);
  if (value instanceof CelTime) return timeText(value);
  if (value instanceof CelDuration) return `${Number(value.ns) / 1e9}s`;
  return shortText(value);
}

/** Texts have quotes within lists and maps. */
function shownInside(value: CelValue): string {
  return typeof value === 'string' ? JSON.stringify(value) : shown(value);
}

/** What is wrong with a format and those of its values that are known. */
export interface ClauseProblem {
  /** Of the value that does not fit; undefined where it is the format. */
  readonly index?: number;
  readonly message: string;
}

/** The first problem of a format. @param values - undefined for those that are not known yet */
export function clauseProblem(text: string, values: readonly (CelValue | undefined)[]): ClauseProblem | undefined {
  let next = 0;
  for (const [, percent, precision, verb = ''] of text.matchAll(CLAUSE)) {
    if (percent !== undefined) continue;
    if (!/[sdfebxXo]/.test(verb)) {
      return { message: `could not parse formatting clause: unrecognized formatting clause ${JSON.stringify(verb)}` };
    }
    if (next >= values.length) return { message: `index ${next} out of range` };
    const value = values[next];
    if (value !== undefined) {
      try {
        clause(verb, value, precision === undefined ? undefined : Number(precision));
      } catch (error) {
        return { index: next, message: (error as Error).message };
      }
    }
    next += 1;
  }
  return undefined;
}
