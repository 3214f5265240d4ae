/** A scheduler configuration that cannot be used: a user's mistake, reported in one line before anything has happened. */
export class SchedulerConfigError extends Error {
  override readonly name = 'SchedulerConfigError';

  constructor(
    /** Where the configuration came from, such as the name of its file. */
    readonly source: string,
    /** Everything that is wrong, each with its path, such as `parallelism: Invalid value: 0: …`. */
    readonly problems: readonly string[],
  ) {
    super(`${source}: ${problems.join('; ')}`);
  }
}
