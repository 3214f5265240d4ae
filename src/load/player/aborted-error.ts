import type { RunEnd } from '../../kernel/engine/clock.js';

/** A load did not come to its end. */
export class AbortedError extends Error {
  override readonly name = 'AbortedError';

  constructor(readonly end: RunEnd) {
    super(`the load ended before its time: ${end}`);
  }
}
