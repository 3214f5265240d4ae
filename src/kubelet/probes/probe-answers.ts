/**
 * What the application of one run would answer to its probes, as a function of time: the truth, which
 * no kubelet owns and which a restarted kubelet finds unchanged. Moments at which an answer changes are
 * drawn when a reader looks that far, always in the same order and from a stream of their own, so that the
 * answers do not depend on when they are read.
 */
import { sample } from '../../kernel/distribution.js';
import type { RandomStream } from '../../kernel/random.js';
import type { ContainerScript, ProbeScript } from '../scripts/script-types.js';

/** How an attempt would go. */
export type Answer =
  /** A success. */
  | 'ok'
  /** A failure as the container's script says. */
  | 'failing'
  /** No answer yet: the application has not come up. */
  | 'down'
  /** It is worked out when it is asked for: the moment has not come. */
  | 'unknown';

/** An answer, and the end of the time through which it stays the same. */
export interface AnswerSpan {
  readonly answer: Answer;
  /** First millisecond of the next span; Infinity when there is none. */
  readonly untilMs: number;
}

/** The answers to one kind of probe. */
export interface AnswerTimeline {
  /** What a failing or a redirected probe says; `undefined` = what its kind says by itself. */
  readonly script: ProbeScript | undefined;
  /** The answer at a moment; moments may come in any order, but not before a forgotten one. */
  at(ms: number): AnswerSpan;
  /** The time before that moment will not be read again. */
  forgetBefore(ms: number): void;
}

/** What one run of a container would answer. */
export interface RunAnswers {
  /** From the start of the run until it answers a startup probe; without such a probe, until it is started. */
  readonly startDelayMs: number;
  /** From started until it answers a readiness probe; without such a probe, until it is ready. */
  readonly readinessDelayMs: number;
  readonly readiness: AnswerTimeline;
  readonly liveness: AnswerTimeline;
  /** Answers to startup probes. @defaultValue good ones after the start delay */
  readonly startup?: AnswerTimeline;
  /** Tells from now on when answers turn out other than they were foreseen; returns what ends that. Absent = never. */
  readonly listen?: (listener: () => void) => () => void;
}

/** The part of a container's script that is about probes. */
export type ProbeBehaviour = Pick<ContainerScript, 'startDelay' | 'readinessDelay' | 'readiness' | 'liveness'>;

const OK: AnswerSpan = { answer: 'ok', untilMs: Infinity };

/** An application that answers every probe well. */
export const ALWAYS_OK: AnswerTimeline = { script: undefined, at: () => OK, forgetBefore: () => undefined };

/** A run that is up at once and stays so: what most runs share. */
export const UP_AT_ONCE: RunAnswers = {
  startDelayMs: 0,
  readinessDelayMs: 0,
  readiness: ALWAYS_OK,
  liveness: ALWAYS_OK,
};

/**
 * Draws what a run will answer.
 *
 * @param runningMs - when its process began to run
 * @param random - for the two delays, start delay first
 * @param openStream - opens a stream of this run's own for the turns of one kind of probe
 */
export function drawAnswers(
  { startDelay = 0, readinessDelay = 0, readiness, liveness }: ProbeBehaviour,
  runningMs: number,
  random: RandomStream,
  openStream: (kind: 'readiness' | 'liveness') => RandomStream,
): RunAnswers {
  if (startDelay === 0 && readinessDelay === 0 && readiness === undefined && liveness === undefined) return UP_AT_ONCE;
  const startDelayMs = sample(startDelay, random);
  const readinessDelayMs = sample(readinessDelay, random);
  const turns = (script: ProbeScript | undefined, kind: 'readiness' | 'liveness'): AnswerTimeline =>
    script === undefined ? ALWAYS_OK : new ScriptedAnswers(script, runningMs, openStream(kind));
  return {
    startDelayMs,
    readinessDelayMs,
    readiness: turns(readiness, 'readiness'),
    liveness: turns(liveness, 'liveness'),
  };
}

/** Success and failure by turns, as a script says. */
class ScriptedAnswers implements AnswerTimeline {
  readonly script: ProbeScript;
  readonly #random: RandomStream;
  /** Ends of the turns that are known, in order; the first of them is one of success if `#firstIsOk`. */
  readonly #ends: number[];
  #firstIsOk = true;
  /** The turn that was asked about last: the next question is about that one or a later one, mostly. */
  #index = 0;

  constructor(script: ProbeScript, runningMs: number, random: RandomStream) {
    this.script = script;
    this.#random = random;
    this.#ends = [endOf(script.okFor, runningMs, 0, random)];
  }

  at(ms: number): AnswerSpan {
    const isBehind = this.#index > 0 && ms < (this.#ends[this.#index - 1] ?? 0);
    for (let index = isBehind ? 0 : this.#index; ; index += 1) {
      const isOk = this.#firstIsOk === (index % 2 === 0);
      const untilMs = this.#ends[index] ?? this.#drawEnd(isOk);
      if (ms >= untilMs) continue;
      this.#index = index;
      return { answer: isOk ? 'ok' : 'failing', untilMs };
    }
  }

  forgetBefore(ms: number): void {
    let count = 0;
    while (count < this.#ends.length - 1 && (this.#ends[count] ?? 0) <= ms) count += 1;
    if (count === 0) return;
    this.#ends.splice(0, count);
    this.#firstIsOk = this.#firstIsOk === (count % 2 === 0);
    this.#index = 0;
  }

  #drawEnd(isOk: boolean): number {
    const { okFor, failFor } = this.script;
    const fromMs = this.#ends.at(-1) ?? 0;
    // A failure lasts at least a millisecond, so that time goes on even where both draws are zero.
    const endMs = isOk ? endOf(okFor, fromMs, 0, this.#random) : endOf(failFor, fromMs, 1, this.#random);
    this.#ends.push(endMs);
    return endMs;
  }
}

function endOf(duration: ProbeScript['okFor'], fromMs: number, leastMs: number, random: RandomStream): number {
  return duration === undefined ? Infinity : fromMs + Math.max(leastMs, sample(duration, random));
}

/** No answer before the application is up; successes from then on. */
export function upFrom(upMs: number): AnswerTimeline {
  const down: AnswerSpan = { answer: 'down', untilMs: upMs };
  return { script: undefined, at: (ms) => (ms < upMs ? down : OK), forgetBefore: () => undefined };
}

/** Failures before an application has made itself ready; from then on as its script says. */
export function readyFrom(readyMs: number, then: AnswerTimeline): AnswerTimeline {
  const failing: AnswerSpan = { answer: 'failing', untilMs: readyMs };
  return {
    script: then.script,
    at: (ms) => (ms < readyMs ? failing : then.at(ms)),
    forgetBefore: (ms) => then.forgetBefore(ms),
  };
}
