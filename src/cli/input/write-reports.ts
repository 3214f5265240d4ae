import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileProblem } from './read-input.js';
import { UsageError } from './usage-error.js';

/** Writes files into a folder, which is made where it is missing. @throws UsageError that names the option and the folder */
export function writeReports(
  flag: string,
  folder: string,
  files: readonly { readonly name: string; readonly text: string }[],
): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
  } catch (error) {
    throw new UsageError(`${flag}: cannot write to ${folder}: ${fileProblem(error)}`);
  }
}
