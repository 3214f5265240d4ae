import { parseArgs, type ParseArgsConfig } from 'node:util';

/**
 * The options of a program of the repository; what it does not know ends it with one line and exit code 2.
 *
 * @param program - as it is called, for that line
 */
export function programOptions<const T extends ParseArgsConfig>(
  program: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    return refuseInput(program, error instanceof Error ? error.message : String(error));
  }
}

/** Ends the program: its user said what it does not take. */
export function refuseInput(program: string, problem: string): never {
  process.stderr.write(`${program}: ${problem}\n`);
  process.exit(2);
}
