/** A fault that cannot be injected: a user's mistake, found before anything has happened. */
export class FaultError extends Error {
  override readonly name = 'FaultError';

  constructor(
    /** Keys from the fault to the field, such as `cut`, `node`. */
    readonly keys: readonly string[],
    /** What is wrong there, such as `must be a node, got nothing`. */
    readonly problem: string,
  ) {
    super(`${['fault', ...keys].join('.')} ${problem}`);
  }
}
