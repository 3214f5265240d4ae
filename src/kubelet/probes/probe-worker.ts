/**
 * One probe of one container, over all its runs: upstream's worker loop (pkg/kubelet/prober/worker.go,
 * v1.34) without its ticker. Between two attempts with a visible effect it computes how many others there are and
 * how they go, instead of making them one by one. It emits nothing and waits for nothing; its owner reads
 * `nextMs` and calls `step` then.
 */
import { ALWAYS_OK, type Answer, type AnswerTimeline } from './probe-answers.js';
import { refusalMs, type ProbeNotice } from './probe-outcome.js';
import type { ProbeKind, ProbeSettings } from './probe-settings.js';

/** What is recorded of a container's probe. */
export type ProbeResult = 'success' | 'failure' | 'unknown';

/** Where a worker is in its ticks, and what it has counted. */
interface Position {
  /** Its next attempt. */
  attemptMs: number;
  /** The tick after that one; equal to `attemptMs` while a trigger waits for the attempt to be over. */
  tickMs: number;
  /** Result of the last attempt that counted. */
  wasOk: boolean | undefined;
  /** How many attempts in a row had it. */
  run: number;
}

/** An attempt with a visible effect: it leads to an event, or changes what is recorded. */
interface Notable {
  readonly startMs: number;
  /** When its outcome is known. */
  readonly endMs: number;
  /** `undefined`: the look ahead came to its limit before it found an effect, and goes on from here. */
  readonly outcome: 'success' | ProbeNotice['outcome'] | undefined;
  readonly answer: Answer;
}

/** Spans of answers looked at in one go: an application may flap for ever between two ticks. */
const SPANS_AHEAD = 64;

const INITIAL: Readonly<Record<ProbeKind, ProbeResult>> = {
  startup: 'unknown',
  readiness: 'failure',
  liveness: 'success',
};

/** See the file header. */
export class ProbeWorker {
  readonly kind: ProbeKind;
  readonly settings: ProbeSettings;
  /** What was recorded last of the present run. */
  recorded: ProbeResult;
  readonly #position: Position;
  /** End of the sleep that spreads the workers of a kubelet which has only just started. */
  readonly #awakeMs: number;
  /** The first moment at which an attempt of the present run is not skipped. */
  #eligibleMs = Infinity;
  #answers: AnswerTimeline = ALWAYS_OK;
  /** Every attempt fails to be made: its spec names a port that the container lacks. */
  readonly #isBroken: boolean;
  /** No attempts until there is a new run. */
  #isOnHold = false;
  #isStopped = false;
  #next: Notable | undefined;
  #isNextKnown = true;

  /** @param firstMs - its first tick */
  constructor(kind: ProbeKind, settings: ProbeSettings, firstMs: number, isBroken: boolean) {
    this.kind = kind;
    this.settings = settings;
    this.recorded = INITIAL[kind];
    this.#awakeMs = firstMs;
    this.#isBroken = isBroken;
    this.#position = { attemptMs: firstMs, tickMs: firstMs + settings.periodMs, wasOk: undefined, run: 0 };
  }

  /** When the next attempt with a visible effect will be over; Infinity when there is none. */
  get nextMs(): number {
    return this.#lookAhead()?.endMs ?? Infinity;
  }

  /** There is a new run: what was recorded starts anew, what was counted goes on. */
  begin(): void {
    this.recorded = INITIAL[this.kind];
    this.#isOnHold = false;
    this.#forgetNext();
  }

  /** The present run had succeeded before. */
  find(): void {
    this.recorded = 'success';
    this.#isOnHold = this.kind === 'startup';
    this.#forgetNext();
  }

  /** The run is over: ticks go by unused until another one is allowed attempts. */
  end(): void {
    this.#eligibleMs = Infinity;
    this.#answers = ALWAYS_OK;
    this.#forgetNext();
  }

  /** Attempts of the present run count from that moment on; those before are skipped. */
  allowFrom(eligibleMs: number, answers: AnswerTimeline): void {
    this.#eligibleMs = eligibleMs;
    this.#answers = answers;
    this.#forgetNext();
  }

  /** Attempts that are still to come may go otherwise than they were foreseen. */
  reconsider(): void {
    this.#forgetNext();
  }

  /** Orders an attempt out of turn, from which the ticks then count; one that sleeps makes it when it wakes up. */
  trigger(atMs: number): void {
    const position = this.#position;
    if (atMs <= this.#awakeMs) position.tickMs = position.attemptMs;
    else {
      position.attemptMs = atMs;
      position.tickMs = atMs + this.settings.periodMs;
    }
    this.#forgetNext();
  }

  /** Ends for good, and leaves a success behind. */
  stop(): void {
    this.#isStopped = true;
    this.recorded = 'success';
    this.#forgetNext();
  }

  /** Makes the attempts up to that moment, which have no visible effect. */
  passTo(nowMs: number): void {
    if (this.#isIdle) return this.#skipBefore(nowMs + 1);
    this.#walk(this.#position, nowMs);
    this.#answers.forgetBefore(Math.min(nowMs, this.#position.attemptMs));
  }

  /** Makes the attempt that is over at `nextMs`. */
  step(): ProbeNotice | undefined {
    const notable = this.#lookAhead();
    if (notable === undefined) return undefined;
    this.#forgetNext();
    this.#walk(this.#position, notable.startMs);
    const { outcome } = notable;
    if (outcome === undefined) return undefined;
    this.#consume(notable.endMs);
    if (outcome !== 'errored') this.#count(outcome !== 'failed');
    if (outcome === 'success') return undefined;
    const { kind, settings } = this;
    return { kind, settings, outcome, answer: notable.answer, script: this.#answers.script, atMs: notable.endMs };
  }

  get #isIdle(): boolean {
    return this.#isOnHold || this.#isStopped || this.#eligibleMs === Infinity;
  }

  #forgetNext(): void {
    this.#isNextKnown = false;
  }

  #lookAhead(): Notable | undefined {
    if (!this.#isNextKnown) {
      this.#next = this.#isIdle ? undefined : this.#walk({ ...this.#position }, Infinity);
      this.#isNextKnown = true;
    }
    return this.#next;
  }

  /** Moves a position past every attempt up to `limitMs` without a visible effect; stops at the first with one. */
  #walk(position: Position, limitMs: number): Notable | undefined {
    const { periodMs } = this.settings;
    skip(position, attemptsBefore(position, Math.min(this.#eligibleMs, limitMs + 1), periodMs), periodMs);
    for (let spans = 0; spans < SPANS_AHEAD; spans += 1) {
      const { attemptMs } = position;
      if (attemptMs > limitMs) return undefined;
      const { answer, untilMs } = this.#answers.at(attemptMs);
      // Nothing can be foreseen of it: it is looked at again when its time has come.
      if (answer === 'unknown') return { startMs: attemptMs - 1, endMs: attemptMs, outcome: undefined, answer: 'ok' };
      const outcome = this.#outcomeOf(answer);
      if (outcome !== 'success') return this.#notable(attemptMs, outcome, answer);
      const count = attemptsBefore(position, Math.min(untilMs, limitMs + 1), periodMs);
      const needed = this.#successesNeeded(position);
      if (needed <= count) {
        pass(position, needed - 1, periodMs);
        return this.#notable(position.attemptMs, outcome, answer);
      }
      if (count === Infinity) return undefined;
      pass(position, count, periodMs);
    }
    const { attemptMs } = position;
    return { startMs: attemptMs - 1, endMs: attemptMs, outcome: undefined, answer: 'ok' };
  }

  #outcomeOf(answer: Answer): NonNullable<Notable['outcome']> {
    if (this.#isBroken) return 'errored';
    const { script } = this.#answers;
    const { exec, httpGet } = this.settings.spec;
    if (answer === 'ok') return script?.redirectBody !== undefined && httpGet !== undefined ? 'warning' : 'success';
    return answer === 'failing' && script?.isError === true && exec !== undefined ? 'errored' : 'failed';
  }

  #notable(startMs: number, outcome: NonNullable<Notable['outcome']>, answer: Answer): Notable {
    const isFailure = outcome === 'failed';
    const takenMs = isFailure ? refusalMs(this.settings, answer, this.#answers.script) : 0;
    return { startMs, endMs: startMs + takenMs, outcome, answer };
  }

  /** How many successes in a row from here on change what is recorded. */
  #successesNeeded({ wasOk, run }: Position): number {
    if (this.recorded === 'success') return Infinity;
    return Math.max(1, this.settings.successThreshold - (wasOk === true ? run : 0));
  }

  /** The attempt at hand is over; of the ticks that went by meanwhile one is made up for, the others are lost. */
  #consume(endMs: number): void {
    const position = this.#position;
    const { periodMs } = this.settings;
    const { attemptMs, tickMs } = position;
    if (endMs < tickMs) return skip(position, 1, periodMs);
    const lastTickMs = tickMs === attemptMs ? endMs : endMs - ((endMs - tickMs) % periodMs);
    position.attemptMs = endMs;
    position.tickMs = lastTickMs + periodMs;
  }

  #count(isOk: boolean): void {
    const position = this.#position;
    position.run = position.wasOk === isOk ? position.run + 1 : 1;
    position.wasOk = isOk;
    const { successThreshold, failureThreshold } = this.settings;
    if (position.run < (isOk ? successThreshold : failureThreshold)) return;
    this.recorded = isOk ? 'success' : 'failure';
    if (this.kind === 'startup' || (this.kind === 'liveness' && !isOk)) {
      this.#isOnHold = true;
      position.run = 0;
    }
  }

  #skipBefore(ms: number): void {
    const { periodMs } = this.settings;
    skip(this.#position, attemptsBefore(this.#position, ms, periodMs), periodMs);
  }
}

/** How many attempts a worker begins before a moment. */
function attemptsBefore({ attemptMs, tickMs }: Position, ms: number, periodMs: number): number {
  if (attemptMs >= ms) return 0;
  return tickMs >= ms ? 1 : 1 + Math.ceil((ms - tickMs) / periodMs);
}

/** Leaves attempts out. */
function skip(position: Position, count: number, periodMs: number): void {
  if (count === 0) return;
  position.attemptMs = position.tickMs + (count - 1) * periodMs;
  position.tickMs = position.attemptMs + periodMs;
}

/** Counts attempts that succeed. */
function pass(position: Position, count: number, periodMs: number): void {
  if (count === 0) return;
  position.run = position.wasOk === true ? position.run + count : count;
  position.wasOk = true;
  skip(position, count, periodMs);
}
