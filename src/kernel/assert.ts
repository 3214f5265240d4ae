/** A broken assumption of the program itself: never a user's mistake, never caught by product code. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * Stops the run when `condition` does not hold. On in production.
 *
 * @param message - what was expected, of which object, and what was found
 * @throws {@link InvariantError}
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
