/** Commands that a shell is itself: what changes the shell, and what is too common to be a program. */
import { FileError } from '../files/file-error.js';
import { normalPath } from '../files/file-tree.js';
import { ProcessExit, type Process, type Running } from '../processes/process.js';
import { signalNumber } from '../processes/signals.js';
import { printf } from './printf.js';
import { echoText } from './echo-text.js';
import { sendSignals } from './send-signals.js';
import { findProgram, runFound } from './find-program.js';
import { Jump } from './jump.js';
import type { ShellScope } from './shell-scope.js';
import { trapTexts } from './shell-state.js';
import { runTest, TestError } from './test-expression.js';

/** Runs in the shell itself; its own name comes first. */
export type Builtin = (shell: ShellScope, args: readonly string[]) => Running;

const NAME = /^[A-Za-z_]\w*$/;

/** A builtin that never waits. */
function plain(run: (shell: ShellScope, args: readonly string[]) => number): Builtin {
  return function* builtin(shell, args) {
    return run(shell, args);
  };
}

function test(shell: ShellScope, args: readonly string[]): number {
  const isBracket = args[0] === '[';
  if (isBracket && args.at(-1) !== ']') {
    shell.complain('[: missing ]');
    return 2;
  }
  try {
    return runTest(isBracket ? args.slice(1, -1) : args.slice(1), shell.process) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof TestError)) throw error;
    shell.complain(error.message);
    return 2;
  }
}

function changeDirectory(shell: ShellScope, [, given]: readonly string[]): number {
  const { process, state } = shell;
  const target = given === '-' ? state.get('OLDPWD') : (given ?? state.get('HOME'));
  const path = normalPath(target ?? '/', process.directory);
  try {
    const { node } = process.tree.find(path, process.user);
    if (node.kind !== 'directory') throw new FileError('ENOTDIR');
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    shell.complain(`cd: can't cd to ${target ?? ''}: ${error.message}`);
    return 2;
  }
  state.set('OLDPWD', process.directory, true);
  process.directory = path;
  state.set('PWD', path, true);
  if (given === '-') process.print(`${path}\n`);
  return 0;
}

/** `export`, `readonly`, `local`. */
function declare(how: 'export' | 'readonly' | 'local'): Builtin {
  return plain((shell, args) => {
    const { state, process } = shell;
    const given = args.slice(1).filter((arg) => !/^-[a-z]+$/.test(arg));
    if (given.length === 0) {
      for (const [name, variable] of [...state.variables].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const isMeant = how === 'export' ? variable.isExported : variable.isReadOnly;
        if (isMeant) process.print(`${how} ${name}='${variable.value.replaceAll("'", String.raw`'\''`)}'\n`);
      }
    }
    for (const each of given) {
      const at = each.indexOf('=');
      const name = at < 0 ? each : each.slice(0, at);
      if (!NAME.test(name)) {
        shell.complain(`${how}: ${name}: bad variable name`);
        return 2;
      }
      if (how === 'local') state.hide(name);
      if (at >= 0 || how === 'local') shell.assign(name, at < 0 ? '' : each.slice(at + 1));
      if (how === 'local') continue;
      const variable = state.variables.get(name) ?? { value: '', isExported: false, isReadOnly: false };
      if (how === 'export') variable.isExported = true;
      else variable.isReadOnly = true;
      state.variables.set(name, variable);
    }
    return 0;
  });
}

function unset({ state }: ShellScope, args: readonly string[]): number {
  for (const name of args.slice(1)) {
    if (name === '-f' || name === '-v') continue;
    if (args[1] === '-f') state.functions.delete(name);
    else state.variables.delete(name);
  }
  return 0;
}

function setOptions(shell: ShellScope, args: readonly string[]): number {
  const { state, process } = shell;
  if (args.length === 1) {
    for (const [name, { value }] of [...state.variables].sort(([a], [b]) => (a < b ? -1 : 1))) {
      process.print(`${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`);
    }
    return 0;
  }
  const LONG: Readonly<Record<string, string>> = {
    errexit: 'e',
    nounset: 'u',
    xtrace: 'x',
    noglob: 'f',
    allexport: 'a',
  };
  let index = 1;
  for (; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '--') {
      index += 1;
      break;
    }
    if (!/^[-+]./.test(arg)) break;
    const isOn = arg.startsWith('-');
    for (const letter of arg.slice(1)) {
      if (letter !== 'o') {
        if (isOn) state.options.add(letter);
        else state.options.delete(letter);
        continue;
      }
      index += 1;
      const name = args[index] ?? '';
      if (name === 'pipefail') state.hasPipefail = isOn;
      const known = LONG[name];
      if (known !== undefined && isOn) state.options.add(known);
      if (known !== undefined && !isOn) state.options.delete(known);
    }
  }
  if (index < args.length || args.includes('--')) state.args = args.slice(index);
  return 0;
}

function trap(shell: ShellScope, args: readonly string[]): number {
  const { state, process } = shell;
  const given = args.slice(1).filter((arg, index) => !(index === 0 && arg === '--'));
  const [action = '', ...signals] = given;
  if (given.length === 0) {
    for (const text of trapTexts(state)) process.print(text);
    return 0;
  }
  // A single signal takes its trap back.
  const isReset = action === '-' || (signals.length === 0 && signalNumber(action) !== undefined);
  for (const name of signals.length === 0 ? [action] : signals) {
    const signal = signalNumber(name);
    if (signal === undefined) {
      shell.complain(`trap: ${name}: invalid signal specification`);
      return 1;
    }
    if (isReset) {
      state.traps.delete(signal);
      process.dispositions.delete(signal);
    } else {
      state.traps.set(signal, action);
      process.dispositions.set(signal, action === '' ? 'ignore' : 'handle');
    }
  }
  return 0;
}

function* wait(shell: ShellScope, args: readonly string[]): Running {
  const { process, jobs } = shell;
  const pids = args.slice(1).map((arg) => Number(arg.replace(/^%/, '')));
  const awaited: (Process | undefined)[] =
    pids.length === 0 ? [...jobs] : pids.map((pid) => jobs.find((job) => job.pid === pid));
  let status = 0;
  for (const job of awaited) {
    if (job === undefined) {
      status = 127;
      continue;
    }
    while (!job.hasEnded && process.pending.length === 0) {
      yield { isReady: () => job.hasEnded || process.pending.length > 0 };
    }
    const [signal] = process.pending;
    if (!job.hasEnded && signal !== undefined) return 128 + signal;
    status = job.status ?? 0;
    jobs.splice(jobs.indexOf(job), 1);
  }
  return pids.length === 0 ? 0 : status;
}

/** Reads a line, byte by byte, so that what follows it is left to others. */
function* read(shell: ShellScope, args: readonly string[]): Running {
  const { process, state } = shell;
  const names: string[] = [];
  let isRaw = false;
  let untilMs: number | undefined;
  for (let index = 1; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '-r') isRaw = true;
    else if (arg === '-t') {
      index += 1;
      untilMs = process.nowMs + Number(args[index] ?? '0') * 1000;
    } else if (arg === '-p') {
      index += 1;
      process.complain(args[index] ?? '');
    } else names.push(arg);
  }
  let line = '';
  let isEnd = false;
  for (;;) {
    const file = process.open.get(0);
    if (untilMs !== undefined && file?.read(0) === 'nothing yet') {
      if (process.nowMs >= untilMs) return 1;
      yield { untilMs, isReady: () => file.read(0) !== 'nothing yet' };
      continue;
    }
    const byte = yield* process.read(0, 1);
    isEnd = byte === undefined;
    if (byte === undefined || byte === '\n') {
      if (!isRaw && !isEnd && line.endsWith('\\')) {
        line = line.slice(0, -1);
        continue;
      }
      break;
    }
    line += byte;
  }
  const separators = state.get('IFS') ?? ' \t\n';
  assignFields(
    shell,
    isRaw ? line : line.replaceAll(/\\([^])/g, '$1'),
    names.length === 0 ? ['REPLY'] : names,
    separators,
  );
  return isEnd ? 1 : 0;
}

function assignFields(shell: ShellScope, line: string, names: readonly string[], separators: string): void {
  const isSeparator = (character: string): boolean => separators.includes(character);
  let rest = line;
  const trim = (): void => {
    while (rest !== '' && isSeparator(rest.charAt(0)) && /\s/.test(rest.charAt(0))) rest = rest.slice(1);
  };
  for (const [index, name] of names.entries()) {
    trim();
    if (index === names.length - 1) {
      while (rest !== '' && isSeparator(rest.slice(-1)) && /\s/.test(rest.slice(-1))) rest = rest.slice(0, -1);
      shell.assign(name, rest);
      return;
    }
    let end = 0;
    while (end < rest.length && !isSeparator(rest.charAt(end))) end += 1;
    shell.assign(name, rest.slice(0, end));
    rest = rest.slice(end);
    trim();
    if (rest !== '' && isSeparator(rest.charAt(0))) rest = rest.slice(1);
  }
}

function* sourceFile(shell: ShellScope, [, path = '', ...args]: readonly string[]): Running {
  const { process, state } = shell;
  const text = process.tree.read(process.path(path), process.user);
  const outer = state.args;
  if (args.length > 0) state.args = args;
  try {
    yield* shell.source(text);
    return state.status;
  } catch (error) {
    if (error instanceof Jump && error.kind === 'return') return error.status;
    throw error;
  } finally {
    state.args = outer;
  }
}

/** The shell becomes another program. */
function* execute(shell: ShellScope, args: readonly string[]): Running {
  const { process, state } = shell;
  const words = args.slice(1);
  if (words.length === 0) return 0;
  const found = findProgram(process, words[0] ?? '', state.get('PATH'));
  if ('problem' in found) {
    shell.complain(`exec: ${words[0] ?? ''}: ${found.problem}`);
    throw new ProcessExit(found.status);
  }
  process.environment = state.environment();
  process.name = words[0] ?? '';
  process.args = words;
  for (const [signal, disposition] of process.dispositions)
    if (disposition === 'handle') process.dispositions.delete(signal);
  state.traps.clear();
  throw new ProcessExit(yield* runFound(process, found, words));
}

function* evaluateText(shell: ShellScope, args: readonly string[]): Running {
  shell.state.status = 0;
  yield* shell.source(args.slice(1).join(' '));
  return shell.state.status;
}

function* command(shell: ShellScope, args: readonly string[]): Running {
  const words = args.slice(1);
  if (words[0] === '-v' || words[0] === '-V') return describe(shell, words.slice(1));
  if (words[0] === '-p') words.shift();
  const builtin = BUILTINS.get(words[0] ?? '');
  return yield* builtin === undefined ? shell.execute(words) : builtin(shell, words);
}

function describe({ state, process }: ShellScope, names: readonly string[]): number {
  let status = 0;
  for (const name of names) {
    if (BUILTINS.has(name) || state.functions.has(name)) process.print(`${name}\n`);
    else {
      const found = findProgram(process, name, state.get('PATH'));
      if ('problem' in found) status = 127;
      else process.print(`${found.path}\n`);
    }
  }
  return status;
}

function jump(kind: Jump['kind']): Builtin {
  return plain(({ state }, [, given]) => {
    if (kind === 'return') throw new Jump(kind, 1, given === undefined ? state.status : Number(given) & 0xff);
    throw new Jump(kind, Math.max(1, Number(given ?? 1)));
  });
}

function leave({ state }: ShellScope, [, given]: readonly string[]): never {
  throw new ProcessExit(given === undefined ? state.status : Number.parseInt(given, 10) & 0xff);
}

function shift({ state }: ShellScope, [, given = '1']: readonly string[]): number {
  const count = Number(given);
  if (count > state.args.length) return 1;
  state.args = state.args.slice(count);
  return 0;
}

function umask({ process }: ShellScope, [, given]: readonly string[]): number {
  if (given === undefined) process.print(`${process.umask.toString(8).padStart(4, '0')}\n`);
  else process.umask = Number.parseInt(given, 8) & 0o777;
  return 0;
}

function optionsOf(shell: ShellScope, args: readonly string[]): number {
  const [, letters = '', name = '', ...given] = args;
  const { state } = shell;
  const words = given.length > 0 ? given : state.args;
  const index = Number(state.get('OPTIND') ?? '1');
  const position = Number(state.get('__OPTPOS') ?? '1');
  const word = words[index - 1] ?? '';
  if (!/^-./.test(word) || word === '--') {
    if (word === '--') shell.assign('OPTIND', String(index + 1));
    shell.assign(name, '?');
    return 1;
  }
  const letter = word.charAt(position);
  const at = letters.indexOf(letter);
  const isLast = position + 1 >= word.length;
  const next = (count: number, place: number): void => {
    shell.assign('OPTIND', String(index + count));
    shell.assign('__OPTPOS', String(place));
  };
  if (at < 0 || letter === ':') {
    next(isLast ? 1 : 0, isLast ? 1 : position + 1);
    shell.assign(name, '?');
    if (!letters.startsWith(':')) shell.complain(`illegal option -${letter}`);
    return 0;
  }
  shell.assign(name, letter);
  if (letters.charAt(at + 1) !== ':') next(isLast ? 1 : 0, isLast ? 1 : position + 1);
  else {
    shell.assign('OPTARG', isLast ? (words[index] ?? '') : word.slice(position + 1));
    next(isLast ? 2 : 1, 1);
  }
  return 0;
}

/** Assignments before these stay. */
export const SPECIAL_BUILTINS: ReadonlySet<string> = new Set([
  ':',
  '.',
  'break',
  'continue',
  'eval',
  'exec',
  'exit',
  'export',
  'readonly',
  'return',
  'set',
  'shift',
  'trap',
  'unset',
]);

/** See the file header. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  [':', plain(() => 0)],
  ['true', plain(() => 0)],
  ['false', plain(() => 1)],
  ['[', plain(test)],
  ['test', plain(test)],
  ['cd', plain(changeDirectory)],
  ['pwd', plain(({ process }) => (process.print(`${process.directory}\n`), 0))],
  ['echo', plain(({ process }, args) => (process.print(echoText(args.slice(1))), 0))],
  ['printf', plain(({ process }, args) => printf(process, args))],
  ['export', declare('export')],
  ['readonly', declare('readonly')],
  ['local', declare('local')],
  ['unset', plain(unset)],
  ['set', plain(setOptions)],
  ['shift', plain(shift)],
  ['trap', plain(trap)],
  ['wait', wait],
  ['read', read],
  ['.', sourceFile],
  ['source', sourceFile],
  ['exec', execute],
  ['eval', evaluateText],
  ['command', command],
  ['type', plain(({ state, process }, args) => describeAll({ state, process }, args))],
  ['break', jump('break')],
  ['continue', jump('continue')],
  ['return', jump('return')],
  ['exit', plain(leave)],
  ['kill', plain(({ process }, args) => sendSignals(process, args))],
  ['umask', plain(umask)],
  ['getopts', plain(optionsOf)],
  ['ulimit', plain(() => 0)],
  ['jobs', plain(() => 0)],
  ['hash', plain(() => 0)],
]);

function describeAll({ state, process }: Pick<ShellScope, 'state' | 'process'>, args: readonly string[]): number {
  let status = 0;
  for (const name of args.slice(1)) {
    const found = findProgram(process, name, state.get('PATH'));
    if (state.functions.has(name)) process.print(`${name} is a function\n`);
    else if (BUILTINS.has(name)) process.print(`${name} is a shell builtin\n`);
    else if ('problem' in found) {
      process.print(`${name}: not found\n`);
      status = 127;
    } else process.print(`${name} is ${found.path}\n`);
  }
  return status;
}
