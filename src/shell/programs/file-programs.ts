/** Programs that make, move, change and show files. */
import { FileError } from '../files/file-error.js';
import { newDirectory, newFile, newLink, sizeOf, type FileNode } from '../files/file-node.js';
import { normalPath } from '../files/file-tree.js';
import type { Process, Program, Running } from '../processes/process.js';
import { forEachFile, makeProgram } from './make-program.js';
import { changedMode, modeText } from './mode-text.js';

const baseName = (path: string): string =>
  path
    .replace(/(?<=.)\/+$/, '')
    .split('/')
    .at(-1) || '/';

const ls = makeProgram({
  name: 'ls',
  letters: 'laAdL1htrRnisFSp',
  *run(process, { has, operands }) {
    const { tree, user } = process;
    const paths = operands.length === 0 ? ['.'] : operands;
    const isFollowed = has('L') || !has('l');
    const line = (path: string, name: string): string => {
      const { node } = tree.find(process.path(path), user, isFollowed);
      const target = node.kind === 'link' ? ` -> ${node.target}` : '';
      if (!has('l')) return `${name}\n`;
      const links =
        node.kind === 'directory'
          ? 2 + [...node.entries.values()].filter(({ kind }) => kind === 'directory').length
          : 1;
      const owner = has('n') ? [node.uid, node.gid] : [ownerName(process, node.uid), groupName(process, node.gid)];
      const size = String(sizeOf(node)).padStart(10);
      return `${modeText(node)} ${String(links).padStart(4)} ${String(owner[0]).padEnd(8)} ${String(owner[1]).padEnd(8)} ${size} ${dateText(process, node.changedMs)} ${name}${target}\n`;
    };
    const list = (path: string): string => {
      const names = [...(has('a') ? ['.', '..'] : []), ...tree.list(process.path(path), user)].filter(
        (name) => has('a') || has('A') || !name.startsWith('.'),
      );
      if (has('t')) names.sort((a, b) => changedOf(process, `${path}/${b}`) - changedOf(process, `${path}/${a}`));
      if (has('r')) names.reverse();
      return `${has('l') ? 'total 0\n' : ''}${names.map((name) => line(`${path}/${name}`, name)).join('')}`;
    };
    const isDirectory = (path: string): boolean =>
      !has('d') && tree.find(process.path(path), user, isFollowed || !has('l')).node.kind === 'directory';
    const directories: string[] = [];
    let status = forEachFile(process, 'ls', paths, (path) => {
      if (isDirectory(path)) directories.push(path);
      else process.print(line(path, path));
    });
    for (const [index, path] of directories.entries()) {
      if (paths.length > 1 || has('R')) process.print(`${index > 0 ? '\n' : ''}${path}:\n`);
      status ||= forEachFile(
        process,
        'ls',
        [path],
        () => process.print(list(path)),
        (each, error) => `can't open '${each}': ${error.message}`,
      );
      if (!has('R')) continue;
      for (const name of tree.list(process.path(path), user)) {
        yield* process.spend(1);
        if (isDirectory(`${path}/${name}`)) directories.push(`${path}/${name}`);
      }
    }
    return status;
  },
});

function changedOf(process: Process, path: string): number {
  return process.tree.find(process.path(path), process.user, false).node.changedMs;
}

function dateText(process: Process, ms: number): string {
  const [, month = '01', day = '01', hour = '00', minute = '00'] =
    /^\d+-(\d\d)-(\d\d)T(\d\d):(\d\d)/.exec(process.table.toTime(ms)) ?? [];
  const names = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
  return `${names[Number(month) - 1] ?? ''} ${String(Number(day)).padStart(2)} ${hour}:${minute}`;
}

/** The name of a user, as /etc/passwd has it; else the number. */
export function ownerName(process: Process, uid: number): string {
  return nameIn(process, '/etc/passwd', uid);
}

/** The name of a group, as /etc/group has it; else the number. */
export function groupName(process: Process, gid: number): string {
  return nameIn(process, '/etc/group', gid);
}

function nameIn(process: Process, path: string, id: number): string {
  try {
    const lines = process.tree.read(path, process.user).split('\n');
    return lines.find((line) => line.split(':')[2] === String(id))?.split(':')[0] ?? String(id);
  } catch {
    return String(id);
  }
}

const mkdir = makeProgram({
  name: 'mkdir',
  letters: 'pm:v',
  run(process, { has, value, operands }) {
    const mode = changedMode(value('m') ?? '', 0o777) ?? 0o777 & ~process.umask;
    return forEachFile(
      process,
      'mkdir',
      operands,
      (path) => {
        const absolute = process.path(path);
        if (!has('p')) return process.tree.makeDirectory(absolute, process.user, mode);
        let walked = '';
        for (const name of normalPath(absolute, '/').split('/').slice(1)) {
          walked = `${walked}/${name}`;
          const { node } = process.tree.locate(walked, process.user);
          if (node === undefined) process.tree.makeDirectory(walked, process.user, mode);
          else if (node.kind !== 'directory') throw new FileError('EEXIST');
        }
      },
      (path, error) => `can't create directory '${path}': ${error.message}`,
    );
  },
});

const rmdir = makeProgram({
  name: 'rmdir',
  letters: 'p',
  run: (process, { operands }) =>
    forEachFile(
      process,
      'rmdir',
      operands,
      (path) => {
        if (process.tree.find(process.path(path), process.user, false).node.kind !== 'directory')
          throw new FileError('ENOTDIR');
        process.tree.remove(process.path(path), process.user);
      },
      (path, error) => `'${path}': ${error.message}`,
    ),
});

const rm = makeProgram({
  name: 'rm',
  letters: 'rRfiv',
  run(process, { has, operands }) {
    const { tree, user } = process;
    const removeAll = (path: string): void => {
      const { node } = tree.find(path, user, false);
      if (node.kind === 'directory') for (const name of [...node.entries.keys()]) removeAll(`${path}/${name}`);
      tree.remove(path, user);
    };
    return forEachFile(
      process,
      'rm',
      operands,
      (path) => {
        try {
          const { node } = tree.find(process.path(path), user, false);
          if (node.kind === 'directory' && !has('r') && !has('R')) throw new FileError('EISDIR');
          removeAll(process.path(path));
        } catch (error) {
          if (!has('f') || !(error instanceof FileError) || error.code !== 'ENOENT') throw error;
        }
      },
      (path, error) =>
        error.code === 'EISDIR' ? `'${path}' is a directory` : `can't remove '${path}': ${error.message}`,
    );
  },
});

/** Where a file goes: into the directory that is named, or under the name itself. */
function targetOf(process: Process, source: string, target: string): string {
  const { node } = process.tree.locate(process.path(target), process.user);
  return node?.kind === 'directory' ? `${process.path(target)}/${baseName(source)}` : process.path(target);
}

function copyNode(node: FileNode, process: Process): FileNode {
  const { uid, gid } = process.user;
  const options = { mode: node.mode, uid, gid, changedMs: process.nowMs };
  switch (node.kind) {
    case 'file':
      return { ...newFile(node.compute?.() ?? node.content, options), program: node.program };
    case 'link':
      return newLink(node.target, options);
    case 'device':
      return newFile('', options);
    case 'directory': {
      const copy = newDirectory(options);
      for (const [name, entry] of node.entries) copy.entries.set(name, copyNode(entry, process));
      return copy;
    }
  }
}

const cp = makeProgram({
  name: 'cp',
  letters: 'rRafpLPdiv',
  run(process, { has, operands }) {
    const { tree, user } = process;
    const target = operands.at(-1) ?? '.';
    return forEachFile(
      process,
      'cp',
      operands.slice(0, -1),
      (path) => {
        const isDeep = has('r') || has('R') || has('a');
        const { node } = tree.find(process.path(path), user, !isDeep || has('L'));
        const to = targetOf(process, path, target);
        if (node.kind === 'directory') {
          if (!isDeep) throw new FileError('EISDIR');
          const place = tree.locate(to, user);
          return tree.add(place, copyNode(node, process), user);
        }
        const content = node.kind === 'link' ? '' : tree.read(process.path(path), user);
        const existing = tree.locate(to, user);
        if (existing.node === undefined) return tree.add(existing, copyNode(node, process), user);
        tree.write(to, content, user, process.umask);
      },
      (path, error) => `can't stat '${path}': ${error.message}`,
    );
  },
});

const mv = makeProgram({
  name: 'mv',
  letters: 'fivnT',
  run(process, { operands }) {
    const target = operands.at(-1) ?? '.';
    return forEachFile(
      process,
      'mv',
      operands.slice(0, -1),
      (path) => process.tree.rename(process.path(path), targetOf(process, path, target), process.user),
      (path, error) => `can't rename '${path}': ${error.message}`,
    );
  },
});

const ln = makeProgram({
  name: 'ln',
  letters: 'sfnvT',
  run(process, { has, operands }) {
    const { tree, user } = process;
    const [source = '', target = baseName(operands[0] ?? '')] = operands;
    return forEachFile(process, 'ln', [target], (path) => {
      const to = targetOf(process, source, path);
      if (has('f') && tree.locate(to, user, false).node !== undefined) tree.remove(to, user);
      if (has('s')) tree.makeLink(source, to, user);
      else tree.add(tree.locate(to, user, false), tree.find(process.path(source), user).node, user);
    });
  },
});

const touch = makeProgram({
  name: 'touch',
  letters: 'camd:t:r:',
  run: (process, { has, operands }) =>
    forEachFile(process, 'touch', operands, (path) => {
      const place = process.tree.locate(process.path(path), process.user);
      if (place.node === undefined && has('c')) return;
      if (place.node === undefined) process.tree.write(process.path(path), '', process.user, process.umask);
      else if (place.isReadOnly) throw new FileError('EROFS');
      else place.node.changedMs = process.nowMs;
    }),
});

/** Only the owner of a file may change what it allows, and only root its owner. */
function checkOwner(process: Process, node: FileNode, isReadOnly: boolean): void {
  if (isReadOnly) throw new FileError('EROFS');
  if (process.user.uid !== 0 && process.user.uid !== node.uid) throw new FileError('EPERM');
}

function* eachBelow(process: Process, path: string, isDeep: boolean): Generator<ReturnType<Process['tree']['find']>> {
  const place = process.tree.find(path, process.user);
  yield place;
  if (!isDeep || place.node.kind !== 'directory') return;
  for (const name of place.node.entries.keys()) yield* eachBelow(process, `${path}/${name}`, isDeep);
}

const chmod = makeProgram({
  name: 'chmod',
  letters: 'Rvf',
  run(process, { has, operands }) {
    const [mode = '', ...paths] = operands;
    return forEachFile(process, 'chmod', paths, (path) => {
      for (const { node, isReadOnly } of eachBelow(process, process.path(path), has('R'))) {
        checkOwner(process, node, isReadOnly);
        const changed = changedMode(mode, node.mode);
        if (changed === undefined) throw new FileError('EINVAL');
        node.mode = changed;
      }
    });
  },
});

const chown = makeProgram({
  name: 'chown',
  letters: 'Rvfh',
  run(process, { has, operands }) {
    const [owner = '', ...paths] = operands;
    const [user = '', group] = owner.split(':');
    return forEachFile(process, 'chown', paths, (path) => {
      for (const { node, isReadOnly } of eachBelow(process, process.path(path), has('R'))) {
        if (isReadOnly) throw new FileError('EROFS');
        if (process.user.uid !== 0) throw new FileError('EPERM');
        if (user !== '') node.uid = Number(user) || 0;
        if (group !== undefined && group !== '') node.gid = Number(group) || 0;
      }
    });
  },
});

const stat = makeProgram({
  name: 'stat',
  letters: 'c:Lft',
  run: (process, { has, value, operands }) =>
    forEachFile(
      process,
      'stat',
      operands,
      (path) => {
        const { node, fileSystem } = process.tree.find(process.path(path), process.user, has('L') || has('f'));
        const kinds = {
          file: 'regular file',
          directory: 'directory',
          link: 'symbolic link',
          device: 'character special file',
        };
        const fields: Readonly<Record<string, string>> = {
          a: (node.mode & 0o7777).toString(8),
          A: modeText(node),
          u: String(node.uid),
          g: String(node.gid),
          U: ownerName(process, node.uid),
          G: groupName(process, node.gid),
          s: String(sizeOf(node)),
          n: path,
          N: path,
          F: kinds[node.kind],
          T: fileSystem,
          Y: String(Math.floor(node.changedMs / 1000)),
        };
        const format =
          value('c') ??
          (has('f')
            ? '  File: "%n"\n    Type: %T'
            : '  File: %n\n  Size: %s\t%F\nAccess: (0%a/%A)  Uid: (%u/%U)   Gid: (%g/%G)');
        process.print(
          `${format.replaceAll(/%([a-zA-Z%])/g, (all, letter: string) => (letter === '%' ? '%' : (fields[letter] ?? all)))}\n`,
        );
      },
      (path, error) => `can't stat '${path}': ${error.message}`,
    ),
});

const readlink = makeProgram({
  name: 'readlink',
  letters: 'f',
  run(process, { has, operands }) {
    for (const path of operands) {
      const { node, path: real } = process.tree.locate(process.path(path), process.user, has('f'));
      if (has('f')) process.print(`${real}\n`);
      else if (node?.kind === 'link') process.print(`${node.target}\n`);
      else return 1;
    }
    return 0;
  },
});

const mktemp = makeProgram({
  name: 'mktemp',
  letters: 'dp:t',
  run(process, { has, value, operands }) {
    const [template = `${value('p') ?? '/tmp'}/tmp.XXXXXX`] = operands;
    const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
    const path = template.replace(/X{6,}$/, (marks) =>
      marks.replaceAll('X', () => letters.charAt(process.table.random() % letters.length)),
    );
    if (has('d')) process.tree.makeDirectory(process.path(path), process.user, 0o700);
    else process.tree.write(process.path(path), '', process.user, 0o077);
    process.print(`${path}\n`);
    return 0;
  },
});

/** Sizes such as `4k` or `1M`. */
function bytesOf(text: string): number {
  const [, digits = '0', unit = ''] = /^(\d+)([kKmMgG]?)B?$/.exec(text) ?? [];
  return Number(digits) * ({ k: 1024, m: 1024 * 1024, g: 1024 * 1024 * 1024 }[unit.toLowerCase()] ?? 1);
}

function* dd(process: Process, args: readonly string[]): Running {
  const given = new Map(args.slice(1).map((arg) => [arg.slice(0, arg.indexOf('=')), arg.slice(arg.indexOf('=') + 1)]));
  const size = bytesOf(given.get('bs') ?? '512');
  const count = given.get('count') === undefined ? Infinity : Number(given.get('count'));
  const inputPath = given.get('if');
  const outputPath = given.get('of');
  try {
    const input = inputPath === undefined ? process.open.get(0) : process.openFile(inputPath, 'read');
    const output = outputPath === undefined ? process.open.get(1) : process.openFile(outputPath, 'write');
    if (input !== undefined) process.attach(3, input);
    let records = 0;
    for (; records < count; records += 1) {
      const part = yield* process.read(3, size);
      if (part === undefined) break;
      output?.write(part);
      yield* process.spend(1 + Math.ceil(size / 4096));
    }
    process.complain(`${records}+0 records in\n${records}+0 records out\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    process.complain(`dd: can't open '${inputPath ?? outputPath ?? ''}': ${error.message}\n`);
    return 1;
  }
}

const truncate = makeProgram({
  name: 'truncate',
  letters: 's:c',
  run: (process, { value, operands }) =>
    forEachFile(process, 'truncate', operands, (path) => {
      const size = bytesOf(value('s') ?? '0');
      const before = process.tree.openForWriting(process.path(path), process.user, process.umask);
      if (before.kind === 'file')
        process.tree.setContent(before, before.content.slice(0, size).padEnd(Math.min(size, 64 * 1024 * 1024), '\0'));
    }),
});

const df = makeProgram({
  name: 'df',
  letters: 'hkTPaim',
  run(process) {
    process.print('Filesystem           1K-blocks      Used Available Use% Mounted on\n');
    for (const [path, { type }] of [['/', { type: 'overlay' }] as const, ...process.tree.mounts]) {
      process.print(
        `${type.padEnd(20)} ${'10485760'.padStart(9)} ${'0'.padStart(9)} ${'10485760'.padStart(9)}   0% ${path}\n`,
      );
    }
    return 0;
  },
});

const mount = makeProgram({
  name: 'mount',
  letters: 't:o:',
  run(process, { operands }) {
    if (operands.length > 0) {
      process.complain('mount: permission denied (are you root?)\n');
      return 1;
    }
    process.print('overlay on / type overlay (rw,relatime)\n');
    for (const [path, { type, isReadOnly }] of process.tree.mounts) {
      process.print(`${type} on ${path} type ${type} (${isReadOnly ? 'ro' : 'rw'},relatime)\n`);
    }
    return 0;
  },
});

export const FILE_PROGRAMS: readonly (readonly [string, Program])[] = [
  ['ls', ls],
  ['mkdir', mkdir],
  ['rmdir', rmdir],
  ['rm', rm],
  ['unlink', rm],
  ['cp', cp],
  ['mv', mv],
  ['ln', ln],
  ['touch', touch],
  ['chmod', chmod],
  ['chown', chown],
  ['stat', stat],
  ['readlink', readlink],
  ['realpath', (process, args) => readlink(process, ['readlink', '-f', ...args.slice(1)])],
  ['mktemp', mktemp],
  ['dd', dd],
  ['truncate', truncate],
  ['df', df],
  ['mount', mount],
];
