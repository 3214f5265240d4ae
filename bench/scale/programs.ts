/** Programs of a build, which are run in the process that measures. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Build, Laps } from './scale-case.js';

/** `kubeloom` with these arguments, from the first line of the program to its end. */
export async function commandLine(build: Build, laps: Laps, args: readonly string[]): Promise<string | undefined> {
  const { bin } = JSON.parse(readFileSync(path.join(build.folder, 'package.json'), 'utf8')) as {
    readonly bin: { readonly kubeloom: string };
  };
  return runProgram(path.join(build.folder, bin.kubeloom), args, laps);
}

/** A scene of `npm run scenes`, as the build has it. */
export async function scene(build: Build, laps: Laps, name: string): Promise<string | undefined> {
  return runProgram(path.join(build.folder, 'dist/bench/scenes/main.js'), [name], laps);
}

async function runProgram(file: string, args: readonly string[], laps: Laps): Promise<string | undefined> {
  const { stdout, argv } = process;
  const write = stdout.write.bind(stdout);
  let text = '';
  stdout.write = (chunk: unknown) => {
    text += String(chunk);
    return true;
  };
  process.argv = [...argv.slice(0, 1), file, ...args];
  laps.restart();
  try {
    await import(pathToFileURL(file).href);
  } finally {
    stdout.write = write;
    process.argv = argv;
  }
  laps.end('run', 1);
  if (process.exitCode !== undefined && process.exitCode !== 0) throw new Error(`${file} ${args.join(' ')} failed`);
  return /"traceHash":"([0-9a-f]+)"|trace ([0-9a-f]{64})/
    .exec(text)
    ?.slice(1)
    .find((hash) => hash !== undefined);
}
