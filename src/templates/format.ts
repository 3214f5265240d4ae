/** Go's fmt: how values print, and printf with its verbs, flags and complaints. */
import { Float, isList, isNil, Moment, sortedEntries, typeName, type Value } from './values.js';
import { printedMoment } from './moments.js';

/** A value as `%v` prints it. */
export function printedValue(value: Value): string {
  if (isNil(value)) return '<nil>';
  if (value instanceof Float) return formatFloat(value.value);
  if (value instanceof Moment) return printedMoment(value);
  if (value instanceof Map) {
    return `map[${sortedEntries(value)
      .map(([key, each]) => `${key}:${printedValue(each)}`)
      .join(' ')}]`;
  }
  if (isList(value)) return `[${value.map(printedValue).join(' ')}]`;
  return String(value);
}

/** `fmt.Sprint`: a space between operands of which neither is a string. */
export function sprint(values: readonly Value[]): string {
  return values
    .map((value, index) => {
      const isSpaced = index > 0 && typeof value !== 'string' && typeof values[index - 1] !== 'string';
      return `${isSpaced ? ' ' : ''}${printedValue(value)}`;
    })
    .join('');
}

/** A float as `%v` prints it: shortest, with an exponent below 1e-4 and from 1e21. */
export function formatFloat(value: number): string {
  return shortestFloat(value, 21);
}

/** `strconv.FormatFloat(value, 'g', -1)`, with an exponent from 10 to the `limit`. */
function shortestFloat(value: number, limit: number): string {
  if (!Number.isFinite(value)) return infinite(value);
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power < -4 || power >= Math.max(limit, digits.replace(/[-.]/g, '').length))
    return `${digits}e${goExponent(power)}`;
  return power < 0 ? value.toFixed(digits.replace(/[-.]/g, '').length - 1 - power) : plainDigits(value);
}

function infinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

function goExponent(power: number): string {
  return `${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Numbers of JavaScript have an exponent from 1e21 on, as Go's have. */
function plainDigits(value: number): string {
  return Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString();
}

interface Directive {
  readonly flags: string;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  readonly verb: string;
}

/** `fmt.Sprintf`. */
export function sprintf(format: string, values: readonly Value[]): string {
  return new Formatter(format, values).text();
}

class Formatter {
  readonly #format: string;
  readonly #values: readonly Value[];
  #at = 0;
  #next = 0;
  #isReordered = false;

  constructor(format: string, values: readonly Value[]) {
    this.#format = format;
    this.#values = values;
  }

  text(): string {
    let text = '';
    while (this.#at < this.#format.length) {
      const percent = this.#format.indexOf('%', this.#at);
      text += this.#format.slice(this.#at, percent === -1 ? undefined : percent);
      if (percent === -1) break;
      this.#at = percent + 1;
      text += this.#directive();
    }
    if (this.#isReordered || this.#next >= this.#values.length) return text;
    const extra = this.#values
      .slice(this.#next)
      .map((value) => (isNil(value) ? '<nil>' : `${typeName(value)}=${printedValue(value)}`));
    return `${text}%!(EXTRA ${extra.join(', ')})`;
  }

  #directive(): string {
    const flags = this.#match(/[+\-# 0]*/y);
    this.#argumentIndex();
    const width = this.#size();
    const hasPrecision = this.#match(/\./y) !== '';
    this.#argumentIndex();
    const precision = hasPrecision ? (this.#size() ?? 0) : undefined;
    this.#argumentIndex();
    const verb = this.#match(/[\s\S]/uy);
    if (verb === '') return '%!(NOVERB)';
    if (verb === '%') return '%';
    if (this.#next >= this.#values.length) return `%!${verb}(${this.#next < 0 ? 'BADINDEX' : 'MISSING'})`;
    const value = this.#values[this.#next];
    this.#next += 1;
    return formatted(value, { flags, width, precision, verb });
  }

  /** `[2]` picks an argument. */
  #argumentIndex(): void {
    const index = this.#match(/\[\d+\]/y);
    if (index === '') return;
    this.#isReordered = true;
    this.#next = Number(index.slice(1, -1)) - 1;
  }

  #size(): number | undefined {
    const size = this.#match(/\*|\d+/y);
    if (size !== '*') return size === '' ? undefined : Number(size);
    const value = this.#values[this.#next];
    this.#next += 1;
    return typeof value === 'number' ? value : undefined;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [text = ''] = pattern.exec(this.#format) ?? [];
    this.#at += text.length;
    return text;
  }
}

function formatted(value: Value, directive: Directive): string {
  const { verb } = directive;
  if (verb === 'T') return padded(typeName(value), directive);
  if (isNil(value)) return verb === 'v' ? padded('<nil>', directive) : `%!${verb}(<nil>)`;
  if (verb === 'v')
    return padded(directive.flags.includes('#') ? goSyntax(value) : valueText(value, directive), directive);
  if (value instanceof Map) {
    const entries = sortedEntries(value).map(
      ([key, each]) => `${formatted(key, directive)}:${formatted(each, directive)}`,
    );
    return `map[${entries.join(' ')}]`;
  }
  if (isList(value)) return `[${value.map((each) => formatted(each, directive)).join(' ')}]`;
  const text = ofKind(value, directive);
  return text === undefined ? `%!${verb}(${typeName(value)}=${printedValue(value)})` : padded(text, directive);
}

/** Of `%v`; a precision counts for floats and strings. */
function valueText(value: Value, { precision, flags }: Directive): string {
  if (value instanceof Float && precision !== undefined) return floatText(value.value, 'g', precision) ?? '';
  if (typeof value === 'number' && flags.includes('+') && value >= 0) return `+${value}`;
  return printedValue(value);
}

function ofKind(value: Value, directive: Directive): string | undefined {
  const { verb, precision, flags } = directive;
  if (typeof value === 'boolean') return verb === 't' ? String(value) : undefined;
  if (typeof value === 'number') return integerText(value, directive);
  if (typeof value === 'string') return stringText(value, directive);
  if (value instanceof Moment) return verb === 's' ? printedMoment(value) : undefined;
  if (!(value instanceof Float)) return undefined;
  const text = floatText(value.value, verb, precision);
  return text !== undefined && flags.includes('+') && value.value >= 0 ? `+${text}` : text;
}

function integerText(value: number, { verb, flags, precision }: Directive): string | undefined {
  const radix = { d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 }[verb];
  if (radix === undefined) {
    if (verb === 'c') return String.fromCodePoint(value);
    if (verb === 'q') return `'${String.fromCodePoint(value)}'`;
    return verb === 'U' ? `U+${value.toString(16).toUpperCase().padStart(4, '0')}` : undefined;
  }
  const digits = Math.abs(value)
    .toString(radix)
    .padStart(precision ?? 0, '0');
  const prefix = flags.includes('#') ? ({ b: '0b', o: '0', x: '0x', X: '0X' }[verb] ?? '') : '';
  return `${signOf(value, flags)}${verb === 'O' ? '0o' : prefix}${verb === 'X' ? digits.toUpperCase() : digits}`;
}

function signOf(value: number, flags: string): string {
  if (value < 0) return '-';
  if (flags.includes('+')) return '+';
  return flags.includes(' ') ? ' ' : '';
}

function floatText(value: number, verb: string, precision: number | undefined): string | undefined {
  if (!'feEgGF'.includes(verb)) return undefined;
  if (!Number.isFinite(value)) return infinite(value);
  if (verb === 'f' || verb === 'F') return fixedDigits(value, precision ?? 6);
  if (verb === 'e' || verb === 'E') {
    const [digits = '', exponent = '0'] = value.toExponential(precision ?? 6).split('e');
    return `${digits}${verb}${goExponent(Number(exponent))}`;
  }
  if (precision === undefined) return shortestFloat(value, 21);
  return shortestFloat(Number(value.toPrecision(Math.max(1, precision))), Math.max(1, precision));
}

/** Digits enough to tell a tie: half of a unit of the last place is written out within these. */
const TIE_DIGITS = 30;

/** Rounds a tie to the even digit, where `toFixed` rounds it up; `toFixed` has an exponent from 1e21 on. */
function fixedDigits(value: number, digits: number): string {
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}.${'0'.repeat(digits)}`;
  const places = Math.min(digits, 100 - TIE_DIGITS);
  const exact = value.toFixed(places + TIE_DIGITS);
  const kept = exact.slice(0, -TIE_DIGITS).replace(/\.$/, '');
  const isTie = /^50*$/.test(exact.slice(-TIE_DIGITS));
  return isTie && /[02468]$/.test(kept) ? kept : value.toFixed(places);
}

function stringText(value: string, { verb, precision, flags }: Directive): string | undefined {
  const text = precision === undefined ? value : Array.from(value).slice(0, precision).join('');
  switch (verb) {
    case 's':
      return text;
    case 'q':
      return flags.includes('#') && !text.includes('`') ? `\`${text}\`` : quoted(text);
    case 'x':
      return Buffer.from(text).toString('hex');
    case 'X':
      return Buffer.from(text).toString('hex').toUpperCase();
    default:
      return undefined;
  }
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': String.raw`\a`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\v': String.raw`\v`,
  '"': String.raw`\"`,
  '\\': '\\\\',
};

/** `strconv.Quote`. */
export function quoted(text: string): string {
  const characters = Array.from(text, (character) => {
    const short = SHORT_ESCAPES[character];
    if (short !== undefined) return short;
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
    if (/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) return character;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
  return `"${characters.join('')}"`;
}

/** `%#v`. */
function goSyntax(value: Value): string {
  if (typeof value === 'string') return quoted(value);
  if (isNil(value)) return 'interface {}(nil)';
  if (value instanceof Map) {
    const entries = sortedEntries(value).map(([key, each]) => `${quoted(key)}:${goSyntax(each)}`);
    return `${typeName(value)}{${entries.join(', ')}}`;
  }
  return isList(value) ? `${typeName(value)}{${value.map(goSyntax).join(', ')}}` : printedValue(value);
}

/** Zeros pad numbers, not texts. */
function padded(text: string, { width = 0, flags }: Directive): string {
  const { length } = Array.from(text);
  if (length >= width) return text;
  if (flags.includes('-')) return text + ' '.repeat(width - length);
  const [sign] = /^[+\- ]?(?=[\d.])/.exec(text) ?? [];
  if (!flags.includes('0') || sign === undefined) return ' '.repeat(width - length) + text;
  return sign + '0'.repeat(width - length) + text.slice(sign.length);
}
