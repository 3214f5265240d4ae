import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAIN } from './main-file.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeloom-cli-'));

/** How a command of the program ended. */
export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `kubeloom` with these arguments, as a user would. */
export function kubeloom(...args: readonly string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** A file with this text, for a command to read. */
export function inputFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
