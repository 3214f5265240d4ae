/** `test`, `[` and `[[`: what is asked of files, texts and numbers. */
import { FileError } from '../files/file-error.js';
import { sizeOf } from '../files/file-node.js';
import { isAllowed } from '../files/file-tree.js';
import type { Process } from '../processes/process.js';

/** An expression that means nothing. */
export class TestError extends Error {
  override readonly name = 'TestError';
}

const BINARY = new Set(['=', '==', '!=', '<', '>', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-nt', '-ot', '-ef']);

/** @throws TestError */
export function runTest(args: readonly string[], process: Process): boolean {
  const [a = '', b = '', c = '', d = ''] = args;
  // What POSIX says of few arguments, whatever they look like.
  switch (args.length) {
    case 0:
      return false;
    case 1:
      return a !== '';
    case 2:
      if (a === '!') return b === '';
      return testUnary(a, b, process);
    case 3:
      if (BINARY.has(b)) return testBinary(a, b, c, process);
      if (a === '!') return !runTest([b, c], process);
      if (a === '(' && c === ')') return b !== '';
      break;
    case 4:
      if (a === '!') return !runTest([b, c, d], process);
      break;
    default:
  }
  const parser = new TestParser(args, process);
  return parser.all();
}

class TestParser {
  readonly #args: readonly string[];
  readonly #process: Process;
  #at = 0;

  constructor(args: readonly string[], process: Process) {
    this.#args = args;
    this.#process = process;
  }

  all(): boolean {
    const result = this.#or();
    if (this.#at < this.#args.length) throw new TestError(`${this.#args[this.#at] ?? ''}: unknown operand`);
    return result;
  }

  #or(): boolean {
    let result = this.#and();
    while (this.#args[this.#at] === '-o') {
      this.#at += 1;
      const right = this.#and();
      result = result || right;
    }
    return result;
  }

  #and(): boolean {
    let result = this.#primary();
    while (this.#args[this.#at] === '-a') {
      this.#at += 1;
      const right = this.#primary();
      result = result && right;
    }
    return result;
  }

  #primary(): boolean {
    const [first, second, third] = this.#args.slice(this.#at, this.#at + 3);
    if (first === undefined) throw new TestError('argument expected');
    if (second !== undefined && BINARY.has(second) && third !== undefined) {
      this.#at += 3;
      return testBinary(first, second, third, this.#process);
    }
    if (first === '!') {
      this.#at += 1;
      return !this.#primary();
    }
    if (first === '(') {
      this.#at += 1;
      const result = this.#or();
      if (this.#args[this.#at] !== ')') throw new TestError('closing paren expected');
      this.#at += 1;
      return result;
    }
    if (/^-[a-zA-Z]$/.test(first) && second !== undefined) {
      this.#at += 2;
      return testUnary(first, second, this.#process);
    }
    this.#at += 1;
    return first !== '';
  }
}

/** @throws TestError */
export function testUnary(operator: string, operand: string, process: Process): boolean {
  if (operator === '-n') return operand !== '';
  if (operator === '-z') return operand === '';
  if (operator === '-t') return process.open.get(Number(operand))?.isTerminal === true;
  if (!/^-[bcdefghLkprsSuwxOG]$/.test(operator)) throw new TestError(`${operator}: unknown operand`);
  try {
    const isLink = operator === '-h' || operator === '-L';
    const { node, isReadOnly } = process.tree.find(process.path(operand), process.user, !isLink);
    const { user } = process;
    switch (operator) {
      case '-e':
        return operand !== '';
      case '-f':
        return node.kind === 'file';
      case '-d':
        return node.kind === 'directory';
      case '-h':
      case '-L':
        return node.kind === 'link';
      case '-c':
        return node.kind === 'device';
      case '-s':
        return sizeOf(node) > 0;
      case '-r':
        return isAllowed(node, user, 4);
      case '-w':
        return !isReadOnly && isAllowed(node, user, 2);
      case '-x':
        return isAllowed(node, user, 1);
      case '-O':
        return node.uid === user.uid;
      case '-G':
        return node.gid === user.gid;
      case '-k':
        return (node.mode & 0o1000) !== 0;
      case '-g':
        return (node.mode & 0o2000) !== 0;
      case '-u':
        return (node.mode & 0o4000) !== 0;
      default:
        return false;
    }
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}

/** @throws TestError */
export function testBinary(a: string, operator: string, b: string, process: Process): boolean {
  switch (operator) {
    case '=':
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '>':
      return a > b;
    case '-nt':
      return changedMs(a, process) > changedMs(b, process);
    case '-ot':
      return changedMs(a, process) < changedMs(b, process);
    case '-ef':
      return nodeOf(a, process) !== undefined && nodeOf(a, process) === nodeOf(b, process);
    default:
  }
  const [left, right] = [whole(a), whole(b)];
  switch (operator) {
    case '-eq':
      return left === right;
    case '-ne':
      return left !== right;
    case '-lt':
      return left < right;
    case '-le':
      return left <= right;
    case '-gt':
      return left > right;
    default:
      return left >= right;
  }
}

function whole(text: string): bigint {
  if (!/^\s*[-+]?\d+\s*$/.test(text)) throw new TestError(`${text}: bad number`);
  return BigInt(text.trim().replace(/^\+/, ''));
}

function nodeOf(path: string, process: Process): object | undefined {
  try {
    return process.tree.locate(process.path(path), process.user).node;
  } catch {
    return undefined;
  }
}

function changedMs(path: string, process: Process): number {
  try {
    return process.tree.find(process.path(path), process.user).node.changedMs;
  } catch {
    return -1;
  }
}
