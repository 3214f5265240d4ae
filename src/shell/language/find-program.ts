/** Finds what a command names and runs it in a process: a program, or a script with `#!` or without. */
import { FileError } from '../files/file-error.js';
import { contentOf } from '../files/file-node.js';
import { isAllowed } from '../files/file-tree.js';
import type { Process, Program, Running } from '../processes/process.js';

const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const USUAL_PATH = '/sbin:/usr/sbin:/bin:/usr/bin';

/** What a command comes to. */
export type Found =
  | { readonly path: string; readonly program: Program }
  | { readonly path: string; readonly script: string }
  | { readonly problem: string; readonly status: number };

/** @param searched - directories with a colon between each */
export function findProgram(process: Process, name: string, searched = USUAL_PATH): Found {
  if (name.includes('/')) return programAt(process, name);
  let refused: Found | undefined;
  for (const directory of name === '' ? [] : searched.split(':')) {
    const found = programAt(process, `${directory === '' ? '.' : directory}/${name}`);
    if (!('problem' in found)) return found;
    if (found.status === NOT_EXECUTABLE) refused ??= found;
  }
  return refused ?? { problem: 'not found', status: NOT_FOUND };
}

/** Runs what was found, in a process that has its arguments already. */
export function runFound(process: Process, found: Found, args: readonly string[]): Running {
  if ('program' in found) return found.program(process, args);
  const shell = process.table.programs.get('sh');
  if ('problem' in found || shell === undefined) throw new FileError('ENOENT');
  return shell(process, ['sh', found.path, ...args.slice(1)]);
}

function programAt(process: Process, path: string): Found {
  const { tree, user, table } = process;
  try {
    const { node } = tree.find(process.path(path), user);
    if (node.kind !== 'file' || !isAllowed(node, user, 1))
      return { problem: 'Permission denied', status: NOT_EXECUTABLE };
    if (node.program === undefined) return { path, script: contentOf(node) };
    const program = table.programs.get(node.program);
    return program === undefined ? { problem: 'not found', status: NOT_FOUND } : { path, program };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code === 'EACCES') return { problem: 'Permission denied', status: NOT_EXECUTABLE };
    return { problem: 'not found', status: NOT_FOUND };
  }
}
