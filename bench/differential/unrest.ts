/**
 * How long the machine stood still at a stretch while a story was recorded: how late timers of this process were, and
 * how long the API server needed for a request that costs it nothing. What a busy machine does late looks like a
 * difference, and is none.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const PROBE_PERIOD_MS = 100;

/** See the file header. */
export class Unrest {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #probe: () => Promise<unknown>;
  #timer: NodeJS.Timeout | undefined;
  #slowestMs = 0;

  /** @param probe - a request that costs the server nothing */
  constructor(probe: () => Promise<unknown>) {
    this.#probe = probe;
  }

  start(): void {
    this.#delays.enable();
    const beat = async (): Promise<void> => {
      const startMs = performance.now();
      await this.#probe();
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startMs);
      if (this.#timer !== undefined) this.#timer = setTimeout(() => void beat(), PROBE_PERIOD_MS);
    };
    this.#timer = setTimeout(() => void beat(), PROBE_PERIOD_MS);
  }

  /** @returns the longest standstill, ms */
  stop(): number {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#delays.disable();
    const lateMs = Math.max(0, this.#delays.max / 1e6 - RESOLUTION_MS);
    return Math.round(Math.max(lateMs, this.#slowestMs));
  }
}
