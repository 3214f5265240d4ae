import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-cli-'));

/** How a command of the program ended. */
export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Each run of the program listens for signals and for errors of its streams. */
for (const listened of [process, process.stdout, process.stderr]) listened.setMaxListeners(0);

/** The run before. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `kubeloom` with these arguments in this thread, one run after the other: a process of its own costs a second
 * for the program to be loaded and compiled. What belongs to a process (signals, pipes, standard input) is tested with
 * one: `process.ts`.
 */
export function kubeloom(...args: readonly string[]): Promise<Outcome> {
  const run = last.then(() => captured(args));
  last = run.catch(() => undefined);
  return run;
}

async function captured(args: readonly string[]): Promise<Outcome> {
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

/** A file with this text, for a command to read. */
export function inputFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
