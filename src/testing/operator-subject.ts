/** Operators that are put to the test: as a child process, as a function that speaks to the API, or as a controller. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControllerDefinition } from '../controllers/controller-manager.js';
import { FUNCTION, isMapping, TEXTS, type Check } from '../options/option-checks.js';
import { OptionError } from '../options/option-error.js';
import { isAtWork } from './process-state.js';

/** The way of an operator to the cluster. */
export interface OperatorAccess {
  /** Such as `https://127.0.0.1:41234`. */
  readonly url: string;
  /** The text of a kubeconfig for the administrator. */
  readonly kubeconfig: string;
  /** A file with it. */
  readonly kubeconfigFile: string;
  readonly token: string;
  /** Raised when the process is to end at once. */
  readonly signal: AbortSignal;
}

/** A program of its own, in any language: it finds the cluster by `KUBECONFIG`. */
export interface OperatorProgram {
  /** Of its link, `operator/NAME`. */
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Beside the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** An operator of this process that speaks to the API over the network. */
export interface OperatorFunction {
  readonly name: string;
  /** Begins, and gives what ends it. A crash breaks its connections off, raises the signal, and then calls that. */
  readonly start: (access: OperatorAccess) => Ending | PromiseLike<Ending>;
}

type Ending = (() => unknown) | undefined | void;

/** An operator over the network. */
export type RemoteOperator = OperatorProgram | OperatorFunction;

/** What is put to the test. */
export type OperatorSubject = RemoteOperator | ControllerDefinition;

/** A process of an operator. */
export interface OperatorProcess {
  /** Settles when it has ended, with what there is to say of it. */
  readonly ended: Promise<string>;
  /** Whether it uses the processor, or waits for it, as far as the system says. */
  isAtWork(): boolean;
  /** Ends it at once. */
  kill(): Promise<void>;
}

const NAME: Check = [
  'a name of letters, digits, dots and hyphens',
  (value) => typeof value === 'string' && /^[\w.-]+$/.test(value),
];

/** Whether it is a controller of the program. */
export function isController(subject: OperatorSubject): subject is ControllerDefinition {
  return 'reconcile' in subject;
}

/** @throws OptionError */
export function checkSubject(field: string, subject: unknown): void {
  const allowed = 'a program { name, command }, a function { name, start } or a controller';
  if (!isMapping(subject)) throw new OptionError(field, allowed, subject);
  const [text, isName] = NAME;
  if (!isName(subject['name'])) throw new OptionError(`${field}.name`, text, subject['name']);
  if ('reconcile' in subject) return;
  const [command, start] = [subject['command'], subject['start']];
  const isProgram = TEXTS[1](command) && (command as readonly string[]).length > 0;
  if (!isProgram && !FUNCTION[1](start)) throw new OptionError(field, allowed, subject);
}

/** Characters of what a program prints that are kept, the last ones. */
const KEPT_CHARS = 16_384;

/** Starts a process of it. */
export function startProcess(subject: RemoteOperator, access: Omit<OperatorAccess, 'signal'>): OperatorProcess {
  return 'command' in subject ? startProgram(subject, access) : startFunction(subject, access);
}

function startProgram({ command, env, cwd }: OperatorProgram, access: Omit<OperatorAccess, 'signal'>): OperatorProcess {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env, KUBECONFIG: access.kubeconfigFile },
    ...(cwd === undefined ? {} : { cwd }),
  });
  const output = outputOf(child);
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(`${signal ?? `exit code ${code}`}: ${output.text.trim()}`));
  });
  return {
    ended,
    isAtWork: () => child.pid !== undefined && isAtWork(child.pid),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function outputOf({ stdout, stderr }: ChildProcess): { text: string } {
  const output = { text: '' };
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => (output.text = (output.text + chunk).slice(-KEPT_CHARS)));
  }
  return output;
}

function startFunction({ start }: OperatorFunction, access: Omit<OperatorAccess, 'signal'>): OperatorProcess {
  const controller = new AbortController();
  const { signal } = controller;
  const started = Promise.resolve(start({ ...access, signal }));
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  started.catch((error: unknown) => end(error instanceof Error ? error.message : String(error)));
  return {
    ended,
    // It shares the thread of what waits for it.
    isAtWork: () => false,
    async kill() {
      controller.abort();
      const stop = await started.catch(() => undefined);
      await stop?.();
      end('ended');
    },
  };
}

/** A kubeconfig in a file. */
export interface KeptKubeconfig {
  readonly file: string;
  remove(): Promise<void>;
}

/** Writes a kubeconfig to a file that only this user reads. @returns the file, and what removes it */
export async function keepKubeconfig(text: string): Promise<KeptKubeconfig> {
  const folder = await mkdtemp(join(tmpdir(), 'kubeloom-operator-'));
  const file = join(folder, 'kubeconfig');
  await writeFile(file, text, { mode: 0o600 });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}
