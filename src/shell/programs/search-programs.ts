/** Programs that search: `grep`, `sed`, `find`, `xargs`. */
import { FileError } from '../files/file-error.js';
import { bracketSource, matchesPattern } from '../language/pattern.js';
import { findProgram, runFound } from '../language/find-program.js';
import type { Process, Program, Running } from '../processes/process.js';
import { linesOf, makeProgram, readEach } from './make-program.js';

/** A regular expression as grep and sed write it. */
function expressionSource(text: string, isExtended: boolean): string {
  let source = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '[') {
      const end = bracketEnd(text, index);
      source += bracketSource(text.slice(index + 1, end));
      index = end;
    } else if (character === '\\') {
      index += 1;
      const next = text.charAt(index);
      if (/[(){}|+?]/.test(next)) source += isExtended ? `\\${next}` : next;
      else if (next === '<' || next === '>') source += String.raw`\b`;
      else source += /[\wsSdD]/.test(next) ? `\\${next}` : `\\${next}`;
    } else if (!isExtended && /[(){}|+?]/.test(character)) source += `\\${character}`;
    else source += character === '/' ? String.raw`\/` : character;
  }
  return source;
}

function bracketEnd(text: string, start: number): number {
  let index = start + 1;
  if (text.charAt(index) === '^') index += 1;
  if (text.charAt(index) === ']') index += 1;
  for (; index < text.length && text.charAt(index) !== ']'; index += 1) {
    if (text.startsWith('[:', index)) index = Math.max(index, text.indexOf(':]', index) + 1);
  }
  return index;
}

function expressionOf(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    throw new FileError('EINVAL');
  }
}

const grep = makeProgram({
  name: 'grep',
  letters: 'EFGe:f:ivcnqlLowxsHhm:A:B:rR',
  *run(process, { has, values, value, operands }) {
    const files = [...operands];
    const patterns = [...values('e')];
    if (patterns.length === 0) patterns.push(files.shift() ?? '');
    const sources = patterns
      .flatMap((pattern) => pattern.split('\n'))
      .map((pattern) =>
        has('F') ? pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`) : expressionSource(pattern, has('E')),
      )
      .map((source) => (has('w') ? String.raw`\b(?:${source})\b` : has('x') ? `^(?:${source})$` : source));
    const expression = expressionOf(sources.map((source) => `(?:${source})`).join('|'), has('i') ? 'gi' : 'g');
    const most = Number(value('m') ?? Infinity);
    let isFound = false;
    const show = (text: string): void => {
      if (!has('q')) process.print(text);
    };
    const failed = yield* readEach(process, 'grep', files, (content, path) => {
      const prefix = (files.length > 1 || has('H')) && !has('h') ? `${path}:` : '';
      let count = 0;
      for (const [index, line] of linesOf(content).entries()) {
        const matches = [...line.matchAll(expression)];
        if (matches.length > 0 === has('v') || count >= most) continue;
        count += 1;
        if (has('c') || has('l') || has('L')) continue;
        const number = has('n') ? `${index + 1}:` : '';
        if (has('o')) for (const [match] of matches) show(`${prefix}${number}${match}\n`);
        else show(`${prefix}${number}${line}\n`);
      }
      isFound ||= count > 0;
      if (has('c')) show(`${prefix}${count}\n`);
      if ((has('l') && count > 0) || (has('L') && count === 0)) show(`${path}\n`);
    });
    if (failed !== 0 && !(isFound && has('q'))) return 2;
    return isFound ? 0 : 1;
  },
});

/** One command of `sed`. */
interface SedCommand {
  readonly isAt: (line: string, number: number, isLast: boolean) => boolean;
  readonly act:
    | 'p'
    | 'd'
    | 'q'
    | { readonly expression: RegExp; readonly replacement: string; readonly isPrinted: boolean };
}

/** @throws FileError for a script that is more than `s`, `p`, `d`, `q` with an address */
function sedCommands(script: string, isExtended: boolean): readonly SedCommand[] {
  return script
    .split(/[;\n](?=\s*(?:\d|\$|\/|[spdq]|$))/)
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => {
      const address = /^(?:(\d+|\$)(?:,(\d+|\$))?|\/((?:[^/\\]|\\.)*)\/)?\s*(!?)\s*([^]*)$/.exec(each);
      const [, from, to, pattern, negation, command = ''] = address ?? [];
      const expression = pattern === undefined ? undefined : expressionOf(expressionSource(pattern, isExtended), '');
      const isNegated = negation === '!';
      const isAt: SedCommand['isAt'] = (line, number, isLast) => {
        if (expression !== undefined) return expression.test(line) !== isNegated;
        if (from === undefined) return true;
        const first = bound(from, number, isLast);
        const isIn = to === undefined ? number === first : number >= first && (to === '$' || number <= Number(to));
        return isIn !== isNegated;
      };
      if (command === 'p' || command === 'd' || command === 'q') return { isAt, act: command };
      const delimiter = command.charAt(1).replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
      const parts = new RegExp(
        `^s${delimiter}((?:[^${delimiter}\\\\]|\\\\[^])*)${delimiter}((?:[^${delimiter}\\\\]|\\\\[^])*)${delimiter}([gpiI]*)$`,
      ).exec(command);
      if (delimiter === '' || parts === null) throw new FileError('EINVAL');
      const [, found = '', replacement = '', flags = ''] = parts;
      const expressionFlags = `${flags.includes('g') ? 'g' : ''}${/i/i.test(flags) ? 'i' : ''}`;
      const unquoted = found.replaceAll(`\\${command.charAt(1)}`, command.charAt(1));
      return {
        isAt,
        act: {
          expression: expressionOf(expressionSource(unquoted, isExtended), expressionFlags),
          replacement,
          isPrinted: flags.includes('p'),
        },
      };
    });
}

function bound(text: string, number: number, isLast: boolean): number {
  if (text !== '$') return Number(text);
  return isLast ? number : Infinity;
}

function replaced(template: string, groups: readonly (string | undefined)[]): string {
  return template.replaceAll(/\\(\d)|\\n|\\([^])|&/g, (all: string, digit?: string, escaped?: string) => {
    if (digit !== undefined) return groups[Number(digit)] ?? '';
    if (all === '&') return groups[0] ?? '';
    return escaped ?? '\n';
  });
}

const sed = makeProgram({
  name: 'sed',
  letters: 'ne:iEr',
  *run(process, { has, values, operands }) {
    const files = [...operands];
    const scripts = [...values('e')];
    if (scripts.length === 0) scripts.push(files.shift() ?? '');
    const commands = scripts.flatMap((script) => sedCommands(script, has('E') || has('r')));
    return yield* readEach(process, 'sed', files, (content, path) => {
      const output = edited(content, commands, has('n'));
      if (has('i')) process.tree.write(process.path(path), output, process.user);
      else process.print(output);
    });
  },
});

function edited(content: string, commands: readonly SedCommand[], isSilent: boolean): string {
  const lines = linesOf(content);
  let output = '';
  for (const [index, line] of lines.entries()) {
    let present: string | undefined = line;
    let isOver = false;
    for (const { isAt, act } of commands) {
      if (present === undefined || !isAt(present, index + 1, index === lines.length - 1)) continue;
      if (act === 'p') output += `${present}\n`;
      else if (act === 'd') present = undefined;
      else if (act === 'q') isOver = true;
      else {
        const before: string = present;
        present = before.replace(act.expression, (...all: unknown[]) => {
          const groups = all.slice(
            0,
            all.findIndex((each) => typeof each === 'number'),
          ) as (string | undefined)[];
          return replaced(act.replacement, groups);
        });
        if (act.isPrinted && act.expression.test(before)) output += `${present}\n`;
        act.expression.lastIndex = 0;
      }
    }
    if (present !== undefined && !isSilent) output += `${present}\n`;
    if (isOver) break;
  }
  return output;
}

function* find(process: Process, args: readonly string[]): Running {
  const first = args.findIndex((arg, index) => index > 0 && /^[-!(]/.test(arg));
  const starts = args.slice(1, first < 0 ? undefined : first);
  const tests = first < 0 ? [] : args.slice(first);
  let deepest = Infinity;
  const checks: ((path: string, kind: string) => boolean)[] = [];
  for (let index = 0; index < tests.length; index += 1) {
    const value = tests[index + 1] ?? '';
    if (tests[index] === '-maxdepth') deepest = Number(value);
    else if (tests[index] === '-name') checks.push((path) => matchesPattern(value, path.split('/').at(-1) ?? ''));
    else if (tests[index] === '-type') checks.push((_path, kind) => kind === value);
    else if (tests[index] === '-print') continue;
    else {
      process.complain(`find: unrecognized: ${tests[index] ?? ''}\n`);
      return 1;
    }
    index += 1;
  }
  const kinds = { file: 'f', directory: 'd', link: 'l', device: 'c' };
  let status = 0;
  const stack = (starts.length === 0 ? ['.'] : [...starts]).reverse().map((path) => ({ path, depth: 0 }));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { path, depth } = next;
    yield* process.spend(1);
    try {
      const { node } = process.tree.find(process.path(path), process.user, false);
      if (checks.every((check) => check(path, kinds[node.kind]))) process.print(`${path}\n`);
      if (node.kind !== 'directory' || depth >= deepest) continue;
      const names = process.tree.list(process.path(path), process.user);
      stack.push(
        ...names.toReversed().map((name) => ({ path: `${path.replace(/\/$/, '')}/${name}`, depth: depth + 1 })),
      );
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      process.complain(`find: ${path}: ${error.message}\n`);
      status = 1;
    }
  }
  return status;
}

const xargs = makeProgram({
  name: 'xargs',
  letters: 'n:I:r0',
  stopsAtOperand: true,
  *run(process, { value, has, operands }) {
    const input = yield* process.readAll(0);
    const items = has('I') ? linesOf(input) : input.split(has('0') ? '\0' : /\s+/).filter((item) => item !== '');
    const command = operands.length === 0 ? ['echo'] : operands;
    const placeholder = value('I');
    const size = placeholder === undefined ? Number(value('n') ?? Infinity) : 1;
    let status = 0;
    for (
      let index = 0;
      index < Math.max(items.length, has('r') || placeholder !== undefined ? 0 : 1);
      index += Math.min(size, items.length || 1)
    ) {
      const some = items.slice(index, index + size);
      const words =
        placeholder === undefined
          ? [...command, ...some]
          : command.map((word) => word.replaceAll(placeholder, some[0] ?? ''));
      status = (yield* runWords(process, words)) === 0 ? status : 123;
    }
    return status;
  },
});

/** Runs a program in a process of its own, with what its parent has open. */
export function* runWords(process: Process, words: readonly string[], environment = process.environment): Running {
  const found = findProgram(process, words[0] ?? '', environment.get('PATH'));
  if ('problem' in found) {
    process.complain(`${process.name}: can't execute '${words[0] ?? ''}': No such file or directory\n`);
    return found.status;
  }
  const { directory, user, umask, open } = process;
  const child = process.table.spawn(
    { name: words[0] ?? '', args: words, environment, directory, user, umask, open, parent: process },
    (started) => runFound(started, found, words),
  );
  return yield* process.await(child);
}

export const SEARCH_PROGRAMS: readonly (readonly [string, Program])[] = [
  ['grep', grep],
  ['egrep', (process, args) => grep(process, ['grep', '-E', ...args.slice(1)])],
  ['fgrep', (process, args) => grep(process, ['grep', '-F', ...args.slice(1)])],
  ['sed', sed],
  ['find', find],
  ['xargs', xargs],
];
