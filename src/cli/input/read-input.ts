import { accessSync, constants, readFileSync } from 'node:fs';
import { UsageError } from './usage-error.js';

/** The text of a file that an option names. @throws UsageError that names the option and the file */
export function readInput(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${flag}: cannot read ${file}: ${fileProblem(error)}`);
  }
}

/** A file or a folder that an option names is there. @throws UsageError that names the option and the path */
export function checkThere(flag: string, path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new UsageError(`${flag}: cannot read ${path}: ${fileProblem(error)}`);
  }
}

/** Why a file cannot be read or written, in a few words. */
export function fileProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'EACCES') return 'permission denied';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'it is no directory';
  if (code === 'EROFS') return 'the file system is read-only';
  if (code === 'ENOSPC') return 'no space is left';
  return error instanceof Error ? error.message : String(error);
}
