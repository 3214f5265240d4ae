/** `sh`: a shell with a script, a command or what comes in. */
import { FileError } from '../files/file-error.js';
import { contentOf } from '../files/file-node.js';
import { openShell } from '../language/shell.js';
import type { Process, Running } from '../processes/process.js';

export function* sh(process: Process, args: readonly string[]): Running {
  const letters: string[] = [];
  let index = 1;
  let hasPipefail = false;
  for (; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '--') {
      index += 1;
      break;
    }
    if (arg === '--login' || arg === '--norc') continue;
    if (!/^[-+]./.test(arg)) break;
    letters.push(...arg.slice(1).split(''));
    if (!arg.slice(1).includes('o')) continue;
    index += 1;
    hasPipefail ||= args[index] === 'pipefail';
  }
  const rest = args.slice(index);
  const isCommand = letters.includes('c');
  const [first] = rest;
  if (isCommand && first === undefined) {
    process.complain('sh: -c requires an argument\n');
    return 2;
  }
  const name = isCommand ? (rest[1] ?? args[0] ?? 'sh') : (first ?? args[0] ?? 'sh');
  const shell = openShell(process, name, rest.slice(isCommand ? 2 : 1));
  for (const letter of letters)
    if (letter !== 'c' && letter !== 'o' && letter !== 'l' && letter !== 'i') shell.state.options.add(letter);
  shell.state.hasPipefail = hasPipefail;
  if (isCommand) return yield* shell.main(first ?? '');
  if (first !== undefined) {
    const text = scriptText(process, first);
    if (text !== undefined) return yield* shell.main(text);
    process.complain(`sh: can't open '${first}': No such file or directory\n`);
    return 2;
  }
  return yield* shell.main(yield* process.readAll(0));
}

function scriptText(process: Process, path: string): string | undefined {
  try {
    const { node } = process.tree.find(process.path(path), process.user);
    return node.kind === 'file' ? contentOf(node) : undefined;
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}
