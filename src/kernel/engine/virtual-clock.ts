import { InvariantError } from '../assert.js';
import type { RunEnd, RunLimits } from './clock.js';
import { EngineLoop } from './engine-loop.js';
import { InstantGuard, type InstantObserver } from './standstill.js';

/** Simulated time that jumps from entry to entry: as fast as the machine can. */
export class VirtualClock extends EngineLoop {
  #nowMs = 0;
  readonly #guard = new InstantGuard();

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

  protected override reach(dueMs: number): true {
    if (dueMs > this.#nowMs) {
      if (dueMs < Number.MAX_SAFE_INTEGER) this.#nowMs = dueMs;
      this.#guard.restart();
    } else this.#guard.check(this.#nowMs, this.heap.round);
    return true;
  }
}
