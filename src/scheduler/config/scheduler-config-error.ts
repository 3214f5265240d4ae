/** A scheduler configuration that cannot be used: a user's mistake, reported in one line before anything has happened. */
export class SchedulerConfigError extends Error {
  override readonly name = 'SchedulerConfigError';

  constructor(
    /** Where the configuration came from, such as the name of its file. */
    readonly source: string,
    /** Everything that is wrong, each with its path, such as `parallelism: Invalid value: 0: …`. */
    readonly problems: readonly string[],
    /** Where each of them stands, such as `scheduler.yaml:4`. */
    positions: readonly string[] = [],
  ) {
    const isPlaced = positions.some((position) => position !== source);
    const texts = problems.map((problem, index) => `${positions[index] ?? source}: ${problem}`);
    super(isPlaced ? texts.join('; ') : `${source}: ${problems.join('; ')}`);
  }
}
