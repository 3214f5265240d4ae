/**
 * A shell at work: statement by statement, with pipes, loops, functions, redirections, traps and jobs. It stops wherever
 * a program would wait. What it reads is parsed by unbash; what it does follows POSIX' shell as BusyBox has it.
 */
import {
  parse,
  type Assignment,
  type AndOr,
  type Case,
  type Command,
  type CommandNode,
  type CompoundList,
  type For,
  type If,
  type ParsedScript,
  type Pipeline,
  type PipelineNode,
  type Redirection,
  type Statement,
  type While,
  type Word,
} from 'unbash';
import { FileError } from '../files/file-error.js';
import { openPipe, type OpenFile } from '../processes/open-file.js';
import { ProcessExit, type Process, type Running } from '../processes/process.js';
import { BUILTINS, SPECIAL_BUILTINS } from './builtins.js';
import { evaluateAlone, evaluateTest } from './conditions.js';
import { ExpansionError, expandFields, expandPattern, expandText, type ExpansionScope } from './expansion.js';
import { findProgram, runFound } from './find-program.js';
import { Jump } from './jump.js';
import { matchesPattern } from './pattern.js';
import { redirect } from './redirection.js';
import type { ShellScope } from './shell-scope.js';
import { ShellState } from './shell-state.js';

const DEEPEST_CALL = 100;
const SYNTAX_ERROR = 2;

/** See the file header. */
export class Shell implements ExpansionScope, ShellScope {
  readonly process: Process;
  readonly state: ShellState;
  /** Whether the failure of a command is looked at: `set -e` has no say then. */
  #isTested = 0;
  #depth = 0;
  #isTrapping = false;

  constructor(process: Process, state: ShellState) {
    this.process = process;
    this.state = state;
    for (const [signal, command] of state.traps) process.dispositions.set(signal, command === '' ? 'ignore' : 'handle');
  }

  /** Runs a whole script. @returns its exit code */
  *main(source: string): Running {
    try {
      yield* this.source(source);
    } catch (error) {
      if (error instanceof Jump) this.state.status = error.kind === 'return' ? error.status : this.state.status;
      else if (error instanceof ProcessExit) this.state.status = error.status;
      else if (error instanceof ExpansionError) {
        this.complain(error.message);
        this.state.status = SYNTAX_ERROR;
      } else throw error;
    }
    return yield* this.#leave();
  }

  /** Runs a text in this shell, as `eval` and `.` do. */
  *source(source: string): Running<void> {
    const script = parse(source);
    const [error] = script.errors ?? [];
    if (error === undefined) return yield* this.#statements(script.commands);
    // What comes before a mistake is run.
    const whole = script.commands.filter(({ end }) => end < error.pos);
    yield* this.#statements(whole.slice(0, -1));
    throw new ExpansionError(`syntax error: ${error.message}`);
  }

  *capture(script: ParsedScript): Running<string> {
    const { reader, writer } = openPipe();
    const child = this.#fork(new Map([[1, writer]]), (shell) => shell.#script(script));
    this.process.attach(CAPTURE_FD, reader);
    const output = yield* this.process.readAll(CAPTURE_FD);
    this.process.detach(CAPTURE_FD);
    this.state.status = yield* this.process.await(child);
    this.#lastCapture = this.state.status;
    return output;
  }

  complain(message: string): void {
    this.process.complain(`${this.state.name}: ${message}\n`);
  }

  /** Runs a command, its name first. */
  *call(words: readonly string[], environment: readonly (readonly [string, string])[] = []): Running {
    const [name = '', ...args] = words;
    const own = this.state.functions.get(name);
    if (own !== undefined) return yield* this.#callFunction(own, args, environment);
    const builtin = BUILTINS.get(name);
    if (builtin !== undefined) return yield* this.#callBuiltin(name, () => builtin(this, words), environment);
    return yield* this.execute(words, environment);
  }

  /** Runs a program in a process of its own. */
  *execute(words: readonly string[], environment: readonly (readonly [string, string])[] = []): Running {
    const { process, state } = this;
    const variables = state.environment();
    for (const [name, value] of environment) variables.set(name, value);
    const found = findProgram(process, words[0] ?? '', variables.get('PATH') ?? state.get('PATH'));
    if ('problem' in found) {
      this.complain(`${words[0] ?? ''}: ${found.problem}`);
      return found.status;
    }
    const child = process.table.spawn(
      { ...this.#childOptions(process.open), name: words[0] ?? '', args: words, environment: variables },
      (started) => {
        this.#ignoreAsHere(started);
        return runFound(started, found, words);
      },
    );
    return yield* process.await(child);
  }

  /** A trap that is due now. */
  *runTraps(): Running<void> {
    const { process, state } = this;
    while (process.pending.length > 0 && !this.#isTrapping) {
      const command = state.traps.get(process.pending.shift() ?? 0);
      if (command === undefined || command === '') continue;
      const { status } = state;
      this.#isTrapping = true;
      try {
        yield* this.source(command);
      } finally {
        this.#isTrapping = false;
      }
      state.status = status;
    }
  }

  /** Starts a shell of its own, with what this one knows. */
  #fork(changed: ReadonlyMap<number, OpenFile>, run: (shell: Shell) => Running): Process {
    const open = new Map([...this.process.open, ...changed]);
    const state = this.state.copy();
    const { name, args } = this.process;
    const environment = new Map<string, string>();
    return this.process.table.spawn({ ...this.#childOptions(open), name, args, environment }, (started) => {
      this.#ignoreAsHere(started);
      const shell = new Shell(started, state);
      shell.#depth = this.#depth;
      return run(shell);
    });
  }

  #childOptions(
    open: ReadonlyMap<number, OpenFile>,
  ): Pick<ConstructorParameters<typeof Process>[2], 'directory' | 'user' | 'umask' | 'open' | 'parent'> {
    const { directory, user, umask } = this.process;
    const own = [...open].filter(([fd]) => fd < CAPTURE_FD);
    return { directory, user, umask, open: new Map(own), parent: this.process };
  }

  #ignoreAsHere(started: Process): void {
    for (const [signal, disposition] of this.process.dispositions) {
      if (disposition === 'ignore') started.dispositions.set(signal, 'ignore');
    }
  }

  *#script(script: Pick<ParsedScript, 'commands'>): Running {
    return yield* this.#guarded(this.#statements(script.commands));
  }

  /** To the end of a shell, whatever ends it. */
  *#guarded(work: Running<void>): Running {
    try {
      yield* work;
    } catch (error) {
      if (error instanceof ProcessExit) this.state.status = error.status;
      else if (error instanceof ExpansionError) {
        this.complain(error.message);
        this.state.status = SYNTAX_ERROR;
      } else if (!(error instanceof Jump)) throw error;
      else if (error.kind === 'return') this.state.status = error.status;
    }
    return yield* this.#leave();
  }

  *#leave(): Running {
    const command = this.state.traps.get(0);
    if (command === undefined || command === '') return this.state.status;
    this.state.traps.delete(0);
    const { status } = this.state;
    try {
      yield* this.source(command);
    } catch (error) {
      if (error instanceof ProcessExit) return error.status;
      if (!(error instanceof Jump)) throw error;
    }
    return status;
  }

  *#list({ commands }: CompoundList): Running<void> {
    yield* this.#statements(commands);
  }

  *#statements(statements: readonly Statement[]): Running<void> {
    for (const { command, background } of statements) {
      yield* this.runTraps();
      if (background === true) this.#start(command);
      else yield* this.#run(command);
    }
    yield* this.runTraps();
  }

  #start(command: Statement['command']): void {
    const input = this.process.openFile('/dev/null', 'read');
    const child = this.#fork(new Map([[0, input]]), (shell) => shell.#guarded(shell.#run(command)));
    this.state.background = child.pid;
    this.state.status = 0;
    this.jobs.push(child);
  }

  /** Processes in the background, in the order of their start. */
  readonly jobs: Process[] = [];
  #lastCapture = 0;

  *#run(node: PipelineNode | AndOr): Running<void> {
    yield* this.process.spend(1);
    switch (node.type) {
      case 'AndOr':
        return yield* this.#andOr(node);
      case 'Pipeline':
        return yield* this.#pipeline(node);
      default:
        this.state.status = yield* this.#command(node);
        this.#checkFailure();
    }
  }

  /** With `set -e` a shell ends when a command fails that nothing looks at. */
  #checkFailure(): void {
    const { status, options } = this.state;
    if (status !== 0 && options.has('e') && this.#isTested === 0) throw new ProcessExit(status);
  }

  *#andOr({ commands, operators }: AndOr): Running<void> {
    for (const [index, command] of commands.entries()) {
      if (index > 0 && (operators[index - 1] === '&&') !== (this.state.status === 0)) continue;
      const isLast = index === commands.length - 1;
      if (isLast) yield* this.#run(command);
      else yield* this.#tested(this.#run(command));
    }
  }

  *#tested(work: Running<void>): Running<void> {
    this.#isTested += 1;
    try {
      yield* work;
    } finally {
      this.#isTested -= 1;
    }
  }

  *#pipeline({ commands, prefixes, operators }: Pipeline): Running<void> {
    const isNegated = prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1;
    const [first] = commands;
    if (first !== undefined && commands.length === 1) {
      if (isNegated) yield* this.#tested(this.#run(first));
      else yield* this.#run(first);
    } else yield* this.#pipe(commands, operators);
    if (isNegated) this.state.status = this.state.status === 0 ? 1 : 0;
    else this.#checkFailure();
  }

  *#pipe(commands: readonly CommandNode[], operators: Pipeline['operators']): Running<void> {
    const children: Process[] = [];
    let input: OpenFile | undefined;
    for (const [index, command] of commands.entries()) {
      const open = new Map<number, OpenFile>();
      if (input !== undefined) open.set(0, input);
      if (index < commands.length - 1) {
        const { reader, writer } = openPipe();
        open.set(1, writer);
        if (operators[index] === '|&') open.set(2, writer);
        input = reader;
      }
      children.push(this.#fork(open, (shell) => shell.#guarded(shell.#run(command))));
    }
    const statuses: number[] = [];
    for (const child of children) statuses.push(yield* this.process.await(child));
    const failed = this.state.hasPipefail ? statuses.findLast((status) => status !== 0) : undefined;
    this.state.status = failed ?? statuses.at(-1) ?? 0;
  }

  *#command(node: CommandNode): Running {
    switch (node.type) {
      case 'Command':
        return yield* this.#simple(node);
      case 'Redirected':
        return yield* this.#redirected(node.redirects, () => this.#command(node.command));
      case 'If':
        yield* this.#if(node);
        return this.state.status;
      case 'For':
        yield* this.#for(node);
        return this.state.status;
      case 'While':
        yield* this.#while(node);
        return this.state.status;
      case 'Case':
        yield* this.#case(node);
        return this.state.status;
      case 'BraceGroup':
        yield* this.#list(node.body);
        return this.state.status;
      case 'Subshell': {
        const child = this.#fork(new Map(), (shell) => shell.#guarded(shell.#list(node.body)));
        return yield* this.process.await(child);
      }
      case 'Function':
        this.state.functions.set(yield* expandText(node.name, this), node.body);
        return 0;
      case 'TestCommand':
        return (yield* evaluateTest(node.expression, this)) ? 0 : 1;
      case 'ArithmeticCommand':
        return (yield* evaluateAlone(node.expression, this)) === 0n ? 1 : 0;
      case 'ArithmeticFor':
      case 'Select':
      case 'Coproc':
        throw new ExpansionError('syntax error: unexpected "("');
    }
  }

  *#simple({ prefix, name, suffix }: Command): Running {
    const redirects: Redirection[] = [];
    const assignments: Assignment[] = [];
    const words: (Word | Assignment)[] = name === undefined ? [] : [name];
    for (const each of [...prefix, ...(suffix as readonly (Word | Assignment | Redirection)[])]) {
      if (each.type === 'Word') words.push(each);
      else if (each.type !== 'Assignment') redirects.push(each);
      else if (each.pos < (name?.pos ?? Infinity)) assignments.push(each);
      else words.push(each);
    }
    this.#lastCapture = 0;
    const fields = yield* this.#fieldsOf(words);
    const values: [string, string][] = [];
    for (const assignment of assignments) values.push(yield* this.#valueOf(assignment));
    if (this.state.options.has('x') && fields.length > 0) this.process.complain(`+ ${fields.join(' ')}\n`);
    if (fields.length === 0) {
      for (const [variable, value] of values) this.assign(variable, value);
      const status = this.#lastCapture;
      return redirects.length === 0 ? status : yield* this.#redirected(redirects, () => constant(status));
    }
    return yield* this.#redirected(redirects, () => this.call(fields, values), fields[0] === 'exec');
  }

  /** Words after the name of a command; an assignment there is a word, of which `export` and its like make something. */
  *#fieldsOf(words: readonly (Word | Assignment)[]): Running<string[]> {
    const fields: string[] = [];
    for (const word of words) {
      if (word.type === 'Word') fields.push(...(yield* expandFields([word], this)));
      else {
        const [name, value] = yield* this.#valueOf(word);
        fields.push(`${name}=${value}`);
      }
    }
    return fields;
  }

  *#valueOf({ name, value, append }: Assignment): Running<[string, string]> {
    if (value.type === 'ArrayValue') throw new ExpansionError('syntax error: unexpected "("');
    const text = yield* expandText(value, this);
    return [name, append === true ? `${this.state.get(name) ?? ''}${text}` : text];
  }

  /** @throws ExpansionError for a variable that is read-only */
  assign(name: string, value: string, isExported = false): void {
    if (!this.state.set(name, value, isExported)) throw new ExpansionError(`${name}: is read only`);
  }

  *#redirected(redirects: readonly Redirection[], run: () => Running, isLasting = false): Running {
    if (redirects.length === 0) return yield* run();
    const { process } = this;
    const before = new Map(process.open);
    for (const file of before.values()) file.users += 1;
    try {
      for (const each of redirects) yield* redirect(each, this);
      return yield* run();
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.complain(error.message);
      return 1;
    } finally {
      if (!isLasting) {
        for (const fd of process.open.keys()) if (!before.has(fd)) process.detach(fd);
        for (const [fd, file] of before) process.attach(fd, file);
      }
      for (const file of before.values()) {
        file.users -= 1;
        if (file.users === 0) file.close();
      }
    }
  }

  *#callFunction(
    body: NonNullable<ReturnType<ShellState['functions']['get']>>,
    args: readonly string[],
    environment: readonly (readonly [string, string])[],
  ): Running {
    const { state } = this;
    if (this.#depth >= DEEPEST_CALL) throw new ExpansionError('out of stack');
    const outer = state.args;
    state.args = args;
    state.locals.push(new Map());
    for (const [name, value] of environment) {
      state.hide(name);
      state.set(name, value, true);
    }
    this.#depth += 1;
    try {
      if (body.type === 'CompoundList') yield* this.#list(body);
      else state.status = yield* this.#command(body);
      return state.status;
    } catch (error) {
      if (error instanceof Jump && error.kind === 'return') return error.status;
      throw error;
    } finally {
      this.#depth -= 1;
      state.unhide();
      state.args = outer;
    }
  }

  /** Assignments before a builtin hold for it alone, unless it is a special one. */
  *#callBuiltin(name: string, run: () => Running, environment: readonly (readonly [string, string])[]): Running {
    const { variables } = this.state;
    const before = environment.map(([each]) => [each, variables.get(each)] as const);
    for (const [each, value] of environment) {
      const known = variables.get(each);
      if (known !== undefined) variables.set(each, { ...known });
      this.assign(each, value);
    }
    try {
      return yield* run();
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.complain(`${name}: ${error.message}`);
      return 1;
    } finally {
      if (!SPECIAL_BUILTINS.has(name)) {
        for (const [each, value] of before) {
          if (value === undefined) variables.delete(each);
          else variables.set(each, value);
        }
      }
    }
  }

  *#if(node: If): Running<void> {
    const { elif, else: otherwise } = node;
    for (const branch of [node, ...elif]) {
      yield* this.#tested(this.#list(branch.clause));
      if (this.state.status === 0) return yield* this.#list(branch.then);
    }
    this.state.status = 0;
    if (otherwise !== undefined) yield* this.#list(otherwise);
  }

  *#for({ name, wordlist, body }: For): Running<void> {
    const values = wordlist === undefined ? this.state.args : yield* expandFields(wordlist, this);
    const variable = yield* expandText(name, this);
    this.state.status = 0;
    for (const value of values) {
      this.assign(variable, value);
      if (!(yield* this.#turn(body))) return;
    }
  }

  *#while({ kind, clause, body }: While): Running<void> {
    let status = 0;
    for (;;) {
      yield* this.process.spend(1);
      const goesOn = yield* this.#loopPart(this.#tested(this.#list(clause)));
      if (!goesOn || (this.state.status === 0) !== (kind === 'while')) break;
      const goesOnAfter = yield* this.#turn(body);
      ({ status } = this.state);
      if (!goesOnAfter) break;
    }
    this.state.status = status;
  }

  /** One turn of a loop. @returns whether there may be another one */
  *#turn(body: CompoundList): Running<boolean> {
    return yield* this.#loopPart(this.#list(body));
  }

  *#loopPart(work: Running<void>): Running<boolean> {
    try {
      yield* work;
      return true;
    } catch (error) {
      if (!(error instanceof Jump) || error.kind === 'return') throw error;
      this.state.status = 0;
      if (error.levels > 1) throw new Jump(error.kind, error.levels - 1);
      return error.kind === 'continue';
    }
  }

  *#case({ word, items }: Case): Running<void> {
    const value = yield* expandText(word, this);
    this.state.status = 0;
    let falls = false;
    for (const { pattern, body, terminator } of items) {
      let isMatch = falls;
      for (const each of pattern) isMatch ||= matchesPattern(yield* expandPattern(each, this), value);
      if (!isMatch) continue;
      yield* this.#list(body);
      falls = terminator === ';&';
      if (terminator !== ';;&' && !falls) return;
    }
  }
}

/** A descriptor that no script uses, for the output of commands in words. */
const CAPTURE_FD = 1000;

function* constant(status: number): Running {
  return status;
}

/** Begins a shell in a process. @param args - its arguments: `$1` and so on */
export function openShell(process: Process, name: string, args: readonly string[]): Shell {
  const state = new ShellState(name, args);
  for (const [variable, value] of process.environment) state.set(variable, value, true);
  if (state.get('PATH') === undefined) state.set('PATH', '/sbin:/usr/sbin:/bin:/usr/bin');
  state.set('PWD', process.directory, true);
  state.set('IFS', ' \t\n');
  return new Shell(process, state);
}
