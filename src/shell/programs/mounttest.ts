/** `agnhost mounttest`: says what it finds of files, for tests of volumes. */
import { FileError } from '../files/file-error.js';
import type { Process, Running } from '../processes/process.js';
import { modeText } from './mode-text.js';

const NEW_CONTENT = 'mount-tester new file\n';
const LOOK_MS = 2000;
const USUAL_RETRY_SECONDS = 180;

export function* mounttest(process: Process, flags: ReadonlyMap<string, string>): Running {
  process.umask = 0;
  let status = 0;
  const attempt = (
    path: string | undefined,
    failure: (path: string, why: string) => string,
    act: (path: string) => void,
  ): void => {
    if (path === undefined || path === '') return;
    try {
      act(path);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      process.print(failure(path, error.message));
      status = 1;
    }
  };
  const find = (path: string): ReturnType<Process['tree']['find']> =>
    process.tree.find(process.path(path), process.user);
  const readContent = (path: string): void =>
    process.print(`content of file ${quoted(path)}: ${process.tree.read(process.path(path), process.user)}\n`);

  attempt(
    flags.get('fs_type'),
    (path, why) => `error from statfs(${quoted(path)}): ${goText(why)}\n`,
    (path) => {
      process.print(`mount type of ${quoted(path)}: ${find(path).fileSystem}\n`);
    },
  );
  for (const mode of ['0644', '0666', '0660', '0777']) {
    attempt(
      flags.get(`new_file_${mode}`),
      (path, why) => `error writing new file ${quoted(path)}: open ${path}: ${goText(why)}\n`,
      (path) => {
        const isNew = process.tree.locate(process.path(path), process.user).node === undefined;
        const node = process.tree.write(process.path(path), NEW_CONTENT, process.user, 0);
        if (isNew) node.mode = Number.parseInt(mode, 8);
        readContent(path);
      },
    );
  }
  attempt(flags.get('file_mode'), notFound, (path) =>
    process.print(`mode of file ${quoted(path)}: ${goMode(find(path).node)}\n`),
  );
  attempt(flags.get('file_perm'), notFound, (path) => {
    process.print(`perms of file ${quoted(path)}: ${modeText({ kind: 'file', mode: find(path).node.mode & 0o777 })}\n`);
  });
  attempt(flags.get('file_owner'), notFound, (path) => {
    const { uid, gid } = find(path).node;
    process.print(`owner UID of ${quoted(path)}: ${uid}\nowner GID of ${quoted(path)}: ${gid}\n`);
  });
  attempt(flags.get('file_content'), unread, readContent);
  const looped = flags.get('file_content_in_loop');
  if (looped === undefined || looped === '') return status;
  return (yield* readInLoop(process, looped, flags)) === 0 ? status : 1;
}

function unread(path: string, why: string): string {
  return `error reading file content for ${quoted(path)}: open ${path}: ${goText(why)}\n`;
}

function notFound(path: string, why: string): string {
  return `error from Lstat(${quoted(path)}): lstat ${path}: ${goText(why)}\n`;
}

function quoted(path: string): string {
  return JSON.stringify(path);
}

function* readInLoop(process: Process, path: string, flags: ReadonlyMap<string, string>): Running {
  const untilMs = process.nowMs + Number(flags.get('retry_time') ?? USUAL_RETRY_SECONDS) * 1000;
  const isBreaking = flags.get('break_on_expected_content') !== 'false';
  let status = 0;
  while (process.nowMs < untilMs) {
    try {
      const content = process.tree.read(process.path(path), process.user);
      status = 0;
      process.print(`content of file ${JSON.stringify(path)}: ${content}\n`);
      if (isBreaking && content === NEW_CONTENT) return 0;
      if (isBreaking) process.print(`Unexpected content. Expected: ${NEW_CONTENT}. Retrying\n`);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      status = 1;
      process.print(`Error reading file ${path}: open ${path}: ${goText(error.message)}, retrying\n`);
    }
    yield* process.sleep(LOOK_MS);
  }
  return status;
}

/** Go writes the texts of errors in small letters. */
function goText(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** As Go prints a mode: special bits come first. */
function goMode(node: { readonly kind: 'file' | 'directory' | 'link' | 'device'; readonly mode: number }): string {
  const special = `${node.kind === 'directory' ? 'd' : ''}${(node.mode & 0o4000) === 0 ? '' : 'u'}${(node.mode & 0o2000) === 0 ? '' : 'g'}${(node.mode & 0o1000) === 0 ? '' : 't'}`;
  return `${special === '' ? '-' : special}${modeText({ kind: 'file', mode: node.mode & 0o777 }).slice(1)}`;
}
