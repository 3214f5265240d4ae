/**
 * Whether a process is at work: on a machine that is busy with other things it may wait long for the processor, and is
 * quiet only to those who hear it. Linux alone says so, proc(5); elsewhere no process is ever found at work.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Whether a thread of a process, or of one that it has begun, uses the processor or waits for it. */
export function isAtWork(pid: number): boolean {
  return threadsOf(pid).some(
    (thread) =>
      isRunnable(textOf(`${thread}/stat`)) ||
      textOf(`${thread}/children`)
        .split(' ')
        .some((child) => child !== '' && isAtWork(Number(child))),
  );
}

function threadsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/task`;
  try {
    return readdirSync(folder).map((thread) => `${folder}/${thread}`);
  } catch {
    return [];
  }
}

/** The state comes after the name of the program, which stands in brackets and may have some. */
function isRunnable(stat: string): boolean {
  return stat.charAt(stat.lastIndexOf(')') + 2) === 'R';
}

/** Nothing of a file that is not there, or not any more. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
