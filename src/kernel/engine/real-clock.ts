/**
 * Simulated time tied to the host's monotonic clock by a speed factor. It goes on while a run is under way and
 * stands still between runs and while something is held, so that what a program does meanwhile takes no
 * simulated time.
 */
import { EngineLoop } from './engine-loop.js';
import type { Timer } from './clock.js';
import { HOST_CLOCK, type HostClock } from './host-clock.js';

/** Longest single sleep; longer waits are sliced, because host timers overflow past 2^31 ms. */
const LONGEST_SLEEP_MS = 60_000;

/** See the file header. */
export class RealClock extends EngineLoop {
  #speed: number;
  readonly #host: HostClock;
  /** When simulated time 0 would have been by the host's clock; absent until the run that is under way begins to move. */
  #startedAtMs: number | undefined;
  #nowMs = 0;
  #wake: (() => void) | undefined;
  #sleepsUntilMs = 0;

  /** @param speed - seconds of simulated time per real second, > 0 */
  constructor(speed: number, host: HostClock = HOST_CLOCK) {
    super();
    this.#speed = speed;
    this.#host = host;
  }

  override setSpeed(speed: number): void {
    // What is left of a sleep is measured anew, from the present on.
    this.now();
    this.#speed = speed;
    this.#startedAtMs = undefined;
    this.#wake?.();
  }

  /**
   * Inside a tick: the tick's own time. Between ticks: how far real time has come, but never past an
   * entry that is due and has not run yet.
   */
  override now(): number {
    if (this.#wake !== undefined)
      this.#nowMs = Math.max(this.#nowMs, Math.min(this.#sleepsUntilMs, Math.floor(this.#elapsedMs())));
    return this.#nowMs;
  }

  get lagMs(): number {
    const dueMs = this.heap.peekDueMs();
    return this.#startedAtMs === undefined || dueMs === undefined ? 0 : Math.max(0, this.#elapsedMs() - dueMs);
  }

  protected override onScheduled(timer: Timer): void {
    if (timer.dueMs < this.#sleepsUntilMs) this.#wake?.();
  }

  protected override onGo(): void {
    this.#startedAtMs = undefined;
  }

  protected override wake(): void {
    this.#wake?.();
  }

  protected override waitsForInput(): boolean {
    return true;
  }

  protected override awaitInput(signal: AbortSignal | undefined): Promise<unknown> {
    return this.reach(Number.MAX_SAFE_INTEGER, signal);
  }

  protected override isDue(dueMs: number): boolean {
    return this.#elapsedMs() >= dueMs;
  }

  protected override async reach(dueMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    const waitMs = (dueMs - this.#elapsedMs()) / this.#speed;
    if (waitMs > 0 && !(await this.#sleep(Math.min(waitMs, LONGEST_SLEEP_MS), dueMs, signal))) {
      this.#nowMs = Math.max(this.#nowMs, Math.min(dueMs, Math.floor(this.#elapsedMs())));
      return false;
    }
    if (dueMs > this.#nowMs) this.pass(dueMs);
    this.#nowMs = Math.max(this.#nowMs, dueMs);
    return true;
  }

  override dispose(): void {
    super.dispose();
    this.#wake?.();
  }

  #elapsedMs(): number {
    const hostMs = this.#host.nowMs();
    this.#startedAtMs ??= hostMs - this.#nowMs / this.#speed;
    return (hostMs - this.#startedAtMs) * this.#speed;
  }

  /** Sleeps for real; `true` when the due time was reached, `false` when woken before. */
  #sleep(waitMs: number, dueMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (this.isDisposed || signal?.aborted === true) return Promise.resolve(false);
    this.#sleepsUntilMs = dueMs;
    return new Promise((resolve) => {
      const end = (isReached: boolean): void => {
        cancel();
        signal?.removeEventListener('abort', wake);
        this.#wake = undefined;
        this.#sleepsUntilMs = 0;
        resolve(isReached);
      };
      const wake = (): void => end(false);
      const cancel = this.#host.after(Math.ceil(waitMs), () => end(this.#elapsedMs() >= dueMs));
      signal?.addEventListener('abort', wake);
      this.#wake = wake;
    });
  }
}
