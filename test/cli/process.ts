import { spawnSync } from 'node:child_process';
import type { Outcome } from './command.js';
import { MAIN } from './main-file.js';

/** Runs `kubeloom` with these arguments in a process of its own, as a user would. */
export function kubeloomProcess(...args: readonly string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}
