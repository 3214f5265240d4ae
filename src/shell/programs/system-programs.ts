/** Programs about the system, time and processes. */
import { bytesOf } from '../files/file-node.js';
import { runTest, TestError } from '../language/test-expression.js';
import type { Process, Program, Running } from '../processes/process.js';
import { signalNumber, SIGTERM } from '../processes/signals.js';
import { dateText } from './date-text.js';
import { echoText } from '../language/echo-text.js';
import { groupName, ownerName } from './file-programs.js';
import { forEachFile, makeProgram } from './make-program.js';
import { printf } from '../language/printf.js';
import { runWords } from './search-programs.js';
import { sendSignals } from '../language/send-signals.js';

const FOREVER = { isReady: () => false };

/** A program that never waits. */
function plain(run: (process: Process, args: readonly string[]) => number): Program {
  return function* program(process, args) {
    return run(process, args);
  };
}

/** Milliseconds of `5`, `0.5`, `2m` or `1d`; `undefined` = it is none. */
function durationMs(text: string): number | undefined {
  if (text === 'infinity' || text === 'inf') return Infinity;
  const match = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(text);
  if (match === null) return undefined;
  const [, digits = '0', unit = ''] = match;
  return Number(digits) * 1000 * ({ m: 60, h: 3600, d: 86_400 }[unit] ?? 1);
}

function* sleep(process: Process, args: readonly string[]): Running {
  const times = args.slice(1).map(durationMs);
  const wrong = times.indexOf(undefined);
  if (times.length === 0 || wrong >= 0) {
    process.complain(`sleep: invalid number '${args[wrong + 1] ?? ''}'\n`);
    return 1;
  }
  const ms = times.reduce<number>((sum, time) => sum + (time ?? 0), 0);
  if (ms === Infinity) yield FOREVER;
  yield* process.sleep(ms);
  return 0;
}

const date = makeProgram({
  name: 'date',
  letters: 'uRId:s:',
  run(process, { operands, has }) {
    const format = operands.find((operand) => operand.startsWith('+'))?.slice(1);
    process.print(
      `${dateText(process.table.toTime(process.nowMs), process.nowMs, format ?? (has('I') ? '%Y-%m-%d' : '%a %b %e %H:%M:%S UTC %Y'))}\n`,
    );
    return 0;
  },
});

function* env(process: Process, args: readonly string[]): Running {
  const environment = new Map(process.environment);
  let index = 1;
  for (; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const at = arg.indexOf('=');
    if (arg === '-i' || arg === '-') environment.clear();
    else if (arg === '-u') environment.delete(args[(index += 1)] ?? '');
    else if (at > 0) environment.set(arg.slice(0, at), arg.slice(at + 1));
    else break;
  }
  if (index < args.length) return yield* runWords(process, args.slice(index), environment);
  for (const [name, value] of environment) process.print(`${name}=${value}\n`);
  return 0;
}

function printenv(process: Process, args: readonly string[]): number {
  const names = args.slice(1);
  if (names.length === 0) for (const [name, value] of process.environment) process.print(`${name}=${value}\n`);
  let status = 0;
  for (const name of names) {
    const value = process.environment.get(name);
    if (value === undefined) status = 1;
    else process.print(`${value}\n`);
  }
  return status;
}

function named(number: number, name: string): string {
  return name === String(number) ? name : `${number}(${name})`;
}

const id = makeProgram({
  name: 'id',
  letters: 'ugGnr',
  run(process, { has }) {
    const { uid, gid, groups } = process.user;
    const all = [...new Set([gid, ...groups])];
    const user = (number: number): string => (has('n') ? ownerName(process, number) : String(number));
    const group = (number: number): string => (has('n') ? groupName(process, number) : String(number));
    if (has('u')) process.print(`${user(uid)}\n`);
    else if (has('g')) process.print(`${group(gid)}\n`);
    else if (has('G')) process.print(`${all.map(group).join(' ')}\n`);
    else {
      const groupTexts = all.map((each) => named(each, groupName(process, each)));
      process.print(
        `uid=${named(uid, ownerName(process, uid))} gid=${named(gid, groupName(process, gid))} groups=${groupTexts.join(',')}\n`,
      );
    }
    return 0;
  },
});

const hostname = makeProgram({
  name: 'hostname',
  letters: 'fsid',
  run(process, { has }) {
    const { table } = process;
    if (has('i')) process.print(`${table.network.address} \n`);
    else process.print(`${has('f') ? fullName(process) : table.hostname}\n`);
    return 0;
  },
});

/** As the hosts file has it. */
function fullName(process: Process): string {
  const { hostname: own } = process.table;
  const lines = process.tree.read('/etc/hosts', process.user).split('\n');
  const names = lines.map((line) => line.split(/\s+/).slice(1)).find((each) => each.includes(own));
  return names?.[0] ?? own;
}

const uname = makeProgram({
  name: 'uname',
  letters: 'asnrvmopi',
  run(process, { has }) {
    const parts: readonly (readonly [string, string])[] = [
      ['s', 'Linux'],
      ['n', process.table.hostname],
      ['r', '6.1.0'],
      ['v', '#1 SMP'],
      ['m', 'x86_64'],
      ['o', 'GNU/Linux'],
    ];
    const shown = parts.filter(([letter]) => has('a') || has(letter)).map(([, text]) => text);
    process.print(`${shown.length === 0 ? 'Linux' : shown.join(' ')}\n`);
    return 0;
  },
});

function ps(process: Process): number {
  process.print('PID   USER     TIME  COMMAND\n');
  for (const { pid, user, args } of process.table.all) {
    process.print(`${String(pid).padStart(5)} ${ownerName(process, user.uid).padEnd(8)}  0:00 ${args.join(' ')}\n`);
  }
  return 0;
}

function* timeout(process: Process, args: readonly string[]): Running {
  const words = [...args.slice(1)];
  let signal = SIGTERM;
  while (words[0]?.startsWith('-') === true) {
    const option = words.shift() ?? '';
    if (option === '-s' || option === '-t') {
      const value = words.shift() ?? '';
      if (option === '-s') signal = signalNumber(value) ?? SIGTERM;
      else words.unshift(value);
    }
  }
  const ms = durationMs(words.shift() ?? '');
  if (ms === undefined) {
    process.complain("timeout: invalid number ''\n");
    return 1;
  }
  const untilMs = process.nowMs + ms;
  const child = process.table.spawn(
    {
      name: words[0] ?? '',
      args: words,
      environment: process.environment,
      directory: process.directory,
      user: process.user,
      umask: process.umask,
      open: process.open,
      parent: process,
    },
    (started) => runWords(started, words),
  );
  while (!child.hasEnded && process.nowMs < untilMs) yield { untilMs, isReady: () => child.hasEnded };
  if (child.status !== undefined) return child.status;
  for (const each of [...process.table.all]) if (each.parent === child) process.table.signal(each.pid, signal);
  process.table.signal(child.pid, signal);
  return 128 + signal;
}

function* yes(process: Process, args: readonly string[]): Running {
  const line = `${args.length > 1 ? args.slice(1).join(' ') : 'y'}\n`;
  for (;;) {
    process.print(line);
    yield* process.spend(1);
    yield* process.drain();
  }
}

function* seq(process: Process, args: readonly string[]): Running {
  const given = args.slice(1);
  const separator = given[0] === '-s' ? given.splice(0, 2)[1] : undefined;
  const numbers = given.filter((arg) => arg !== '-w').map(Number);
  const [first, step, last] =
    numbers.length === 1 ? [1, 1, numbers[0]] : numbers.length === 2 ? [numbers[0], 1, numbers[1]] : numbers;
  if (first === undefined || step === undefined || last === undefined || numbers.some(Number.isNaN) || step === 0) {
    process.complain('seq: invalid number\n');
    return 1;
  }
  const width = given.includes('-w') ? Math.max(String(first).length, String(last).length) : 0;
  const parts: string[] = [];
  for (let value = first; step > 0 ? value <= last : value >= last; value += step) {
    const text = String(value).padStart(width, '0');
    if (separator === undefined) process.print(`${text}\n`);
    else parts.push(text);
    yield* process.spend(1);
  }
  if (separator !== undefined) process.print(`${parts.join(separator)}\n`);
  return 0;
}

/** `expr`: operators one after the other, from the left, with the usual ranks. */
function expr(process: Process, args: readonly string[]): number {
  const words = args.slice(1);
  let at = 0;
  const ranks = [['|'], ['&'], ['=', '==', '!=', '<', '<=', '>', '>='], ['+', '-'], ['*', '/', '%'], [':']];
  const level = (rank: number): string => {
    const operators = ranks[rank];
    if (operators === undefined) return atom();
    let left = level(rank + 1);
    while (operators.includes(words[at] ?? '')) {
      const operator = words[at] ?? '';
      at += 1;
      left = combine(left, operator, level(rank + 1));
    }
    return left;
  };
  const atom = (): string => {
    const word = words[at] ?? '';
    at += 1;
    if (word === 'length') return String((words[at++] ?? '').length);
    if (word !== '(') return word;
    const inner = level(0);
    at += 1;
    return inner;
  };
  const result = level(0);
  process.print(`${result}\n`);
  return result === '' || result === '0' ? 1 : 0;
}

function truth(is: boolean): string {
  return is ? '1' : '0';
}

function combine(left: string, operator: string, right: string): string {
  const isNumber = /^-?\d+$/.test(left) && /^-?\d+$/.test(right);
  const [a, b] = [Number(left), Number(right)];
  switch (operator) {
    case '|':
      return left === '' || left === '0' ? right : left;
    case '&':
      return [left, right].some((each) => each === '' || each === '0') ? '0' : left;
    case '=':
    case '==':
      return truth(left === right);
    case '!=':
      return truth(left !== right);
    case '<':
      return truth(isNumber ? a < b : left < right);
    case '<=':
      return truth(isNumber ? a <= b : left <= right);
    case '>':
      return truth(isNumber ? a > b : left > right);
    case '>=':
      return truth(isNumber ? a >= b : left >= right);
    case '+':
      return String(a + b);
    case '-':
      return String(a - b);
    case '*':
      return String(a * b);
    case '/':
      return String(Math.trunc(a / b));
    case '%':
      return String(a % b);
    default: {
      const match = new RegExp(`^(?:${right.replaceAll(/\\([()])/g, '$1')})`).exec(left);
      return match === null ? '0' : (match[1] ?? String(match[0].length));
    }
  }
}

function test(process: Process, args: readonly string[]): number {
  try {
    return runTest(args[0] === '[' ? args.slice(1, -1) : args.slice(1), process) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof TestError)) throw error;
    process.complain(`test: ${error.message}\n`);
    return 2;
  }
}

function baseName(process: Process, [, path = '', suffix = '']: readonly string[]): number {
  const name =
    path
      .replace(/(?<=.)\/+$/, '')
      .split('/')
      .at(-1) ?? '';
  process.print(
    `${suffix !== '' && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name || '/'}\n`,
  );
  return 0;
}

function directoryName(process: Process, [, path = '']: readonly string[]): number {
  const trimmed = path.replace(/(?<=.)\/+$/, '');
  const at = trimmed.lastIndexOf('/');
  process.print(`${at < 0 ? '.' : at === 0 ? '/' : trimmed.slice(0, at)}\n`);
  return 0;
}

function which(process: Process, args: readonly string[]): number {
  let status = 0;
  for (const name of args.slice(1)) {
    const directory = (process.environment.get('PATH') ?? '/bin').split(':').find((each) => {
      try {
        return process.tree.find(`${each}/${name}`, process.user).node.kind === 'file';
      } catch {
        return false;
      }
    });
    if (directory === undefined) status = 1;
    else process.print(`${directory}/${name}\n`);
  }
  return status;
}

function* usleep(process: Process, [, micros = '0']: readonly string[]): Running {
  yield* process.sleep(Number(micros) / 1000);
  return 0;
}

/** Settings of the kernel, as /proc/sys has them. */
const sysctl = makeProgram({
  name: 'sysctl',
  letters: 'ne',
  run: (process, { has, operands }) =>
    forEachFile(
      process,
      'sysctl',
      operands,
      (name) => {
        const value = process.tree.read(`/proc/sys/${name.replaceAll('.', '/')}`, process.user).trim();
        process.print(has('n') ? `${value}\n` : `${name} = ${value}\n`);
      },
      (name, error) => `error: '${name}' is an unknown key: ${error.message}`,
    ),
});

export const SYSTEM_PROGRAMS: readonly (readonly [string, Program])[] = [
  ['sleep', sleep],
  ['usleep', usleep],
  ['date', date],
  ['env', env],
  ['printenv', plain(printenv)],
  ['id', id],
  ['whoami', plain((process) => (process.print(`${ownerName(process, process.user.uid)}\n`), 0))],
  ['hostname', hostname],
  ['uname', uname],
  ['arch', plain((process) => (process.print('x86_64\n'), 0))],
  ['nproc', plain((process) => (process.print('1\n'), 0))],
  ['ps', plain(ps)],
  ['sysctl', sysctl],
  ['kill', plain(sendSignals)],
  ['timeout', timeout],
  ['nohup', (process, args) => runWords(process, args.slice(1))],
  ['nice', (process, args) => runWords(process, args.slice(1))],
  ['yes', yes],
  ['seq', seq],
  ['expr', plain(expr)],
  ['test', plain(test)],
  ['[', plain(test)],
  ['true', plain(() => 0)],
  ['false', plain(() => 1)],
  ['sync', plain(() => 0)],
  ['echo', plain((process, args) => (process.print(echoText(args.slice(1))), 0))],
  ['printf', plain(printf)],
  ['pwd', plain((process) => (process.print(`${process.directory}\n`), 0))],
  ['basename', plain(baseName)],
  ['dirname', plain(directoryName)],
  ['which', plain(which)],
  ['tty', plain((process) => (process.print(bytesOf('not a tty\n')), 1))],
];
