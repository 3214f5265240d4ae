/**
 * An operator over the network, in front of a cluster in virtual time. Simulated time stands still while the operator
 * is at work: from the moment at which something reaches it (a change, an answer, its own start) until it has been
 * quiet for a while, and while it opens again what has broken off. What it waits for by its own clock is real time, so
 * simulated time goes no more than so many times as fast as that.
 */
import type { Cluster } from '../cluster/cluster.js';
import type { RunOptions, RunResult } from '../cluster/observed-run.js';
import { HOST_CLOCK } from '../kernel/engine/host-clock.js';
import {
  checkedOptions,
  checkValue,
  COUNT,
  DURATION,
  FUNCTION,
  integerIn,
  MAPPING,
  SIGNAL,
  type Checks,
} from '../options/option-checks.js';
import { durationMs, type Duration } from '../options/durations.js';
import type { CarriedWrite, Listening, Traffic } from '../server/listen.js';
import {
  checkSubject,
  keepKubeconfig,
  type KeptKubeconfig,
  startProcess,
  type OperatorProcess,
  type RemoteOperator,
} from './operator-subject.js';

/** How simulated time and the operator's own are brought together. */
export interface OperatorPace {
  /** Real time without a request or a change after which the operator is taken to wait, ms. @defaultValue 10 */
  readonly quietMs?: number;
  /** Real time that a process may take to open again what has broken off, ms. @defaultValue 10000 */
  readonly patienceMs?: number;
  /** Seconds of simulated time per real second, at most. @defaultValue 600 */
  readonly speed?: number;
  /** Simulated time after which a process that has ended is started again. @defaultValue 10s */
  readonly restartAfter?: Duration;
}

/** How long simulated time passes. */
export interface OperatorRunOptions extends Pick<RunOptions, 'signal'> {
  readonly until?: () => boolean;
  readonly limit: Duration;
}

export const PACE: Checks<OperatorPace> = {
  quietMs: COUNT,
  patienceMs: COUNT,
  speed: integerIn(1, 1_000_000),
  restartAfter: DURATION,
};
const RUN: Checks<OperatorRunOptions> = { until: FUNCTION, limit: DURATION, signal: SIGNAL };

/** Simulated time that passes at a time while the operator is quiet, ms. */
const STEP_MS = 1000;

/** Real time after which a process is asked again whether it is at work, ms. */
const AT_WORK_MS = 1;
/** Real time that it may be at work with what it was told, ms. */
const MOST_WORK_MS = 2000;

/** Real time that a process may take for its first request, ms: on a machine that is busy a runtime loads for long. */
const STARTED_WITHIN_MS = 120_000;

/** Starts an operator, and waits until it is at rest. @throws OptionError */
export async function startOperator(
  cluster: Cluster,
  subject: RemoteOperator,
  pace: OperatorPace = {},
): Promise<RunningOperator> {
  checkValue('cluster', cluster, MAPPING);
  checkSubject('operator', subject);
  checkedOptions('', pace, PACE);
  const listening = await cluster.listen({ port: 0, party: `operator/${subject.name}` });
  const kept = await keepKubeconfig(listening.kubeconfig);
  const operator = new RunningOperator({ cluster, subject, listening, kept }, pace);
  await operator.run({ limit: 0 });
  return operator;
}

interface Means {
  readonly cluster: Cluster;
  readonly subject: RemoteOperator;
  readonly listening: Listening;
  readonly kept: KeptKubeconfig;
}

/** See the file header; made by {@link startOperator}. */
export class RunningOperator {
  /** Why processes ended that were not asked to. */
  readonly failures: string[] = [];
  readonly #means: Means;
  readonly #pace: Required<OperatorPace>;
  readonly #traffic: Traffic;
  #process: OperatorProcess | undefined;
  /** Simulated time at which a process is started again, ms; absent while one runs, or none is to. */
  #restartMs: number | undefined;
  #restarts = 0;
  /** The end of the process before. */
  #ending: Promise<void> | undefined;
  /** Requests before the present process began. */
  #requestsBefore = 0;
  /** Watches that it has had open at a time. */
  #mostWatches = 0;
  #lacksSinceMs: number | undefined;
  /** Of what has reached it, what it has had the time for. */
  #messagesDone = 0;
  #workSinceMs: number | undefined;
  #isStopped = false;

  /** @internal */
  constructor(means: Means, { quietMs = 10, patienceMs = 10_000, speed = 600, restartAfter = '10s' }: OperatorPace) {
    this.#means = means;
    this.#pace = { quietMs, patienceMs, speed, restartAfter };
    const { traffic } = means.listening;
    if (traffic === undefined) throw new TypeError('an operator must be served over a link of its own');
    this.#traffic = traffic;
    this.#start();
  }

  /** Of its link, for faults: `cluster.faults.cut({ component: operator.party })`. */
  get party(): string {
    return `operator/${this.#means.subject.name}`;
  }

  get nowMs(): number {
    return this.#means.cluster.nowMs;
  }

  get version(): number {
    return this.#means.cluster.version;
  }

  /** Requests of it that may have written, with what became of each. */
  get writes(): readonly CarriedWrite[] {
    return this.#traffic.writes;
  }

  /** How often a process of it was started after the first. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Real time since a request of it, or a change that reached it, ms; 0 = it is about to start. */
  get idleForMs(): number {
    return this.#restartMs === undefined ? this.#traffic.idleForMs : 0;
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /** Lets simulated time pass as far as the operator keeps up with it. */
  async run(options: OperatorRunOptions): Promise<RunResult> {
    const { until = never, limit, signal } = checkedOptions('', options, RUN, ['limit']);
    const { cluster } = this.#means;
    const endMs = cluster.nowMs + durationMs('limit', limit);
    for (;;) {
      await this.#quiet(signal);
      if (signal?.aborted === true) return { end: 'aborted', nowMs: cluster.nowMs };
      if (until()) return { end: 'done', nowMs: cluster.nowMs };
      if (this.#restartMs !== undefined && cluster.nowMs >= this.#restartMs) {
        await this.#ending;
        this.#start();
        continue;
      }
      if (cluster.nowMs >= endMs) return { end: 'limit', nowMs: cluster.nowMs };
      await this.#step(Math.min(endMs, this.#restartMs ?? Infinity), until, signal);
    }
  }

  /** Ends its process at once; another begins after `after` of simulated time. */
  async crash(after: Duration = this.#pace.restartAfter): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    this.#restartMs = this.nowMs + durationMs('after', after);
    this.#traffic.isClosed = true;
    this.#traffic.breakOff();
    if (process !== undefined) this.#ending = process.kill();
    await this.#ending;
  }

  /** Ends its process as soon as so many more writes of it were applied, before it hears of the last; see {@link crash}. */
  crashAfterWrites(writes: number, after: Duration = this.#pace.restartAfter): void {
    checkValue('writes', writes, integerIn(1, 1_000_000));
    const restartAfter = durationMs('after', after);
    this.#traffic.breakAfterWrites(writes, () => void this.crash(restartAfter));
  }

  /** Takes back what {@link crashAfterWrites} asked for and has not come about. */
  spare(): void {
    this.#traffic.breakAfterWrites(undefined);
    this.#restartMs = this.#restartMs === undefined ? undefined : Math.min(this.#restartMs, this.nowMs);
  }

  /** Ends it for good, and what it was served by. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const process = this.#process;
    this.#process = undefined;
    this.#restartMs = undefined;
    await process?.kill();
    await this.#means.listening.close();
    await this.#means.kept.remove();
  }

  async #step(endMs: number, until: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    const { cluster } = this.#means;
    const beganMs = HOST_CLOCK.nowMs();
    const fromMs = cluster.nowMs;
    const { messages } = this.#traffic;
    await cluster.run({
      limit: Math.min(STEP_MS, endMs - fromMs),
      until: () => this.#traffic.messages !== messages || until(),
      ...(signal === undefined ? {} : { signal }),
    });
    const dueMs = beganMs + (cluster.nowMs - fromMs) / this.#pace.speed;
    const restMs = dueMs - HOST_CLOCK.nowMs();
    if (restMs >= 1) await rested(restMs);
  }

  /** Real time until nothing more comes of what has reached the operator. */
  async #quiet(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      if (signal?.aborted === true) return;
      const leftMs = this.#pace.quietMs - this.#traffic.idleForMs;
      if (leftMs > 0) await rested(leftMs);
      else if (this.#isAwaited()) await rested(this.#pace.quietMs);
      else if (this.#isAtWork()) await rested(AT_WORK_MS);
      else {
        this.#messagesDone = this.#traffic.messages;
        this.#workSinceMs = undefined;
        return;
      }
    }
  }

  /**
   * Whether it is silent because it has yet to do, or to get the processor for, what it was told. One that was told
   * nothing is not waited for, whatever it tries over and over again; nor is any for ever.
   */
  #isAtWork(): boolean {
    if (this.#traffic.messages === this.#messagesDone || this.#process?.isAtWork() !== true) return false;
    this.#workSinceMs ??= HOST_CLOCK.nowMs();
    return HOST_CLOCK.nowMs() - this.#workSinceMs < MOST_WORK_MS;
  }

  /** Whether it has yet to begin, or to open again what has broken off. */
  #isAwaited(): boolean {
    const { isCalm, watches, requests } = this.#traffic;
    this.#mostWatches = Math.max(this.#mostWatches, watches);
    const lacks = requests === this.#requestsBefore || watches < this.#mostWatches;
    if (this.#process === undefined || !isCalm || !lacks) {
      this.#lacksSinceMs = undefined;
      return false;
    }
    this.#lacksSinceMs ??= HOST_CLOCK.nowMs();
    const patienceMs = requests === this.#requestsBefore ? STARTED_WITHIN_MS : this.#pace.patienceMs;
    if (HOST_CLOCK.nowMs() - this.#lacksSinceMs < patienceMs) return true;
    // It does without from now on.
    this.#mostWatches = watches;
    this.#requestsBefore = -1;
    return false;
  }

  #start(): void {
    const { subject, listening, kept } = this.#means;
    const { url, kubeconfig, token } = listening;
    if (this.#restartMs !== undefined) this.#restarts += 1;
    this.#restartMs = undefined;
    this.#traffic.isClosed = false;
    this.#requestsBefore = this.#traffic.requests;
    const process = startProcess(subject, { url, kubeconfig, kubeconfigFile: kept.file, token });
    this.#process = process;
    void process.ended.then((why) => this.#ended(process, why));
  }

  #ended(process: OperatorProcess, why: string): void {
    if (this.#process !== process || this.#isStopped) return;
    this.failures.push(why);
    this.#process = undefined;
    this.#restartMs = this.nowMs + durationMs('restartAfter', this.#pace.restartAfter);
  }
}

function rested(ms: number): Promise<void> {
  return new Promise((resolve) => void HOST_CLOCK.after(ms, resolve));
}

function never(): boolean {
  return false;
}
