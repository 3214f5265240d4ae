/**
 * Probes of containers as their kubelet keeps them (pkg/kubelet/prober, v1.34): which are started and
 * ready, which must be restarted, and what is to be told of failing attempts. Owns what a kubelet's
 * process remembers of its probes, never what an application would answer: that is the run's own truth
 * (probe-answers.ts). It writes nothing and holds no timer: `nextMs` is when anything that an observer
 * could see changes by itself. Probes that go on succeeding cost nothing, however many there are.
 */
import type { Container } from '../../api/objects/objects.js';
import { readyFrom, UP_AT_ONCE, upFrom, type RunAnswers } from './probe-answers.js';
import { portFault, type ProbeNotice } from './probe-outcome.js';
import { probeSettings, type ProbeKind } from './probe-settings.js';
import { ProbeWorker } from './probe-worker.js';

/** A probe of a run has failed as often as it may: the container is to be killed. */
export interface ProbeFailure {
  readonly kind: 'liveness' | 'startup';
  /** Grace of this kill in place of the pod's; `undefined` = the pod's. */
  readonly graceSeconds: number | undefined;
}

/** When a container began to run. */
export interface RunStart {
  readonly runningMs: number;
  /** The same as its status shows it, in whole seconds: initial delays count from there. */
  readonly startedAtMs: number;
}

/** What had been recorded of a run that was probed before. */
export interface FoundProbes {
  readonly isStarted: boolean;
  readonly isReady: boolean;
}

/** What a kubelet knows of one container through its probes, over all its runs. */
export interface ContainerProbes {
  /** Whether the present run is started, as of the last call. Of no meaning while nothing runs. */
  readonly isStarted: boolean;
  /** Started, and the recorded result of its readiness probe is a success. */
  readonly isReady: boolean;
  /** Why the present run is to be killed. */
  readonly failure: ProbeFailure | undefined;
  /** When anything visible outside the probes changes next; Infinity at rest. */
  readonly nextMs: number;
  /**
   * The container runs anew, or is found running by a kubelet that has just started.
   *
   * @param found - what was recorded of the run before; absent = nothing
   */
  begin(answers: RunAnswers, start: RunStart, nowMs: number, found?: FoundProbes): void;
  /** The present run has ended: attempts that were under way come to nothing. */
  end(exitMs: number): void;
  /** What the application answers has turned out other than it was foreseen. */
  reconsider(): void;
  /** Records everything up to that moment, and returns what is to be told, in order of time. */
  advance(nowMs: number): readonly ProbeNotice[];
  /** The pod is being ended: liveness and startup probes stop, and leave a success behind. Readiness goes on. */
  holdLivenessAndStartup(nowMs: number): void;
}

const NOTHING: readonly ProbeNotice[] = [];
const NOT_YET: RunStart = { runningMs: Infinity, startedAtMs: Infinity };

/**
 * From the write that shows a container as started until its readiness probe is asked out of turn,
 * milliseconds: the status comes first, as upstream.
 */
const TRIGGER_MS = 1;

/** A container without probes, up and ready at once: it has no state, so one serves all. */
export const READY_AT_ONCE: ContainerProbes = {
  isStarted: true,
  isReady: true,
  failure: undefined,
  nextMs: Infinity,
  begin: () => undefined,
  end: () => undefined,
  reconsider: () => undefined,
  advance: () => NOTHING,
  holdLivenessAndStartup: () => undefined,
};

/** A container without probes that takes its time to come up. */
export class UnprobedContainer implements ContainerProbes {
  readonly failure = undefined;
  #startedMs = Infinity;
  #readyMs = Infinity;
  #nowMs = 0;

  get isStarted(): boolean {
    return this.#nowMs >= this.#startedMs;
  }

  get isReady(): boolean {
    return this.#nowMs >= this.#readyMs;
  }

  get nextMs(): number {
    if (!this.isStarted) return this.#startedMs;
    return this.isReady ? Infinity : this.#readyMs;
  }

  begin(
    { startDelayMs, readinessDelayMs }: RunAnswers,
    { runningMs }: RunStart,
    nowMs: number,
    found?: FoundProbes,
  ): void {
    this.#startedMs = found?.isStarted === true ? nowMs : runningMs + startDelayMs;
    this.#readyMs = found?.isReady === true ? nowMs : this.#startedMs + readinessDelayMs;
    this.#nowMs = nowMs;
  }

  end(): void {
    this.#startedMs = Infinity;
    this.#readyMs = Infinity;
  }

  reconsider(): void {
    /* without probes no answer counts */
  }

  advance(nowMs: number): readonly ProbeNotice[] {
    this.#nowMs = nowMs;
    return NOTHING;
  }

  holdLivenessAndStartup(): void {
    /* it has neither */
  }
}

/** A container with probes. */
export class ProbedContainer implements ContainerProbes {
  readonly #startup: ProbeWorker | undefined;
  readonly #readiness: ProbeWorker | undefined;
  readonly #liveness: ProbeWorker | undefined;
  readonly #workers: readonly ProbeWorker[];
  #run: RunAnswers = UP_AT_ONCE;
  #start: RunStart = NOT_YET;
  /** When the present run will be started by itself: without a startup probe, as soon as its application is up. */
  #startsMs = Infinity;
  /** When the present run was started. */
  #startedMs = Infinity;
  #isReady = false;

  /** @param firstTickMs - draws when a worker with that period makes its first attempt */
  constructor(container: Container, firstTickMs: (periodMs: number) => number) {
    const worker = (kind: ProbeKind): ProbeWorker | undefined => {
      const settings = probeSettings(container, kind);
      if (settings === undefined) return undefined;
      const isBroken = portFault(settings.spec, container) !== undefined;
      return new ProbeWorker(kind, settings, firstTickMs(settings.periodMs), isBroken);
    };
    this.#startup = worker('startup');
    this.#readiness = worker('readiness');
    this.#liveness = worker('liveness');
    this.#workers = [this.#startup, this.#readiness, this.#liveness].filter((each) => each !== undefined);
  }

  get isStarted(): boolean {
    return this.#startedMs !== Infinity;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get failure(): ProbeFailure | undefined {
    return failureOf(this.#liveness, 'liveness') ?? failureOf(this.#startup, 'startup');
  }

  get nextMs(): number {
    let nextMs = this.#startsMs;
    if (this.#readiness === undefined && !this.#isReady) nextMs = Math.min(nextMs, this.#answersReadyMs);
    for (const worker of this.#workers) nextMs = Math.min(nextMs, worker.nextMs);
    return nextMs;
  }

  begin(run: RunAnswers, start: RunStart, nowMs: number, found?: FoundProbes): void {
    this.#run = found?.isReady === true ? { ...run, readinessDelayMs: 0 } : run;
    this.#start = start;
    this.#startedMs = Infinity;
    for (const worker of this.#workers) worker.begin();
    const upMs = start.runningMs + run.startDelayMs;
    if (found?.isStarted === true) {
      this.#startup?.find();
      if (found.isReady) this.#readiness?.find();
      this.#startsMs = nowMs;
    } else if (this.#startup === undefined) this.#startsMs = Math.max(upMs, nowMs);
    else this.#startup.allowFrom(this.#eligibleMs(this.#startup, nowMs + 1), run.startup ?? upFrom(upMs));
    this.#recordUpTo(nowMs);
  }

  end(exitMs: number): void {
    this.#start = NOT_YET;
    this.#startsMs = Infinity;
    this.#startedMs = Infinity;
    this.#isReady = false;
    for (const worker of this.#workers) {
      worker.passTo(exitMs - 1);
      worker.end();
    }
  }

  reconsider(): void {
    for (const worker of this.#workers) worker.reconsider();
  }

  advance(nowMs: number): readonly ProbeNotice[] {
    let notices: ProbeNotice[] | undefined;
    for (let atMs = this.nextMs; atMs <= nowMs; atMs = this.nextMs) {
      for (const worker of this.#workers) {
        while (worker.nextMs <= atMs) {
          const notice = worker.step();
          if (notice !== undefined) (notices ??= []).push(notice);
          if (worker === this.#startup && worker.recorded === 'success') this.#startsMs = atMs;
        }
      }
      this.#recordUpTo(atMs);
    }
    this.#recordUpTo(nowMs);
    for (const worker of this.#workers) worker.passTo(nowMs);
    return notices ?? NOTHING;
  }

  holdLivenessAndStartup(nowMs: number): void {
    this.#liveness?.stop();
    if (this.#startup !== undefined) {
      this.#startup.stop();
      if (this.#startedMs === Infinity && this.#start !== NOT_YET) this.#startsMs = nowMs;
    }
    this.#recordUpTo(nowMs);
  }

  #recordUpTo(nowMs: number): void {
    if (this.#startsMs <= nowMs) this.#becomeStarted(this.#startsMs);
    this.#isReady =
      this.isStarted &&
      (this.#readiness === undefined ? nowMs >= this.#answersReadyMs : this.#readiness.recorded === 'success');
  }

  /** From now on the other probes count; readiness is asked out of turn. */
  #becomeStarted(startedMs: number): void {
    this.#startsMs = Infinity;
    this.#startedMs = startedMs;
    const { readiness, liveness } = this.#run;
    const fromMs = startedMs + TRIGGER_MS;
    this.#liveness?.allowFrom(this.#eligibleMs(this.#liveness, fromMs), liveness);
    if (this.#readiness === undefined) return;
    const readyMs = this.#answersReadyMs;
    const answers = readyMs <= fromMs ? readiness : readyFrom(readyMs, readiness);
    this.#readiness.allowFrom(this.#eligibleMs(this.#readiness, fromMs), answers);
    this.#readiness.trigger(fromMs);
  }

  /** From then on the application would answer a readiness probe, or is ready without one. */
  get #answersReadyMs(): number {
    const upMs = this.#start.runningMs + this.#run.startDelayMs;
    return Math.max(this.#startedMs, upMs) + this.#run.readinessDelayMs;
  }

  #eligibleMs({ settings }: ProbeWorker, fromMs: number): number {
    return Math.max(this.#start.startedAtMs + settings.initialDelayMs, fromMs);
  }
}

function failureOf(worker: ProbeWorker | undefined, kind: ProbeFailure['kind']): ProbeFailure | undefined {
  if (worker?.recorded !== 'failure') return undefined;
  return { kind, graceSeconds: worker.settings.graceSeconds };
}
