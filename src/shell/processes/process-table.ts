/**
 * The processes of one container, and the only thing that runs them: each in turn until all of them wait. It takes time
 * from outside and says when it has to be asked again. Nothing of it is asynchronous, so the same container does
 * the same at each run; what takes endless steps is stopped after a bounded number of them.
 */
import { FileError } from '../files/file-error.js';
import type { FileTree } from '../files/file-tree.js';
import type { Network } from './network.js';
import type { OpenFile } from './open-file.js';
import {
  Process,
  ProcessExit,
  type ProcessHost,
  type ProcessOptions,
  type Program,
  type Running,
  type Wait,
} from './process.js';
import { isHarmless, SIGKILL } from './signals.js';

/** What a container can do at most. */
export interface ShellLimits {
  /** Steps of programs that take a second of simulated time. */
  readonly stepsPerSecond: number;
  /** Such seconds in a row, without any wait, after which nothing is computed any more. */
  readonly busySeconds: number;
  /** Processes at a time. */
  readonly processes: number;
}

const USUAL_LIMITS: ShellLimits = { stepsPerSecond: 50_000, busySeconds: 5, processes: 256 };

/** What a table is made of. */
export interface ProcessTableOptions {
  readonly now: () => number;
  /** RFC 3339 time of a simulated ms. */
  readonly toTime: (ms: number) => string;
  /** 32 random bits. */
  readonly random: () => number;
  readonly tree: FileTree;
  readonly hostname: string;
  readonly network: Network;
  /** Programs by their names. */
  readonly programs: ReadonlyMap<string, Program>;
  readonly limits?: ShellLimits;
}

const FOREVER: Wait = { isReady: () => false };

/** See the file header. */
export class ProcessTable implements ProcessHost {
  readonly tree: FileTree;
  readonly hostname: string;
  readonly network: Network;
  readonly programs: ReadonlyMap<string, Program>;
  readonly limits: ShellLimits;
  /** Steps since a process last waited. */
  steps = 0;
  /** Told when a process has ended. */
  onEnd: ((process: Process) => void) | undefined;
  readonly #options: ProcessTableOptions;
  readonly #processes = new Map<number, Process>();
  /** Files that others follow while they grow, by path. */
  readonly #followed = new Map<string, OpenFile>();
  #nextPid = 1;
  #busySeconds = 0;
  #quietMs = -1;
  #isRunning = false;
  #current: Process | undefined;

  constructor(options: ProcessTableOptions) {
    this.#options = options;
    this.tree = options.tree;
    this.hostname = options.hostname;
    this.network = options.network;
    this.programs = options.programs;
    this.limits = options.limits ?? USUAL_LIMITS;
  }

  get nowMs(): number {
    return this.#options.now();
  }

  toTime(ms: number): string {
    return this.#options.toTime(ms);
  }

  random(): number {
    return this.#options.random();
  }

  get all(): Iterable<Process> {
    return this.#processes.values();
  }

  find(pid: number): Process | undefined {
    return this.#processes.get(pid);
  }

  /** A file that is something outside, such as `/proc/1/fd/1`. */
  link(path: string, file: OpenFile): void {
    this.#followed.set(path, file);
  }

  /** @internal */
  following(path: string): OpenFile | undefined {
    return this.#followed.get(path);
  }

  /** @throws ProcessExit when there are too many already */
  spawn(options: ProcessOptions, run: (process: Process) => Running): Process {
    if (this.#processes.size >= this.limits.processes) {
      options.parent?.complain(`${options.parent.name}: can't fork: Resource temporarily unavailable\n`);
      throw new ProcessExit(2);
    }
    const process = new Process(this, this.#nextPid, options);
    this.#nextPid += 1;
    this.#processes.set(process.pid, process);
    process.running = run(process);
    return process;
  }

  /** Sends a signal. @returns whether there is such a process */
  signal(pid: number, signal: number): boolean {
    const process = this.#processes.get(pid);
    if (process === undefined) return false;
    if (signal === 0) return true;
    const disposition = signal === SIGKILL ? undefined : process.dispositions.get(signal);
    if (disposition === 'ignore') return true;
    if (disposition === 'handle') process.pending.push(signal);
    else if (!isHarmless(signal) && (!process.isInit || (signal === SIGKILL && this.#current === undefined))) {
      if (process === this.#current) throw new ProcessExit(128 + signal);
      this.#end(process, 128 + signal);
    }
    return true;
  }

  /** Ends everything, as the kernel does when the first process of a container has gone. */
  endAll(): void {
    for (const process of [...this.#processes.values()])
      if (process !== this.#current) this.#end(process, 128 + SIGKILL);
  }

  /** Runs what can run. @returns when it has to be run again at the latest, simulated ms */
  run(): number {
    if (this.#isRunning) return this.nowMs;
    this.#isRunning = true;
    this.steps = 0;
    if (this.nowMs > this.#quietMs) this.#busySeconds = 0;
    while (this.#round()) this.#busySeconds += 0;
    this.#isRunning = false;
    return this.#nextMs();
  }

  /** @internal a process has computed for so long that time goes on */
  tire(): Wait {
    this.steps = 0;
    this.#busySeconds += 1;
    if (this.#busySeconds > this.limits.busySeconds) return FOREVER;
    const untilMs = this.nowMs + 1000;
    this.#quietMs = untilMs;
    return { untilMs };
  }

  /** Whether a process would go on now. */
  get isDue(): boolean {
    return [...this.#processes.values()].some((process) => !process.hasEnded && this.#isReady(process));
  }

  /** @returns whether anything has run */
  #round(): boolean {
    let hasRun = false;
    for (const process of [...this.#processes.values()]) {
      if (process.hasEnded || !this.#isReady(process)) continue;
      hasRun = true;
      this.#resume(process);
    }
    return hasRun;
  }

  #isReady({ wait, pending }: Process): boolean {
    if (wait === FOREVER) return pending.length > 0;
    const { untilMs, isReady } = wait;
    if (untilMs === undefined && isReady === undefined) return true;
    return (untilMs !== undefined && untilMs <= this.nowMs) || isReady?.() === true;
  }

  #resume(process: Process): void {
    this.#current = process;
    if (process.wait === FOREVER) this.#busySeconds = 0;
    try {
      const step = process.running?.next();
      if (step === undefined || step.done === true) this.#end(process, step?.value ?? 0);
      else process.wait = step.value;
    } catch (error) {
      this.#end(process, this.#statusOf(process, error));
    } finally {
      this.#current = undefined;
    }
  }

  #statusOf(process: Process, error: unknown): number {
    if (error instanceof ProcessExit) return error.status;
    if (error instanceof FileError) {
      process.complain(`${process.name}: ${error.message}\n`);
      return 1;
    }
    // Nested too deeply.
    if (error instanceof RangeError) {
      process.complain(`${process.name}: out of stack\n`);
      return 139;
    }
    throw error;
  }

  #end(process: Process, status: number): void {
    if (process.hasEnded) return;
    process.status = status & 0xff;
    process.running = undefined;
    process.closeAll();
    this.network.release(process.pid);
    this.#processes.delete(process.pid);
    this.onEnd?.(process);
  }

  #nextMs(): number {
    let nextMs = Infinity;
    for (const { wait } of this.#processes.values()) nextMs = Math.min(nextMs, wait.untilMs ?? Infinity);
    return nextMs;
  }
}
