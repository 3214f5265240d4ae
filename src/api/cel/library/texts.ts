/** Functions on texts (cel-go v0.26 common/stdlib and ext/strings.go version 2; apiserver's library/regex.go, v1.34). */
import { goPattern, patternProblem } from '../../values/go-pattern.js';
import { CelError, type CelValue } from '../values.js';
import { formatted } from './formatting.js';
import { functionTable } from './function-table.js';

function patternOf(pattern: string, what: string): RegExp {
  const found = goPattern(pattern);
  if (found === undefined) throw new CelError(`${what}error parsing regexp: ${patternProblem(pattern)}`);
  return found;
}

function allFound(text: string, pattern: string, most: number): readonly string[] {
  const { source, flags } = patternOf(pattern, 'Illegal regex: ');
  const all = [...text.matchAll(new RegExp(source, `${flags}g`))].map(([whole]) => whole);
  return most < 0 ? all : all.slice(0, most);
}

function points(text: string): readonly string[] {
  return Array.from(text);
}

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`);
}

function charAt(text: string, index: bigint): string {
  const letters = points(text);
  if (index < 0n || index > BigInt(letters.length)) throw outOfRange(index);
  return letters[Number(index)] ?? '';
}

function isAt(letters: readonly string[], part: readonly string[], at: number): boolean {
  return part.every((letter, index) => letters[at + index] === letter);
}

function indexOf(text: string, part: string, from = 0n): bigint {
  const [letters, wanted] = [points(text), points(part)];
  if (wanted.length === 0) return from;
  if (from < 0n) throw outOfRange(from);
  if (from >= BigInt(letters.length)) return -1n;
  for (let at = Number(from); at <= letters.length - wanted.length; at += 1) {
    if (isAt(letters, wanted, at)) return BigInt(at);
  }
  return -1n;
}

function lastIndexOf(text: string, part: string, until?: bigint): bigint {
  const [letters, wanted] = [points(text), points(part)];
  if (wanted.length === 0) return until ?? BigInt(letters.length);
  if (until !== undefined && until < 0n) throw outOfRange(until);
  if (until !== undefined && until >= BigInt(letters.length)) return -1n;
  const last = letters.length - wanted.length;
  for (let at = Math.min(last, Number(until ?? last)); at >= 0; at -= 1) {
    if (isAt(letters, wanted, at)) return BigInt(at);
  }
  return -1n;
}

function replaced(text: string, from: string, to: string, most = -1n): string {
  if (most === 0n) return text;
  if (from === '') return replacedBetween(text, to, most);
  const parts = text.split(from);
  const count = most < 0n ? parts.length - 1 : Math.min(Number(most), parts.length - 1);
  return [parts.slice(0, count + 1).join(to), ...parts.slice(count + 1)].join(from);
}

/** An empty text stands before each letter and at the end. */
function replacedBetween(text: string, to: string, most: bigint): string {
  const letters = points(text);
  const count = most < 0n ? letters.length + 1 : Number(most);
  const result = letters.map((letter, index) => (index < count ? to + letter : letter)).join('');
  return letters.length < count ? result + to : result;
}

function split(text: string, separator: string, most = -1n): readonly string[] {
  if (most === 0n) return [];
  const parts = separator === '' ? points(text) : text.split(separator);
  const count = Number(most);
  if (count < 0 || parts.length <= count) return parts;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

function substring(text: string, start: bigint, end?: bigint): string {
  const letters = points(text);
  const size = BigInt(letters.length);
  if (end === undefined) {
    if (start < 0n || start > size) throw outOfRange(start);
    return letters.slice(Number(start)).join('');
  }
  if (start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > size) throw outOfRange(start);
  if (end > size) throw outOfRange(end);
  return letters.slice(Number(start), Number(end)).join('');
}

const QUOTED: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

// oxlint-disable-next-line no-control-regex
const QUOTED_LETTERS = /["\\\u0007\b\f\n\r\t\v]/g;

/** White space as Go's unicode.IsSpace has it. */
const SPACE_AROUND =
  /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;

export const TEXT_FUNCTIONS = functionTable({
  'string::contains(string) -> bool': (a: string, b: string) => a.includes(b),
  'string::endsWith(string) -> bool': (a: string, b: string) => a.endsWith(b),
  'string::startsWith(string) -> bool': (a: string, b: string) => a.startsWith(b),
  'matches(string, string) -> bool': (a: string, b: string) => patternOf(b, '').test(a),
  'string::matches(string) -> bool': (a: string, b: string) => patternOf(b, '').test(a),
  'string::find(string) -> string': (a: string, b: string) => allFound(a, b, 1)[0] ?? '',
  'string::findAll(string) -> list(string)': (a: string, b: string) => allFound(a, b, -1),
  'string::findAll(string, int) -> list(string)': (a: string, b: string, most: bigint) => allFound(a, b, Number(most)),
  'string::charAt(int) -> string': charAt,
  'string::indexOf(string) -> int': indexOf,
  'string::indexOf(string, int) -> int': indexOf,
  'string::lastIndexOf(string) -> int': lastIndexOf,
  'string::lastIndexOf(string, int) -> int': lastIndexOf,
  'string::lowerAscii() -> string': (a: string) => a.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
  'string::upperAscii() -> string': (a: string) => a.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
  'string::replace(string, string) -> string': replaced,
  'string::replace(string, string, int) -> string': replaced,
  'string::split(string) -> list(string)': split,
  'string::split(string, int) -> list(string)': split,
  'string::substring(int) -> string': substring,
  'string::substring(int, int) -> string': substring,
  'string::trim() -> string': (a: string) => a.replaceAll(SPACE_AROUND, ''),
  'strings.quote(string) -> string': (a: string) => `"${a.replaceAll(QUOTED_LETTERS, (each) => QUOTED[each] ?? each)}"`,
  'string::format(list(dyn)) -> string': (a: string, values: readonly CelValue[]) => formatted(a, values),
  'list(string)::join() -> string': (a: readonly string[]) => a.join(''),
  'list(string)::join(string) -> string': (a: readonly string[], separator: string) => a.join(separator),
});
