import { mkdirSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileProblem } from './read-input.js';
import { UsageError } from './usage-error.js';

/**
 * Makes the folder where it is missing, and sees that it can be written: before a run that may be long.
 *
 * @throws UsageError that names the option and the folder
 */
export function prepareReports(flag: string, folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    rmdirSync(mkdtempSync(join(folder, '.kubeloom-')));
  } catch (error) {
    throw new UsageError(`${flag}: cannot write to ${folder}: ${fileProblem(error)}`);
  }
}

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
