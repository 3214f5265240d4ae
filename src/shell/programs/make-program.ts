/** How most programs are made: options are taken apart, files are opened, what goes wrong is told. */
import { FileError } from '../files/file-error.js';
import type { Process, Program, Running } from '../processes/process.js';
import { readOptions, usageProblem, type Options } from './arguments.js';

/** What a program is made of. */
export interface ProgramPlan {
  readonly name: string;
  /** As getopt has them. */
  readonly letters?: string;
  readonly long?: Readonly<Record<string, string>>;
  /** What follows the first operand are operands. */
  readonly stopsAtOperand?: boolean;
  readonly run: (process: Process, options: Options) => number | Running;
}

export function makeProgram({ name, letters = '', long = {}, stopsAtOperand = false, run }: ProgramPlan): Program {
  return function* program(process, args) {
    const options = readOptions(args, letters, long, stopsAtOperand);
    if (options.unknown !== undefined) {
      process.complain(usageProblem(name, options.unknown));
      return 1;
    }
    try {
      const result = run(process, options);
      return typeof result === 'number' ? result : yield* result;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      process.complain(`${name}: ${error.message}\n`);
      return 1;
    }
  };
}

/** Does something with each operand; what goes wrong with one does not keep it from the others. */
export function forEachFile(
  process: Process,
  name: string,
  paths: readonly string[],
  act: (path: string) => void,
  problemOf: (path: string, error: FileError) => string = (path, error) => `${path}: ${error.message}`,
): number {
  let status = 0;
  for (const path of paths) {
    try {
      act(path);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      process.complain(`${name}: ${problemOf(path, error)}\n`);
      status = 1;
    }
  }
  return status;
}

/** The content of each operand, or of the input where there is none; those that cannot be read are told of. */
export function* readEach(
  process: Process,
  name: string,
  paths: readonly string[],
  use: (content: string, path: string) => void,
): Running {
  let status = 0;
  for (const path of paths.length === 0 ? ['-'] : paths) {
    try {
      if (path === '-') use(yield* process.readAll(0), path);
      else {
        const file = process.openFile(path, 'read');
        let content = '';
        for (let part = file.read(65_536); typeof part === 'object'; part = file.read(65_536)) {
          content += part.bytes;
          yield* process.spend(1);
          if (content.length > 16 * 1024 * 1024) break;
        }
        use(content, path);
      }
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      process.complain(
        `${name}: ${name === 'cat' ? "can't open " : ''}${name === 'cat' ? `'${path}'` : path}: ${error.message}\n`,
      );
      status = 1;
    }
  }
  return status;
}

/** Lines without their ends; a last line may lack one. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
