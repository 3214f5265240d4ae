import { runProgram } from '../../src/cli/program.js';
import type { Outcome } from './command.js';

/** Each run of the program listens for signals and for errors of its streams. */
for (const listened of [process, process.stdout, process.stderr]) listened.setMaxListeners(0);

/**
 * Runs `kubeloom` with these arguments in this thread, for what ends before anything is played: a process of its own
 * takes a hundred times as long. Not for two at a time.
 */
export async function inThisThread(...args: readonly string[]): Promise<Outcome> {
  const told = { stdout: '', stderr: '' };
  const restore = (['stdout', 'stderr'] as const).map((name) => {
    const stream = process[name];
    const write = stream.write.bind(stream);
    stream.write = (text: string | Uint8Array): boolean => {
      told[name] += typeof text === 'string' ? text : Buffer.from(text).toString();
      return true;
    };
    return (): void => void (stream.write = write);
  });
  try {
    return { status: await runProgram(args), ...told };
  } finally {
    for (const each of restore) each();
  }
}
