/**
 * The child process of one case, so that memory and compiled code of one do not count for another: the
 * case comes as JSON in the first argument, the result goes to standard output. Exit code 1 when pods that
 * must be scheduled are not, 2 for input that cannot be used, with one line on standard error.
 */
import type { BenchCase } from '../src/cli/bench/bench-result.js';
import { userMessage } from '../src/cli/input/usage-error.js';
import { UnmetBarrierError } from './full-path/run-until.js';
import { runCase } from './run-case.js';

try {
  const result = await runCase(JSON.parse(process.argv[2] ?? '') as BenchCase);
  process.stdout.write(JSON.stringify(result));
} catch (error) {
  const message = error instanceof UnmetBarrierError ? error.message : userMessage(error);
  if (message === undefined) throw error;
  process.stderr.write(`${message}\n`);
  process.exitCode = error instanceof UnmetBarrierError ? 1 : 2;
}
