/**
 * Upstream's prober, step by step: a worker per probe that sleeps, waits for its ticker or for a trigger,
 * and makes every single attempt (pkg/kubelet/prober/worker.go, v1.34). What it says is what the closed
 * form has to say, too.
 */
import { sample, type Distribution } from '../../../src/kernel/distribution.js';
import { randomStream, type RandomStream } from '../../../src/kernel/random.js';
import type { ProbeScript } from '../../../src/kubelet/scripts/script-types.js';

export type Kind = 'startup' | 'readiness' | 'liveness';

/** A probe of the spec, in milliseconds. */
export interface NaiveProbe {
  /** `broken` names a port that the container lacks. */
  readonly handler: 'exec' | 'httpGet' | 'tcpSocket' | 'grpc' | 'broken';
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  /** The first tick. */
  readonly firstMs: number;
}

/** How the runs of a container go, by their number. */
export interface NaiveRun {
  readonly startDelayMs: number;
  readonly readinessDelayMs: number;
  /** From its start to its own end. */
  readonly ownMs: number;
  /** From a recorded failure to its end. */
  readonly killMs: number;
  /** From its end to the start of the next. */
  readonly pauseMs: number;
}

export interface NaiveWorld {
  readonly seed: string;
  readonly probes: Readonly<Partial<Record<Kind, NaiveProbe>>>;
  readonly scripts: { readonly readiness?: ProbeScript | undefined; readonly liveness?: ProbeScript | undefined };
  readonly runs: readonly NaiveRun[];
  /** When the pod arrives at the kubelet. */
  readonly addedMs: number;
  /** When the first run starts; before `addedMs`, it is found running. */
  readonly firstRunMs: number;
  /** When the pod begins to be terminated. */
  readonly endingMs: number;
  readonly horizonMs: number;
}

/** `<ms> <what>`, in order. */
export type Story = readonly string[];

/** The stream of one run's answers, as both sides open it. */
export function turnsStream(seed: string, run: number, kind: string): RandomStream {
  return randomStream(seed, `run/${run}/${kind}`);
}

type Result = 'success' | 'failure' | 'unknown';

const INITIAL: Readonly<Record<Kind, Result>> = { startup: 'unknown', readiness: 'failure', liveness: 'success' };

interface Run {
  readonly number: number;
  readonly startMs: number;
  exitMs: number;
  startedMs: number;
  readonly plan: NaiveRun;
  readonly turns: Readonly<Record<'readiness' | 'liveness', readonly number[]>>;
}

class Worker {
  readonly kind: Kind;
  readonly probe: NaiveProbe;
  /** Time of the ticker's next tick; none while it sleeps. */
  tickMs = Infinity;
  hasTick = false;
  hasTrigger = false;
  isAsleep = true;
  isStopped = false;
  inFlight: { readonly endMs: number; readonly run: Run } | undefined;
  run: Run | undefined;
  result: Result;
  lastResult: Result | undefined;
  resultRun = 0;
  isOnHold = false;

  constructor(kind: Kind, probe: NaiveProbe) {
    this.kind = kind;
    this.probe = probe;
    this.result = INITIAL[kind];
  }
}

/** Plays a world to its horizon. */
export function naiveStory(world: NaiveWorld): Story {
  return new NaiveProber(world).play();
}

class NaiveProber {
  readonly #world: NaiveWorld;
  readonly #workers: readonly Worker[];
  readonly #story: string[] = [];
  #run: Run | undefined;
  #nextRunMs: number;
  #runs = 0;
  #shown = '';
  #nowMs = 0;
  #triggerMs = Infinity;

  constructor(world: NaiveWorld) {
    this.#world = world;
    this.#nextRunMs = world.firstRunMs;
    this.#workers = (['startup', 'readiness', 'liveness'] as const).flatMap((kind) => {
      const probe = world.probes[kind];
      return probe === undefined ? [] : [new Worker(kind, probe)];
    });
  }

  play(): Story {
    if (this.#world.firstRunMs < this.#world.addedMs) this.#beginRun();
    for (this.#nowMs = this.#world.addedMs; this.#nowMs <= this.#world.horizonMs; this.#nowMs = this.#nextMs()) {
      this.#playMoment();
    }
    return this.#story;
  }

  /** Everything that happens at one millisecond. */
  #playMoment(): void {
    const now = this.#nowMs;
    if (this.#run !== undefined && this.#run.exitMs === now) this.#run = undefined;
    if (this.#nextRunMs === now && now < this.#world.endingMs) this.#beginRun();
    if (now === this.#world.endingMs) this.#endPod();
    this.#noteStarted();
    if (this.#triggerMs === now) {
      for (const worker of this.#workers) if (worker.kind === 'readiness') worker.hasTrigger = true;
      this.#triggerMs = Infinity;
    }
    // A worker that made an attempt may have another one waiting.
    for (const worker of this.#workers) while (this.#playWorker(worker)) continue;
    this.#noteStarted();
    this.#show();
  }

  #nextMs(): number {
    const { endingMs } = this.#world;
    const candidates = [this.#nextRunMs, this.#triggerMs, endingMs, this.#world.horizonMs + 1];
    for (const { isStopped, isAsleep, probe, tickMs, inFlight } of this.#workers) {
      if (isStopped) continue;
      candidates.push(isAsleep ? probe.firstMs : tickMs, inFlight?.endMs ?? Infinity);
    }
    if (this.#run !== undefined) {
      const { exitMs, startMs, plan, startedMs } = this.#run;
      candidates.push(exitMs, startMs + plan.startDelayMs, startedMs + plan.readinessDelayMs);
      candidates.push(Math.max(startedMs, startMs + plan.startDelayMs) + plan.readinessDelayMs);
    }
    return Math.min(...candidates.filter((ms) => ms > this.#nowMs));
  }

  #beginRun(): void {
    const { runs, seed, scripts, horizonMs } = this.#world;
    const startMs = this.#nextRunMs;
    const number = this.#runs;
    this.#runs += 1;
    const plan = runs[number % runs.length];
    if (plan === undefined) throw new Error('a world needs runs');
    const turns = (kind: 'readiness' | 'liveness'): readonly number[] =>
      turnsOf(scripts[kind], startMs, horizonMs, turnsStream(seed, number, kind));
    this.#run = {
      number,
      startMs,
      exitMs: startMs + plan.ownMs,
      startedMs: Infinity,
      plan,
      turns: { readiness: turns('readiness'), liveness: turns('liveness') },
    };
    this.#nextRunMs = startMs + plan.ownMs + plan.pauseMs;
  }

  #endPod(): void {
    for (const worker of this.#workers) {
      if (worker.kind === 'readiness') continue;
      worker.isStopped = true;
      worker.inFlight = undefined;
      worker.result = 'success';
    }
  }

  /** Started as soon as the startup probe is recorded as a success, or, without one, the application is up. */
  #noteStarted(): void {
    const run = this.#run;
    if (run === undefined || run.startedMs !== Infinity) return;
    const startup = this.#workers.find(({ kind }) => kind === 'startup');
    const isStarted =
      startup === undefined
        ? this.#nowMs >= run.startMs + run.plan.startDelayMs
        : startup.result === 'success' && (startup.run === run || startup.isStopped);
    if (!isStarted) return;
    run.startedMs = this.#nowMs;
    this.#triggerMs = this.#nowMs + 1;
  }

  /** One turn of a worker's loop; `true` when it may have another at the same moment. */
  #playWorker(worker: Worker): boolean {
    const now = this.#nowMs;
    if (worker.isStopped) return false;
    if (worker.isAsleep) {
      if (now < worker.probe.firstMs) return false;
      worker.isAsleep = false;
      worker.tickMs = now + worker.probe.periodMs;
      this.#doProbe(worker);
      return true;
    }
    while (worker.tickMs <= now) {
      worker.hasTick = true;
      worker.tickMs += worker.probe.periodMs;
    }
    if (worker.inFlight !== undefined) {
      if (worker.inFlight.run !== this.#run) worker.inFlight = undefined;
      else if (now < worker.inFlight.endMs) return false;
      else {
        worker.inFlight = undefined;
        this.#count(worker, 'failure');
      }
    }
    if (worker.hasTrigger) {
      worker.hasTrigger = false;
      worker.hasTick = false;
      worker.tickMs = now + worker.probe.periodMs;
    } else if (worker.hasTick) worker.hasTick = false;
    else return false;
    this.#doProbe(worker);
    return true;
  }

  #doProbe(worker: Worker): void {
    const now = this.#nowMs;
    const run = this.#run;
    const foundMs = this.#world.addedMs;
    // What happens at this very moment is not in the status yet.
    if (run === undefined || now <= Math.max(run.startMs, foundMs)) return;
    if (worker.run !== run) {
      worker.run = run;
      worker.result = INITIAL[worker.kind];
      worker.isOnHold = false;
    }
    if (worker.isOnHold) return;
    const startedAtMs = Math.floor(run.startMs / 1000) * 1000;
    if (Math.floor((now - startedAtMs) / 1000) < worker.probe.initialDelayMs / 1000) return;
    const isStarted = run.startedMs < now;
    if (isStarted === (worker.kind === 'startup')) return;
    const { kind } = worker;
    const { handler, timeoutMs } = worker.probe;
    const { isOk, script } = this.#ask(kind, run);
    if (handler === 'broken' || (!isOk && script?.isError === true && handler === 'exec')) {
      this.#story.push(`${now} ${kind} errored`);
      return;
    }
    if (isOk) {
      if (script?.redirectBody !== undefined && handler === 'httpGet') this.#story.push(`${now} ${kind} warning`);
      return this.#count(worker, 'success');
    }
    const isUnanswered = kind === 'startup' ? handler === 'grpc' : script?.isTimeout === true;
    if (isUnanswered) worker.inFlight = { endMs: now + timeoutMs, run };
    else this.#count(worker, 'failure');
  }

  #ask(kind: Kind, run: Run): { readonly isOk: boolean; readonly script?: ProbeScript | undefined } {
    const now = this.#nowMs;
    const upMs = run.startMs + run.plan.startDelayMs;
    if (kind === 'startup') return { isOk: now >= upMs };
    const script = this.#world.scripts[kind];
    const turn = run.turns[kind].findIndex((endMs) => now < endMs);
    const isOk = turn === -1 || turn % 2 === 0;
    const readyMs = Math.max(upMs, run.startedMs) + run.plan.readinessDelayMs;
    return { isOk: isOk && (kind === 'liveness' || now >= readyMs), script };
  }

  #count(worker: Worker, result: Result): void {
    const { kind, probe } = worker;
    if (result === 'failure') this.#story.push(`${this.#nowMs} ${kind} failed`);
    if (worker.lastResult === result) worker.resultRun += 1;
    else {
      worker.lastResult = result;
      worker.resultRun = 1;
    }
    if (result === 'failure' && worker.resultRun < probe.failureThreshold) return;
    if (result === 'success' && worker.resultRun < probe.successThreshold) return;
    worker.result = result;
    if ((kind === 'liveness' && result === 'failure') || kind === 'startup') {
      worker.isOnHold = true;
      worker.resultRun = 0;
    }
    if (kind !== 'readiness' && result === 'failure') this.#kill();
  }

  #kill(): void {
    const run = this.#run;
    if (run === undefined) return;
    run.exitMs = Math.min(run.exitMs, this.#nowMs + run.plan.killMs);
    this.#nextRunMs = run.exitMs + run.plan.pauseMs;
  }

  /** What a status would show now. */
  #show(): void {
    const run = this.#run;
    let shown = 'down';
    if (run !== undefined) {
      const readiness = this.#workers.find(({ kind }) => kind === 'readiness');
      const isStarted = run.startedMs <= this.#nowMs;
      const answersMs = Math.max(run.startedMs, run.startMs + run.plan.startDelayMs) + run.plan.readinessDelayMs;
      const isRecorded =
        readiness === undefined ? this.#nowMs >= answersMs : readiness.run === run && readiness.result === 'success';
      const failing = this.#workers.filter(
        (worker) => worker.kind !== 'readiness' && worker.run === run && worker.result === 'failure',
      );
      shown = [
        'up',
        isStarted ? 'started' : '-',
        isStarted && isRecorded ? 'ready' : '-',
        ...failing.map(({ kind }) => kind),
      ].join(' ');
    }
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#story.push(`${this.#nowMs} ${shown}`);
  }
}

/** Ends of the turns of success and failure up to a horizon. */
function turnsOf(script: ProbeScript | undefined, fromMs: number, horizonMs: number, random: RandomStream): number[] {
  if (script === undefined) return [];
  const ends: number[] = [];
  const draw = (duration: Distribution | undefined, leastMs: number): number =>
    duration === undefined ? Infinity : Math.max(leastMs, sample(duration, random));
  for (let endMs = fromMs; endMs <= horizonMs;) {
    endMs += ends.length % 2 === 0 ? draw(script.okFor, 0) : draw(script.failFor, 1);
    ends.push(endMs);
  }
  return ends;
}
