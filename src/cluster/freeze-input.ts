/**
 * Freezes what a user hands in, all the way down: objects are shared, not copied, so a later change
 * to the user's own would change the cluster behind its back. Now it throws in the user's code.
 */
export function freezeInput<T>(input: T): T {
  if (typeof input !== 'object' || input === null || Object.isFrozen(input)) return input;
  Object.freeze(input);
  for (const key in input) freezeInput(input[key]);
  return input;
}
