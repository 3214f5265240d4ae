/** Files of lines, a piece at a time: they may be larger than memory. */
import { closeSync, openSync, readSync } from 'node:fs';

const PIECE = 1 << 20;
const NEWLINE = 10;

/**
 * @param onLine - called with each whole line, and where it begins
 * @returns the end of the last whole line; `undefined` = there is no such file
 */
export function eachLine(path: string, onLine: (line: string, offset: number) => void): number | undefined {
  const handle = openOrAbsent(path);
  if (handle === undefined) return undefined;
  try {
    const piece = Buffer.alloc(PIECE);
    let rest = Buffer.alloc(0);
    let start = 0;
    for (let length = readSync(handle, piece); length > 0; length = readSync(handle, piece)) {
      const bytes = Buffer.concat([rest, piece.subarray(0, length)]);
      let from = 0;
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
        onLine(bytes.toString('utf8', from, at), start + from);
        from = at + 1;
      }
      rest = bytes.subarray(from);
      start += from;
    }
    return start;
  } finally {
    closeSync(handle);
  }
}

function openOrAbsent(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
