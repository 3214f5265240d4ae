/**
 * What one run of a container needs of its peers, and since when it has had it or not: a truth of the application,
 * which its probes ask for and by which its process may end. It is told from outside, and keeps what it was told.
 */
import type { AnswerSpan, AnswerTimeline, RunAnswers } from '../probes/probe-answers.js';
import type { PeerScript } from '../scripts/script-types.js';

/** See the file header. */
export class PeerNeed {
  readonly script: PeerScript;
  readonly #listeners = new Set<() => void>();
  readonly #turns: NeedTurns[] = [];
  #isMet = false;

  constructor(script: PeerScript) {
    this.script = script;
  }

  /** Whether it has what it needs; nothing is known of that before it was told. */
  get isMet(): boolean {
    return this.#isMet;
  }

  /** From now on it has what it needs, or no longer. */
  tell(isMet: boolean, nowMs: number): void {
    if (isMet === this.#isMet) return;
    this.#isMet = isMet;
    for (const turns of this.#turns) turns.add(isMet, nowMs);
    for (const listener of this.#listeners) listener();
  }

  /** Answers to probes, which fail while something is missing. @param runningMs - when the process began to run */
  among(answers: RunAnswers, runningMs: number): RunAnswers {
    const needing = (then: AnswerTimeline): AnswerTimeline => {
      const turns = new NeedTurns(runningMs, then);
      this.#turns.push(turns);
      return turns;
    };
    return {
      ...answers,
      readiness: needing(answers.readiness),
      ...(this.script.failsLiveness === true ? { liveness: needing(answers.liveness) } : {}),
      listen: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }
}

/** One moment at which something changed. */
interface Turn {
  readonly fromMs: number;
  readonly isMet: boolean;
}

/** Failures while something is missing, else what the application answers by itself. */
class NeedTurns implements AnswerTimeline {
  readonly #then: AnswerTimeline;
  /** In order of time; the first one counts for what was before it, too. */
  readonly #turns: Turn[];

  constructor(runningMs: number, then: AnswerTimeline) {
    this.#then = then;
    this.#turns = [{ fromMs: runningMs, isMet: false }];
  }

  get script(): AnswerTimeline['script'] {
    return this.#then.script;
  }

  add(isMet: boolean, fromMs: number): void {
    if (this.#turns.at(-1)?.fromMs === fromMs) this.#turns.pop();
    this.#turns.push({ fromMs, isMet });
  }

  at(ms: number): AnswerSpan {
    const index = this.#turns.findLastIndex(({ fromMs }) => fromMs <= ms);
    const untilMs = this.#turns[index + 1]?.fromMs ?? Infinity;
    if (this.#turns[Math.max(index, 0)]?.isMet !== true) return { answer: 'failing', untilMs };
    const span = this.#then.at(ms);
    return { answer: span.answer, untilMs: Math.min(untilMs, span.untilMs) };
  }

  forgetBefore(ms: number): void {
    const index = this.#turns.findLastIndex(({ fromMs }) => fromMs <= ms);
    if (index > 0) this.#turns.splice(0, index);
    this.#then.forgetBefore(ms);
  }
}
