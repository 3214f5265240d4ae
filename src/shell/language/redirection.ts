/** Redirections: what a descriptor stands for while a command runs. */
import type { Redirection } from 'unbash';
import { FileError } from '../files/file-error.js';
import { openText } from '../processes/open-file.js';
import type { Running } from '../processes/process.js';
import { ExpansionError, expandParts, expandText, type ExpansionScope } from './expansion.js';
import { unquotePattern } from './pattern.js';

/** @throws FileError */
export function* redirect(redirection: Redirection, scope: ExpansionScope): Running<void> {
  const { process, state } = scope;
  const { descriptor } = redirection;
  if (descriptor?.type === 'FileDescriptorVariable') throw new ExpansionError('syntax error: bad redirection');
  if (redirection.type === 'HereDoc') {
    const { body, delimiter, operator } = redirection;
    const isRaw = delimiter?.quoted === true || body.parts === undefined;
    const text = isRaw ? body.text : unquotePattern(yield* expandParts(body.parts ?? [], scope, true));
    return process.attach(descriptor?.value ?? 0, openText(operator === '<<-' ? text.replaceAll(/^\t+/gm, '') : text));
  }
  const target = redirection.target === undefined ? '' : yield* expandText(redirection.target, scope);
  if (redirection.type === 'HereString') return process.attach(descriptor?.value ?? 0, openText(`${target}\n`));
  const { operator } = redirection;
  const fd = descriptor?.value ?? (operator.startsWith('<') ? 0 : 1);
  if (operator === '>&' || operator === '<&') {
    if (target === '-') return process.detach(fd);
    if (/^\d+$/.test(target)) {
      const file = process.open.get(Number(target));
      if (file === undefined) throw new FileError('EBADF');
      return process.attach(fd, file);
    }
  }
  const how =
    operator === '<' ? 'read' : operator.endsWith('>>') ? 'append' : operator === '<>' ? 'read and write' : 'write';
  try {
    if (operator === '>' && state.options.has('C') && exists(target, scope)) throw new FileError('EEXIST');
    const file = process.openFile(target, how);
    process.attach(fd, file);
    if (operator.startsWith('&') || (operator === '>&' && descriptor === undefined)) process.attach(2, file);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const doing = how === 'read' ? "can't open" : "can't create";
    const why = error.code === 'ENOENT' ? (how === 'read' ? 'no such file' : 'nonexistent directory') : error.message;
    throw new RedirectionError(error.code, `${doing} ${target}: ${why}`);
  }
}

/** A file that cannot be opened, in the shell's words. */
class RedirectionError extends FileError {
  constructor(code: FileError['code'], message: string) {
    super(code);
    this.message = message;
  }
}

function exists(path: string, { process }: ExpansionScope): boolean {
  return process.tree.locate(process.path(path), process.user).node?.kind === 'file';
}
