import { EngineLoop } from './engine-loop.js';

/** Simulated time that jumps from entry to entry: as fast as the machine can. */
export class VirtualClock extends EngineLoop {
  #nowMs = 0;

  override now(): number {
    return this.#nowMs;
  }

  protected override reach(dueMs: number): true {
    if (dueMs > this.#nowMs && dueMs < Number.MAX_SAFE_INTEGER) this.#nowMs = dueMs;
    return true;
  }
}
