/**
 * The signals by which a user, or a supervisor of the process, ends a command early: it stops where it is, tells
 * what it has come to, and the process ends with the exit code that shells give such an end. A second signal ends it
 * at once.
 */
import type { Cluster, RunOptions, RunResult } from '../../index.js';

/** 128 and the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** The longest that Node's timers take. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Ends a command that was interrupted. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  /** @param summary - how far the command had come, in one line; empty when it has told that already */
  constructor(readonly summary: string) {
    super('interrupted');
  }
}

class Interruption {
  readonly #controller = new AbortController();
  #exitCode: number | undefined;

  /** Takes the signals from now on. */
  listen(): void {
    for (const [name, exitCode] of Object.entries(EXIT_CODES)) process.on(name, () => this.#raise(exitCode));
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** That of a process that was interrupted; absent while it was not. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  get isRaised(): boolean {
    return this.#exitCode !== undefined;
  }

  /** The signal was what the command waited for: its end is its own. */
  accept(): void {
    this.#exitCode = undefined;
  }

  #raise(exitCode: number): void {
    if (this.isRaised) process.exit(exitCode);
    this.#exitCode = exitCode;
    this.#controller.abort();
  }
}

/** Of this process. */
export const interruption = new Interruption();

/** Waits for an interruption that ends a command as it should. */
export async function untilInterrupted(): Promise<void> {
  const { signal } = interruption;
  // A promise alone keeps no program alive.
  const alive = setInterval(() => undefined, LONGEST_TIMER_MS);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(alive);
  interruption.accept();
}

/** Runs a cluster until an interruption. @throws InterruptedError that tells how far the cluster has come */
export async function runInterruptibly(cluster: Cluster, options: Omit<RunOptions, 'signal'>): Promise<RunResult> {
  const result = await cluster.run({ ...options, signal: interruption.signal });
  endIfInterrupted(cluster);
  return result;
}

/** @throws InterruptedError that tells how far the cluster has come */
export function endIfInterrupted(cluster: Cluster): void {
  if (interruption.isRaised) throw new InterruptedError(howFar(cluster));
}

function howFar(cluster: Cluster): string {
  const { nodes, pods } = cluster.stats();
  const seconds = (cluster.nowMs / 1000).toFixed(3);
  return `after ${seconds} s of simulated time, with ${pods.ready} of ${pods.total} pods ready on ${nodes.schedulable} nodes`;
}
