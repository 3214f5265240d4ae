import type { Clock } from './clock.js';
import type { Timestamps } from '../timestamps.js';

/** The clock was put forward or back. */
interface Step {
  readonly fromMs: number;
  readonly skewMs: number;
  /** Told each time that it makes a difference. */
  readonly onUsed: () => void;
}

const NO_STEPS: readonly Step[] = [];

/**
 * A party's own wall clock, which may be wrong: what it stamps, and what it takes the timestamps of others for. The
 * engine's time goes on for it as for all others, so that durations are right whatever its clock shows. What
 * was stamped before a change stays as it was.
 */
export class WallClock implements Timestamps {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #right: Timestamps;
  /** Of the machine that the party is a part of, if it has a clock of its own. */
  readonly #machine: WallClock | undefined;
  #steps: readonly Step[] = NO_STEPS;

  /** @param right - what a clock without skew shows */
  constructor(clock: Pick<Clock, 'now'>, right: Timestamps, machine?: WallClock) {
    this.#clock = clock;
    this.#right = right;
    this.#machine = machine;
  }

  /**
   * Puts the clock so much forward, or back where it is less than 0, of the right time, from now on.
   *
   * @param onUsed - told each time that something is stamped or read by it
   */
  set(skewMs: number, onUsed: () => void): void {
    this.#steps = [...this.#steps, { fromMs: this.#clock.now(), skewMs, onUsed }];
  }

  /** Since when the clock has been right, ms; absent = it is not. Nothing is stamped or read by it. */
  get rightSinceMs(): number | undefined {
    const { fromMs = 0, skewMs = 0 } = this.#steps.at(-1) ?? {};
    const machineMs = this.#machine === undefined ? 0 : this.#machine.rightSinceMs;
    return skewMs === 0 && machineMs !== undefined ? Math.max(fromMs, machineMs) : undefined;
  }

  /** How far the clock was ahead at a moment of the engine's time, ms; later ones are as the present is. */
  #skewMs(atMs: number): number {
    const ofMachine = this.#machine === undefined ? 0 : this.#machine.#skewMs(atMs);
    if (this.#steps.length === 0) return ofMachine;
    const step = this.#steps.findLast(({ fromMs }) => fromMs <= atMs);
    if (step === undefined || step.skewMs === 0) return ofMachine;
    step.onUsed();
    return step.skewMs + ofMachine;
  }

  toTime(nowMs: number): string {
    return this.#right.toTime(nowMs + this.#skewMs(nowMs));
  }

  toMicroTime(nowMs: number): string {
    return this.#right.toMicroTime(nowMs + this.#skewMs(nowMs));
  }

  toMs(text: string): number {
    return this.#right.toMs(text) - this.#skewMs(this.#clock.now());
  }
}
