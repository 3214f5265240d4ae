/**
 * What becomes of the words of a command: variables, commands and arithmetic in their place, the fields that come of
 * it, the files that patterns name. Mirrors what POSIX says of word expansions, in its order.
 */
import {
  parse,
  type ParameterExpansionPart,
  type ParameterOperation,
  type ParsedScript,
  type Word,
  type WordPart,
} from 'unbash';
import { ROOT } from '../files/file-tree.js';
import type { Process, Running } from '../processes/process.js';
import { ArithmeticError, evaluate } from './arithmetic.js';
import { hasPattern, matchesPattern, patternSource, quotePattern, unquotePattern } from './pattern.js';
import type { ShellState } from './shell-state.js';

/** What expansions stand on. */
export interface ExpansionScope {
  readonly state: ShellState;
  readonly process: Process;
  /** The output of a script that runs in a shell of its own. */
  readonly capture: (script: ParsedScript) => Running<string>;
}

/** A word that cannot be expanded: the shell ends with it. */
export class ExpansionError extends Error {
  override readonly name = 'ExpansionError';
}

/** A field that grows; its pattern is its text with a backslash before what was quoted. */
interface Field {
  pattern: string;
  isQuoted: boolean;
}

const BLANKS = ' \t\n';
const LONGEST = 16 * 1024 * 1024;

/** The fields of words, as the arguments of a command. */
export function* expandFields(words: readonly Word[], scope: ExpansionScope): Running<string[]> {
  const result: string[] = [];
  for (const word of words) {
    if (word.parts === undefined) {
      result.push(tilde(word, scope));
      continue;
    }
    for (const source of braces(word)) {
      const fields = new Fields(scope.state.get('IFS') ?? BLANKS);
      for (const part of source.parts ?? [literalOf(source)]) yield* expandPart(part, scope, fields, false);
      for (const field of fields.done()) result.push(...files(field, scope));
    }
  }
  return result;
}

/** The text of a word where it is one field: assignments, redirections, `case`. */
export function* expandText(word: Word, scope: ExpansionScope): Running<string> {
  if (word.parts === undefined) return tilde(word, scope);
  return unquotePattern(yield* expandPattern(word, scope));
}

/** The same as a pattern, in which what was quoted means itself. */
export function* expandPattern(word: Word, scope: ExpansionScope): Running<string> {
  if (word.parts === undefined) return quotePattern(tilde(word, scope));
  return yield* expandParts(word.parts, scope);
}

/** The text of parts, such as those of a here-document. */
export function* expandParts(parts: readonly WordPart[], scope: ExpansionScope, isQuoted = false): Running<string> {
  const fields = new Fields('');
  fields.begin();
  for (const part of parts) yield* expandPart(part, scope, fields, isQuoted);
  return fields
    .done()
    .map(({ pattern }) => pattern)
    .join(' ');
}

class Fields {
  readonly #separators: string;
  readonly #all: Field[] = [];
  #present: Field | undefined;

  constructor(separators: string) {
    this.#separators = separators;
  }

  begin(): Field {
    this.#present ??= { pattern: '', isQuoted: false };
    return this.#present;
  }

  /** Text that means itself. */
  quoted(text: string): void {
    const field = this.begin();
    field.pattern += quotePattern(text);
    field.isQuoted = true;
    if (field.pattern.length > LONGEST) throw new ExpansionError('out of memory');
  }

  literal(text: string): void {
    this.begin().pattern += quotePattern(text);
  }

  pattern(text: string): void {
    this.begin().pattern += text;
  }

  /** What came of an expansion outside quotes: it falls into fields. */
  split(text: string): void {
    if (text.length > LONGEST) throw new ExpansionError('out of memory');
    if (this.#separators === '') {
      if (text !== '') this.pattern(text);
      return;
    }
    // What ended the field before: blanks around another separator are part of it.
    let last: 'nothing' | 'blank' | 'other' = 'nothing';
    for (const character of text) {
      if (!this.#separators.includes(character)) {
        this.begin().pattern += character === '\\' ? '\\\\' : character;
        continue;
      }
      const isBlank = BLANKS.includes(character);
      if (this.#present !== undefined) last = isBlank ? 'blank' : 'other';
      else if (isBlank) continue;
      else {
        if (last !== 'blank') this.begin();
        last = 'other';
      }
      this.next();
    }
  }

  /** Begins another field. */
  next(): void {
    if (this.#present !== undefined) this.#all.push(this.#present);
    this.#present = undefined;
  }

  done(): readonly Field[] {
    this.next();
    return this.#all;
  }
}

function* expandPart(part: WordPart, scope: ExpansionScope, fields: Fields, isQuoted: boolean): Running<void> {
  switch (part.type) {
    case 'Literal':
      return isQuoted ? fields.quoted(part.value) : fields.literal(part.value);
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return fields.quoted(part.value);
    case 'Glob':
    case 'ExtendedGlob':
      return isQuoted ? fields.quoted(part.text) : fields.pattern(part.text);
    case 'BraceExpansion':
      return fields.literal(part.text);
    case 'ProcessSubstitution':
      throw new ExpansionError('syntax error: unexpected "("');
    case 'DoubleQuoted':
    case 'LocaleString': {
      // `"$@"` without arguments is no field at all.
      const [only, ...others] = part.parts;
      const isAll = others.length === 0 && only !== undefined && /^\$(?:@|\{@\})$/.test(only.text);
      if (!isAll) fields.quoted('');
      for (const each of part.parts) yield* expandPart(each, scope, fields, true);
      return undefined;
    }
    case 'CommandExpansion': {
      const { script } = part;
      const output = script === undefined ? '' : yield* scope.capture(script);
      return put(output.replaceAll('\0', '').replace(/\n+$/, ''), fields, isQuoted);
    }
    case 'ArithmeticExpansion':
      return put(yield* arithmetic(part.expression, scope), fields, isQuoted);
    case 'SimpleExpansion':
      return parameter(part.text.slice(1), scope, fields, isQuoted);
    case 'ParameterExpansion':
      return yield* expandParameter(part, scope, fields, isQuoted);
  }
}

function* arithmetic(expression: Parameters<typeof evaluate>[0], scope: ExpansionScope): Running<string> {
  const { state } = scope;
  try {
    const result = yield* evaluate(expression, {
      expand: (word) => expandSource(word, scope),
      get: (name) => state.get(name) ?? '',
      set: (name, value) => void state.set(name, value),
    });
    return String(result);
  } catch (error) {
    if (error instanceof ArithmeticError) throw new ExpansionError(error.message);
    throw error;
  }
}

/** A word that is only text yet. */
function* expandSource(source: string, scope: ExpansionScope): Running<string> {
  if (!/[$`"'\\]/.test(source)) return source;
  const command = parse(`x ${source}`).commands[0]?.command;
  const word = command?.type === 'Command' ? command.args[0] : undefined;
  return word?.type === 'Word' ? yield* expandText(word, scope) : source;
}

function put(text: string, fields: Fields, isQuoted: boolean): void {
  if (isQuoted) fields.quoted(text);
  else fields.split(text);
}

function parameter(name: string, scope: ExpansionScope, fields: Fields, isQuoted: boolean): void {
  const { state } = scope;
  if (name === '@' || name === '*') return putAll(state.args, name, state, fields, isQuoted);
  const value = valueOf(name, scope);
  if (value === undefined) checkSet(name, state);
  put(value ?? '', fields, isQuoted);
}

function putAll(args: readonly string[], name: string, state: ShellState, fields: Fields, isQuoted: boolean): void {
  if (isQuoted && name === '*') return fields.quoted(args.join((state.get('IFS') ?? ' ').slice(0, 1)));
  for (const [index, arg] of args.entries()) {
    if (index > 0) fields.next();
    put(arg, fields, isQuoted);
  }
}

function checkSet(name: string, state: ShellState): void {
  if (state.options.has('u')) throw new ExpansionError(`${name}: parameter not set`);
}

/** The value of a parameter; `undefined` = it is not set. */
function valueOf(name: string, { state, process }: ExpansionScope): string | undefined {
  if (/^\d+$/.test(name)) return name === '0' ? state.name : state.args[Number(name) - 1];
  switch (name) {
    case '#':
      return String(state.args.length);
    case '?':
      return String(state.status);
    case '$':
      return String(process.pid);
    case '!':
      return state.background === undefined ? undefined : String(state.background);
    case '-':
      return [...state.options].join('');
    case '@':
    case '*':
      return state.args.length === 0 ? undefined : state.args.join(' ');
    case 'RANDOM':
      return state.get(name) ?? String(process.table.random() & 0x7fff);
    case 'SECONDS':
      return state.get(name) ?? String(Math.floor((process.nowMs - process.startedMs) / 1000));
    case 'PPID':
      return String(process.parent?.pid ?? 0);
    default:
      return state.get(name);
  }
}

function* expandParameter(
  { parameter: name, prefix, operation }: ParameterExpansionPart,
  scope: ExpansionScope,
  fields: Fields,
  isQuoted: boolean,
): Running<void> {
  const { state } = scope;
  if (prefix === '#') {
    const length = name === '@' || name === '*' ? state.args.length : (valueOf(name, scope) ?? '').length;
    return put(String(length), fields, isQuoted);
  }
  const value = prefix === '!' ? valueOf(valueOf(name, scope) ?? '', scope) : valueOf(name, scope);
  if (operation === undefined) {
    if (name === '@' || name === '*') return putAll(state.args, name, state, fields, isQuoted);
    if (value === undefined) checkSet(name, state);
    return put(value ?? '', fields, isQuoted);
  }
  if (operation.type === 'Default') return yield* byDefault(operation, name, value, scope, fields, isQuoted);
  if (value === undefined) checkSet(name, state);
  put(yield* transformed(operation, value ?? '', scope), fields, isQuoted);
}

function* byDefault(
  { operator, operand }: Extract<ParameterOperation, { type: 'Default' }>,
  name: string,
  value: string | undefined,
  scope: ExpansionScope,
  fields: Fields,
  isQuoted: boolean,
): Running<void> {
  const isAbsent = value === undefined || (operator.startsWith(':') && value === '');
  const kind = operator.at(-1);
  if (kind === '+' ? isAbsent : !isAbsent) {
    if (kind === '+') return undefined;
    if (name === '@' || name === '*') return putAll(scope.state.args, name, scope.state, fields, isQuoted);
    return put(value ?? '', fields, isQuoted);
  }
  if (kind === '=') {
    const text = yield* expandText(operand, scope);
    scope.state.set(name, text);
    return put(text, fields, isQuoted);
  }
  if (kind === '?') {
    const text = yield* expandText(operand, scope);
    throw new ExpansionError(`${name}: ${text === '' ? 'parameter not set' : text}`);
  }
  for (const part of operand.parts ?? []) yield* expandPart(part, scope, fields, isQuoted);
  if (operand.parts === undefined) put(operand.value, fields, isQuoted);
}

function* transformed(operation: ParameterOperation, value: string, scope: ExpansionScope): Running<string> {
  switch (operation.type) {
    case 'Remove':
      return removed(value, operation.operator, yield* expandPattern(operation.operand, scope));
    case 'Replace': {
      const pattern = patternSource(yield* expandPattern(operation.pattern, scope));
      const replacement = yield* expandText(operation.replacement, scope);
      if (pattern === '') return value;
      const anchored = { '/#': `^(?:${pattern})`, '/%': `(?:${pattern})$`, '/': pattern, '//': pattern };
      const flags = operation.operator === '//' ? 'g' : '';
      return value.replace(new RegExp(anchored[operation.operator], flags), () => replacement);
    }
    case 'Slice': {
      const offset = Number(yield* wordNumber(operation.offset, scope));
      const start = offset < 0 ? Math.max(0, value.length + offset) : offset;
      if (operation.length === undefined) return value.slice(start);
      const length = Number(yield* wordNumber(operation.length, scope));
      return value.slice(start, length < 0 ? value.length + length : start + length);
    }
    case 'CaseModification': {
      const isUpper = operation.operator.startsWith('^');
      const change = (text: string): string => (isUpper ? text.toUpperCase() : text.toLowerCase());
      return operation.operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
    }
    default:
      throw new ExpansionError('bad substitution');
  }
}

function* wordNumber(word: Word, scope: ExpansionScope): Running<string> {
  const [part] = parse(`x $((${word.text}))`).commands;
  const command = part?.command;
  const arg = command?.type === 'Command' ? command.args[0] : undefined;
  return arg?.type === 'Word' ? yield* expandText(arg, scope) : '0';
}

/** Without what a pattern means at one end: the shortest of it, or the longest. */
function removed(value: string, operator: '#' | '##' | '%' | '%%', pattern: string): string {
  const lengths = Array.from({ length: value.length + 1 }, (_, index) => index);
  if (operator.length === 2) lengths.reverse();
  for (const length of lengths) {
    const isPrefix = operator.startsWith('#');
    const part = isPrefix ? value.slice(0, length) : value.slice(value.length - length);
    if (matchesPattern(pattern, part)) return isPrefix ? value.slice(length) : value.slice(0, value.length - length);
  }
  return value;
}

function tilde({ value, text }: Word, { state }: ExpansionScope): string {
  return /^~(?:\/|$)/.test(text) ? `${state.get('HOME') ?? '/'}${value.slice(1)}` : value;
}

function literalOf({ value, text, pos, end }: Word): WordPart {
  return { type: 'Literal', value, text, pos, end };
}

/** The shell of the images that are played has no braces: a word with them stays as it is. */
function braces(word: Word): readonly Word[] {
  return [word];
}

/** The files that a pattern names; the pattern itself where there are none. */
function files({ pattern }: Field, { process, state }: ExpansionScope): readonly string[] {
  if (!hasPattern(pattern) || state.options.has('f')) return [unquotePattern(pattern)];
  const isAbsolute = pattern.startsWith('/');
  let found: string[] = [isAbsolute ? '/' : ''];
  for (const part of pattern.split('/').filter((each) => each !== '')) {
    found = found.flatMap((base) => inDirectory(base, part, process));
  }
  return found.length === 0 ? [unquotePattern(pattern)] : found.sort();
}

function inDirectory(base: string, part: string, process: Process): string[] {
  const prefix = base === '' || base.endsWith('/') ? base : `${base}/`;
  const { tree, user } = process;
  try {
    if (!hasPattern(part)) {
      const path = prefix + unquotePattern(part);
      return tree.locate(process.path(path), user, false).node === undefined ? [] : [path];
    }
    const names = tree.list(process.path(prefix === '' ? '.' : prefix), user.uid === 0 ? ROOT : user);
    const all = part.startsWith('.') ? ['.', '..', ...names] : names.filter((name) => !name.startsWith('.'));
    return all.filter((name) => matchesPattern(part, name)).map((name) => prefix + name);
  } catch {
    return [];
  }
}
