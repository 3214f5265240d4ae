/**
 * What is in a file system: directories, files, links. A node may be seen by several containers at several places, as a
 * volume is. Contents are byte strings: each character is one byte.
 */

/** What every node has. */
interface NodeFacts {
  /** Permission bits, such as 0o644. */
  mode: number;
  uid: number;
  gid: number;
  /** When it was changed last, simulated ms. */
  changedMs: number;
}

/** A file with a content, or one that is worked out whenever it is read. */
export interface FileContent extends NodeFacts {
  readonly kind: 'file';
  content: string;
  /** Takes the place of the content, such as the files of /proc. */
  readonly compute?: (() => string) | undefined;
  /** Which program it is; absent = a text. */
  readonly program?: string | undefined;
}

/** A file that stands for something else: what is written is gone, what is read has no end. */
export interface DeviceFile extends NodeFacts {
  readonly kind: 'device';
  readonly device: 'null' | 'zero' | 'random' | 'tty' | 'stdin' | 'stdout' | 'stderr';
}

/** A name for another path. */
export interface SymbolicLink extends NodeFacts {
  readonly kind: 'link';
  readonly target: string;
}

/** Entries in the order in which they were made. */
export interface Directory extends NodeFacts {
  readonly kind: 'directory';
  readonly entries: Map<string, FileNode>;
  /** What it lies on, if that is a volume. */
  volume?: Volume | undefined;
}

/** A file system of its own. */
export interface Volume {
  /** As `stat -f` names it: `tmpfs`, `ext4`. */
  readonly type: string;
}

/** See the file header. */
export type FileNode = FileContent | DeviceFile | SymbolicLink | Directory;

/** What is said of a new node beside its kind. */
export interface NodeOptions {
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly changedMs?: number;
}

const facts = ({ mode, uid = 0, gid = 0, changedMs = 0 }: NodeOptions, usual: number): NodeFacts => ({
  mode: mode ?? usual,
  uid,
  gid,
  changedMs,
});

export function newDirectory(options: NodeOptions = {}, volume?: Volume): Directory {
  return { kind: 'directory', ...facts(options, 0o755), entries: new Map(), ...(volume && { volume }) };
}

export function newFile(content: string, options: NodeOptions = {}): FileContent {
  return { kind: 'file', ...facts(options, 0o644), content };
}

export function newComputedFile(compute: () => string, options: NodeOptions = {}): FileContent {
  return { kind: 'file', ...facts(options, 0o444), content: '', compute };
}

export function newProgramFile(program: string): FileContent {
  return { kind: 'file', ...facts({}, 0o755), content: '', program };
}

export function newLink(target: string, options: NodeOptions = {}): SymbolicLink {
  return { kind: 'link', ...facts(options, 0o777), target };
}

export function newDevice(device: DeviceFile['device']): DeviceFile {
  return { kind: 'device', ...facts({}, 0o666), device };
}

/** The bytes of a file, as they are now. */
export function contentOf(file: FileContent): string {
  return file.compute === undefined ? file.content : file.compute();
}

/** How many bytes `ls` shows. */
export function sizeOf(node: FileNode): number {
  switch (node.kind) {
    case 'file':
      return contentOf(node).length;
    case 'link':
      return node.target.length;
    case 'directory':
      return 4096;
    case 'device':
      return 0;
  }
}

/** A text as bytes. */
export function bytesOf(text: string): string {
  return isPlain(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Bytes as a text. */
export function textOf(bytes: string): string {
  return isPlain(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}

function isPlain(text: string): boolean {
  return /^[\0-\u007f]*$/.test(text);
}
