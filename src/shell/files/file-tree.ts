/**
 * The files that one container sees: its image's, with volumes mounted over them. It resolves paths and holds what the
 * permissions of a user allow; it knows nothing of processes. Mirrors what Linux does for them.
 */
import { FileError } from './file-error.js';
import { contentOf, newDirectory, newFile, newLink, type Directory, type FileNode } from './file-node.js';

/** Whose rights are asked for. */
export interface Credentials {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** Something that is seen at another place than its own. */
export interface Mount {
  readonly node: FileNode;
  readonly isReadOnly: boolean;
  /** What is mounted, as /proc/mounts names it. */
  readonly type: string;
}

/** Where a path leads. */
export interface Place {
  /** Absolute, without links. */
  readonly path: string;
  readonly node: FileNode | undefined;
  /** The directory that it is in; of `/` itself. */
  readonly parent: Directory;
  readonly name: string;
  readonly isReadOnly: boolean;
  /** The type of the file system that it lies on. */
  readonly fileSystem: string;
}

export const ROOT: Credentials = { uid: 0, gid: 0, groups: [] };

const MOST_LINKS = 40;
/** What a container may write in all, bytes: more has no place in a simulation. */
const MOST_BYTES = 64 * 1024 * 1024;

const READ = 4;
const WRITE = 2;
const ENTER = 1;

/** See the file header. */
export class FileTree {
  readonly root: Directory;
  readonly mounts = new Map<string, Mount>();
  readonly #nowMs: () => number;
  readonly #isReadOnlyRoot: boolean;
  #writtenBytes = 0;

  constructor(root: Directory, nowMs: () => number, isReadOnlyRoot = false) {
    this.root = root;
    this.#nowMs = nowMs;
    this.#isReadOnlyRoot = isReadOnlyRoot;
  }

  /** Shows a node at a path; what is missing on the way is made, as a container runtime does. */
  mount(path: string, mount: Mount): void {
    const absolute = normalPath(path, '/');
    const names = absolute.split('/').filter((name) => name !== '');
    const last = names.pop();
    let walked = '';
    for (const name of names) {
      walked = `${walked}/${name}`;
      this.#ensure(walked, () => newDirectory());
    }
    if (last !== undefined) {
      this.#ensure(absolute, () => (mount.node.kind === 'directory' ? newDirectory() : newFile('')));
    }
    this.mounts.set(this.locate(absolute, ROOT).path, mount);
  }

  /**
   * Finds a place; the last name of its path may be missing.
   *
   * @param isFollowed - whether a link at the end is followed
   * @throws FileError
   */
  locate(path: string, who: Credentials, isFollowed = true): Place {
    return this.#walk(path, who, isFollowed, 0);
  }

  /** @throws FileError ENOENT */
  find(path: string, who: Credentials, isFollowed = true): Place & { readonly node: FileNode } {
    const place = this.locate(path, who, isFollowed);
    if (place.node === undefined) throw new FileError('ENOENT');
    return { ...place, node: place.node };
  }

  /** @throws FileError */
  read(path: string, who: Credentials): string {
    const { node } = this.find(path, who);
    if (node.kind === 'directory') throw new FileError('EISDIR');
    if (!isAllowed(node, who, READ)) throw new FileError('EACCES');
    return node.kind === 'file' ? contentOf(node) : '';
  }

  /** The entries of a directory by name. @throws FileError */
  list(path: string, who: Credentials): readonly string[] {
    const { node } = this.find(path, who);
    if (node.kind !== 'directory') throw new FileError('ENOTDIR');
    if (!isAllowed(node, who, READ)) throw new FileError('EACCES');
    return [...node.entries.keys()].sort();
  }

  /**
   * A file that is to be written: the one that is there, or a new one.
   *
   * @throws FileError
   */
  openForWriting(path: string, who: Credentials, umask: number): FileNode {
    const place = this.locate(path, who);
    const { node } = place;
    if (node === undefined) {
      const file = newFile('', { mode: 0o666 & ~umask, uid: who.uid, gid: who.gid, changedMs: this.#nowMs() });
      this.add(place, file, who);
      return file;
    }
    if (node.kind === 'directory') throw new FileError('EISDIR');
    if (node.kind === 'device') return node;
    if (place.isReadOnly) throw new FileError('EROFS');
    if (!isAllowed(node, who, WRITE)) throw new FileError('EACCES');
    return node;
  }

  /** Writes a whole file. @throws FileError */
  write(path: string, content: string, who: Credentials, umask = 0o022): FileNode {
    const node = this.openForWriting(path, who, umask);
    if (node.kind === 'file') this.setContent(node, content);
    return node;
  }

  /** @throws FileError ENOSPC */
  setContent(node: FileNode, content: string): void {
    if (node.kind !== 'file' || node.compute !== undefined) return;
    const growth = content.length - node.content.length;
    if (growth > 0 && this.#writtenBytes + growth > MOST_BYTES) throw new FileError('ENOSPC');
    this.#writtenBytes += growth;
    node.content = content;
    node.changedMs = this.#nowMs();
  }

  /** Puts a node where nothing is. @throws FileError */
  add({ node, parent, name, isReadOnly }: Place, added: FileNode, who: Credentials): void {
    if (node !== undefined) throw new FileError('EEXIST');
    if (isReadOnly) throw new FileError('EROFS');
    if (!isAllowed(parent, who, WRITE)) throw new FileError('EACCES');
    // A directory with the set-group-ID bit hands its group on.
    if ((parent.mode & 0o2000) !== 0) {
      added.gid = parent.gid;
      if (added.kind === 'directory') added.mode |= 0o2000;
    }
    parent.entries.set(name, added);
    parent.changedMs = this.#nowMs();
  }

  /** @throws FileError */
  makeDirectory(path: string, who: Credentials, mode: number): void {
    const place = this.locate(path.replace(/(?<=.)\/+$/, ''), who, false);
    this.add(place, newDirectory({ mode, uid: who.uid, gid: who.gid, changedMs: this.#nowMs() }), who);
  }

  /** @throws FileError */
  makeLink(target: string, path: string, who: Credentials): void {
    this.add(this.locate(path, who, false), newLink(target, { ...who, changedMs: this.#nowMs() }), who);
  }

  /** Takes a node away; a directory must be empty. @throws FileError */
  remove(path: string, who: Credentials): void {
    const place = this.find(path, who, false);
    const { node, parent, name } = place;
    if (this.mounts.has(place.path) || place.path === '/') throw new FileError('EBUSY');
    if (place.isReadOnly) throw new FileError('EROFS');
    if (!isAllowed(parent, who, WRITE) || !isStickyAllowed(parent, node, who)) throw new FileError('EACCES');
    if (node.kind === 'directory' && node.entries.size > 0) throw new FileError('ENOTEMPTY');
    if (node.kind === 'file') this.#writtenBytes -= node.content.length;
    parent.entries.delete(name);
    parent.changedMs = this.#nowMs();
  }

  /** @throws FileError */
  rename(from: string, to: string, who: Credentials): void {
    const source = this.find(from, who, false);
    if (source.isReadOnly) throw new FileError('EROFS');
    if (!isAllowed(source.parent, who, WRITE)) throw new FileError('EACCES');
    const target = this.locate(to, who, false);
    if (target.node !== undefined) target.parent.entries.delete(target.name);
    this.add({ ...target, node: undefined }, source.node, who);
    if (source.parent !== target.parent || source.name !== target.name) source.parent.entries.delete(source.name);
  }

  #ensure(path: string, make: () => FileNode): void {
    const place = this.locate(path, ROOT);
    if (place.node === undefined) place.parent.entries.set(place.name, make());
  }

  #walk(path: string, who: Credentials, isFollowed: boolean, links: number): Place {
    if (links > MOST_LINKS) throw new FileError('ELOOP');
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    const rootMount = this.mounts.get('/');
    let place: Place = {
      path: '/',
      node: rootMount?.node ?? this.root,
      parent: this.root,
      name: '',
      isReadOnly: rootMount?.isReadOnly ?? this.#isReadOnlyRoot,
      fileSystem: rootMount?.type ?? 'overlay',
    };
    const above: Place[] = [];
    for (const [index, name] of names.entries()) {
      const isLast = index === names.length - 1;
      const { node } = place;
      if (node === undefined) throw new FileError('ENOENT');
      if (node.kind !== 'directory') throw new FileError('ENOTDIR');
      if (name === '..') {
        place = above.pop() ?? place;
        continue;
      }
      if (!isAllowed(node, who, ENTER)) throw new FileError('EACCES');
      above.push(place);
      place = this.#step(place, node, name);
      if (place.node?.kind !== 'link' || (isLast && !isFollowed)) continue;
      const { target } = place.node;
      const rest = names.slice(index + 1).join('/');
      const base = target.startsWith('/') ? target : `${above.at(-1)?.path ?? ''}/${target}`;
      return this.#walk(`${base}/${rest}`, who, isFollowed, links + 1);
    }
    return place;
  }

  #step(above: Place, directory: Directory, name: string): Place {
    const path = above.path === '/' ? `/${name}` : `${above.path}/${name}`;
    const mount = this.mounts.get(path);
    return {
      path,
      node: mount?.node ?? directory.entries.get(name),
      parent: directory,
      name,
      isReadOnly: mount?.isReadOnly ?? above.isReadOnly,
      fileSystem: mount?.type ?? above.fileSystem,
    };
  }
}

/** Whether the bits of a node allow something; 4 = read, 2 = write, 1 = execute or enter. */
export function isAllowed({ kind, mode, uid, gid }: FileNode, who: Credentials, wanted: number): boolean {
  if (who.uid === 0) return wanted !== ENTER || kind === 'directory' || (mode & 0o111) !== 0;
  if (who.uid === uid) return ((mode >> 6) & wanted) === wanted;
  if (who.gid === gid || who.groups.includes(gid)) return ((mode >> 3) & wanted) === wanted;
  return (mode & wanted) === wanted;
}

/** From a directory with the sticky bit a user removes only what the user owns. */
function isStickyAllowed(parent: Directory, node: FileNode, who: Credentials): boolean {
  return (parent.mode & 0o1000) === 0 || who.uid === 0 || who.uid === node.uid || who.uid === parent.uid;
}

/** An absolute path without `.` and `..`, seen from a directory. */
export function normalPath(path: string, directory: string): string {
  const names: string[] = [];
  for (const name of (path.startsWith('/') ? path : `${directory}/${path}`).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}
