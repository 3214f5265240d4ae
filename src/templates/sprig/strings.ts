/** sprig's functions of texts; the text itself is the last argument, so that it can be piped in. */
import { toText } from '../casts.js';
import { quoted } from '../format.js';
import { fixed, variadic, type FunctionTable } from '../functions.js';
import { FunctionError } from '../template-error.js';
import { isList, isNil, isTrue, type Value } from '../values.js';

export const STRING_FUNCTIONS: FunctionTable = {
  trim: fixed(['string'], (text) => text.trim()),
  trimAll: fixed(['string', 'string'], trimmed),
  trimall: fixed(['string', 'string'], trimmed),
  trimSuffix: fixed(['string', 'string'], (end, text) =>
    end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text,
  ),
  trimPrefix: fixed(['string', 'string'], (start, text) => (text.startsWith(start) ? text.slice(start.length) : text)),
  upper: fixed(['string'], (text) => text.toUpperCase()),
  lower: fixed(['string'], (text) => text.toLowerCase()),
  title: fixed(['string'], (text) => text.replaceAll(/(^|[^\p{L}\p{N}_'])(\p{L})/gu, (all) => all.toUpperCase())),
  untitle: fixed(['string'], (text) => text.replaceAll(/(^|\s)(\p{L})/gu, (all) => all.toLowerCase())),
  swapcase: fixed(['string'], (text) => Array.from(text, swapped).join('')),
  camelcase: fixed(['string'], (text) => words(text).map(capital).join('')),
  snakecase: fixed(['string'], (text) => words(text).join('_').toLowerCase()),
  kebabcase: fixed(['string'], (text) => words(text).join('-').toLowerCase()),
  initials: fixed(['string'], (text) => (text.match(/\S+/g) ?? []).map((word) => word[0] ?? '').join('')),
  nospace: fixed(['string'], (text) => text.replaceAll(/\s/g, '')),
  repeat: fixed(['int', 'string'], repeated),
  replace: fixed(['string', 'string', 'string'], (old, next, text) => text.replaceAll(old, () => next)),
  contains: fixed(['string', 'string'], (part, text) => text.includes(part)),
  hasPrefix: fixed(['string', 'string'], (part, text) => text.startsWith(part)),
  hasSuffix: fixed(['string', 'string'], (part, text) => text.endsWith(part)),
  quote: variadic([], 'any', (values) =>
    present(values)
      .map((value) => quoted(toText(value)))
      .join(' '),
  ),
  squote: variadic([], 'any', (values) =>
    present(values)
      .map((value) => `'${toText(value)}'`)
      .join(' '),
  ),
  cat: variadic([], 'any', (values) => present(values).map(toText).join(' ')),
  indent: fixed(['int', 'string'], indented),
  nindent: fixed(['int', 'string'], (width, text) => `\n${indented(width, text)}`),
  trunc: fixed(['int', 'string'], (length, text) => {
    if (length < 0) return text.length + length > 0 ? text.slice(length) : text;
    return text.slice(0, length);
  }),
  abbrev: fixed(['int', 'string'], (width, text) =>
    width < 4 || text.length <= width ? text : `${text.slice(0, width - 3)}...`,
  ),
  substr: fixed(['int', 'int', 'string'], (start, end, text) => {
    if (start < 0) return text.slice(0, Math.max(0, end));
    return end < 0 || end > text.length ? text.slice(start) : text.slice(start, end);
  }),
  wrap: fixed(['int', 'string'], (width, text) => wrapped(width, '\n', text)),
  wrapWith: fixed(['int', 'string', 'string'], (width, line, text) => wrapped(width, line, text)),
  plural: fixed(['string', 'string', 'int'], (one, many, count) => (count === 1 ? one : many)),
  toString: fixed(['any'], toText),
  toStrings: fixed(['any'], (value) => (isList(value) ? present(value).map(toText) : [toText(value)])),
  join: fixed(['string', 'any'], (separator, value) => {
    return isList(value) ? present(value).map(toText).join(separator) : toText(value);
  }),
  split: fixed(['string', 'string'], (separator, text) => numbered(text.split(separator))),
  splitn: fixed(['string', 'int', 'string'], (separator, count, text) => numbered(splitAtMost(separator, count, text))),
  splitList: fixed(['string', 'string'], (separator, text) => text.split(separator)),
  regexMatch: fixed(['string', 'string'], (pattern, text) => expression(pattern).test(text)),
  mustRegexMatch: fixed(['string', 'string'], (pattern, text) => expression(pattern).test(text)),
  regexFind: fixed(['string', 'string'], (pattern, text) => expression(pattern).exec(text)?.[0] ?? ''),
  regexFindAll: fixed(['string', 'string', 'int'], (pattern, text, count) => {
    const found = [...text.matchAll(expression(pattern))].map(([match]) => match);
    return count < 0 ? found : found.slice(0, count);
  }),
  regexReplaceAll: fixed(['string', 'string', 'string'], (pattern, text, next) =>
    text.replaceAll(
      expression(pattern),
      next.replaceAll(/\$\{(\w+)\}/g, (_all, name: string) => `$${/^\d+$/.test(name) ? name : `<${name}>`}`),
    ),
  ),
  regexReplaceAllLiteral: fixed(['string', 'string', 'string'], (pattern, text, next) =>
    text.replaceAll(expression(pattern), () => next),
  ),
  regexSplit: fixed(['string', 'string', 'int'], (pattern, text, count) => {
    const parts = text.split(expression(pattern));
    return count < 0 ? parts : parts.slice(0, count);
  }),
  regexQuoteMeta: fixed(['string'], (text) => text.replaceAll(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`)),
  fail: fixed(['string'], (message) => {
    throw new FunctionError(message);
  }),
  ternary: fixed(['any', 'any', 'bool'], (yes, no, condition) => (condition ? yes : no)),
  default: variadic(['any'], 'any', ([given], standard) => (isTrue(given) ? given : standard)),
  empty: fixed(['any'], (value) => !isTrue(value)),
  coalesce: variadic([], 'any', (values) => values.find(isTrue) ?? null),
  all: variadic([], 'any', (values) => values.every(isTrue)),
  any: variadic([], 'any', (values) => values.some(isTrue)),
};

function present(values: readonly Value[]): readonly Value[] {
  return values.filter((value) => !isNil(value));
}

function trimmed(characters: string, text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && characters.includes(text[start] ?? '')) start += 1;
  while (end > start && characters.includes(text[end - 1] ?? '')) end -= 1;
  return text.slice(start, end);
}

const LONGEST_TEXT = 100_000_000;

function repeated(count: number, text: string): string {
  if (count < 0) throw new FunctionError('strings: negative Repeat count');
  if (count * text.length > LONGEST_TEXT) throw new FunctionError(`a text longer than ${LONGEST_TEXT} characters`);
  return text.repeat(count);
}

function indented(width: number, text: string): string {
  const pad = repeated(width, ' ');
  return pad + text.replaceAll('\n', `\n${pad}`);
}

function swapped(character: string): string {
  return character === character.toUpperCase() ? character.toLowerCase() : character.toUpperCase();
}

function words(text: string): string[] {
  return text
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

function capital(word: string): string {
  return (word[0] ?? '').toUpperCase() + word.slice(1);
}

function wrapped(width: number, line: string, text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join(line);
}

function splitAtMost(separator: string, count: number, text: string): string[] {
  const parts = text.split(separator);
  if (count < 0 || parts.length <= count) return parts;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

function numbered(parts: readonly string[]): Map<string, Value> {
  return new Map(parts.map((part, index) => [`_${index}`, part]));
}

function expression(pattern: string): RegExp {
  try {
    const [, flags = '', rest = pattern] = /^\(\?([ims]+)\)([\s\S]*)$/.exec(pattern) ?? [];
    return new RegExp(rest.replaceAll('(?P<', '(?<'), `gu${flags}`);
  } catch {
    throw new FunctionError(`regexp: Compile(${quoted(pattern)}): error parsing regexp`);
  }
}
