import { InvariantError } from '../assert.js';
import type { RunEnd, RunLimits } from './clock.js';
import { EngineLoop } from './engine-loop.js';
import { InstantGuard, type InstantObserver } from './standstill.js';

/** Simulated time that jumps from entry to entry: as fast as the machine can. */
export class VirtualClock extends EngineLoop {
  #nowMs = 0;
  readonly #guard = new InstantGuard();
  /** Ends the wait for input. */
  #wake: (() => void) | undefined;

  readonly lagMs = 0;

  override now(): number {
    return this.#nowMs;
  }

  override setSpeed(_speed: number): never {
    throw new InvariantError('virtual time has no speed');
  }

  override run(limits?: RunLimits): Promise<RunEnd> {
    this.heap.restartRounds();
    this.#guard.restart();
    return super.run(limits);
  }

  override observeInstants(observer: InstantObserver): void {
    this.#guard.observe(observer);
  }

  protected override onScheduled(): void {
    this.#wake?.();
  }

  protected override wake(): void {
    this.#wake?.();
  }

  override dispose(): void {
    super.dispose();
    this.#wake?.();
  }

  protected override awaitInput(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        signal?.removeEventListener('abort', end);
        this.#wake = undefined;
        resolve();
      };
      signal?.addEventListener('abort', end);
      this.#wake = end;
    });
  }

  protected override isDue(): boolean {
    return true;
  }

  protected override reach(dueMs: number): true {
    if (dueMs > this.#nowMs) {
      if (dueMs < Number.MAX_SAFE_INTEGER) {
        this.pass(dueMs);
        this.#nowMs = dueMs;
      }
      this.#guard.restart();
    } else this.#guard.check(this.#nowMs, this.heap.round);
    return true;
  }
}
