/** One process of a container: what it has open, whose it is, how it ended. It runs when its table lets it. */
import { FileError } from '../files/file-error.js';
import { normalPath, type Credentials, type FileTree } from '../files/file-tree.js';
import { openFileNode, type OpenFile } from './open-file.js';
import type { Network } from './network.js';
import { SIGPIPE } from './signals.js';

/** What a process waits for; it is asked again after everything that happens. */
export interface Wait {
  /** Simulated ms. */
  readonly untilMs?: number;
  readonly isReady?: () => boolean;
}

/** A program that runs, and stops wherever it has to wait. */
export type Running<Result = number> = Generator<Wait, Result, void>;

/** Runs in a process, with its arguments, its own name first. @returns its exit code */
export type Program = (process: Process, args: readonly string[]) => Running;

/** A process ends at once, as by `exit` or a signal. */
export class ProcessExit extends Error {
  override readonly name = 'ProcessExit';
  readonly status: number;

  constructor(status: number) {
    super(`exit ${status}`);
    this.status = status;
  }
}

const CHUNK = 65_536;
/** A pipe holds that many bytes; a write of more waits for its reader. */
const PIPE_BYTES = 65_536;

/** What a process begins with. */
export interface ProcessOptions {
  readonly name: string;
  readonly args: readonly string[];
  readonly environment: Map<string, string>;
  readonly directory: string;
  readonly user: Credentials;
  readonly umask?: number;
  readonly open: ReadonlyMap<number, OpenFile>;
  /** The process that waits for it. */
  readonly parent?: Process | undefined;
  /** Signals that end others pass it by: the first process of a container. */
  readonly isInit?: boolean;
}

/** What a process knows of the table that it is in. */
export interface ProcessHost {
  readonly tree: FileTree;
  readonly hostname: string;
  readonly network: Network;
  /** By their names. */
  readonly programs: ReadonlyMap<string, Program>;
  readonly limits: { readonly stepsPerSecond: number };
  readonly nowMs: number;
  readonly all: Iterable<Process>;
  /** Steps since a process last waited. */
  steps: number;
  /** RFC 3339 time of a simulated ms. */
  toTime(ms: number): string;
  /** 32 random bits. */
  random(): number;
  /** @throws ProcessExit when there are too many already */
  spawn(options: ProcessOptions, run: (process: Process) => Running): Process;
  /** Sends a signal. @returns whether there is such a process */
  signal(pid: number, signal: number): boolean;
  /** @internal what a path is that is something outside */
  following(path: string): OpenFile | undefined;
  /** @internal a process has computed for so long that time goes on */
  tire(): Wait;
}

/** See the file header. */
export class Process {
  readonly table: ProcessHost;
  readonly pid: number;
  readonly parent: Process | undefined;
  readonly isInit: boolean;
  readonly startedMs: number;
  name: string;
  args: readonly string[];
  environment: Map<string, string>;
  directory: string;
  user: Credentials;
  umask: number;
  readonly open = new Map<number, OpenFile>();
  /** How it takes signals; absent = as usual. */
  readonly dispositions = new Map<number, 'ignore' | 'handle'>();
  /** Signals that it has asked for and has not seen yet. */
  readonly pending: number[] = [];
  /** How it ended; `undefined` = it runs. */
  status: number | undefined;
  /** @internal */
  running: Running | undefined;
  /** @internal */
  wait: Wait = {};

  constructor(table: ProcessHost, pid: number, options: ProcessOptions) {
    this.table = table;
    this.pid = pid;
    this.parent = options.parent;
    this.isInit = options.isInit ?? false;
    this.startedMs = table.nowMs;
    this.name = options.name;
    this.args = options.args;
    this.environment = options.environment;
    this.directory = options.directory;
    this.user = options.user;
    this.umask = options.umask ?? 0o022;
    for (const [fd, file] of options.open) this.attach(fd, file);
  }

  get tree(): FileTree {
    return this.table.tree;
  }

  get nowMs(): number {
    return this.table.nowMs;
  }

  get hasEnded(): boolean {
    return this.status !== undefined;
  }

  /** An absolute path. */
  path(path: string): string {
    return path.startsWith('/') ? path : `${this.directory}/${path}`;
  }

  /** Puts a descriptor in the place of another. */
  attach(fd: number, file: OpenFile): void {
    if (this.open.get(fd) === file) return;
    this.detach(fd);
    file.users += 1;
    this.open.set(fd, file);
  }

  detach(fd: number): void {
    const file = this.open.get(fd);
    if (file === undefined) return;
    this.open.delete(fd);
    file.users -= 1;
    if (file.users === 0) file.close();
  }

  closeAll(): void {
    for (const fd of [...this.open.keys()]) this.detach(fd);
  }

  /** @throws FileError */
  openFile(path: string, how: 'read' | 'write' | 'append' | 'read and write'): OpenFile {
    if (path === '') throw new FileError('ENOENT');
    const { tree, user } = this;
    const absolute = this.path(path);
    const std = /^\/dev\/(?:std(in|out|err)|fd\/(\d+))$/.exec(normalPath(absolute, '/'));
    if (std !== null) {
      const fd = std[2] === undefined ? ['in', 'out', 'err'].indexOf(std[1] ?? '') : Number(std[2]);
      const file = this.open.get(fd);
      if (file === undefined) throw new FileError('ENOENT');
      return file;
    }
    const random = (): number => this.table.random();
    if (how === 'read') {
      const { node } = tree.find(absolute, user);
      if (node.kind === 'directory') throw new FileError('EISDIR');
      // Asks for the right to read.
      tree.read(absolute, user);
      return this.table.following(absolute) ?? openFileNode(tree, node, { isAppending: false, random });
    }
    const node = tree.openForWriting(absolute, user, this.umask);
    const outer = this.table.following(absolute);
    if (outer !== undefined) return outer;
    if (how === 'write') tree.setContent(node, '');
    return openFileNode(tree, node, { isAppending: how === 'append', random });
  }

  /** Writes to a descriptor. @throws ProcessExit when nothing listens any more */
  write(fd: number, bytes: string): void {
    const file = this.open.get(fd);
    if (file === undefined) throw new FileError('EBADF');
    if (!file.write(bytes)) throw new ProcessExit(128 + SIGPIPE);
  }

  print(bytes: string): void {
    this.write(1, bytes);
  }

  complain(bytes: string): void {
    this.open.get(2)?.write(bytes);
  }

  /** Waits until its reader has taken most of what it has written. */
  *drain(): Running<void> {
    const file = this.open.get(1);
    if (file !== undefined && file.waiting > PIPE_BYTES) yield { isReady: () => file.waiting <= PIPE_BYTES };
  }

  /** The next bytes of a descriptor; `undefined` = its end. */
  *read(fd: number, most = CHUNK): Running<string | undefined> {
    const file = this.open.get(fd);
    if (file === undefined) throw new FileError('EBADF');
    for (;;) {
      const result = file.read(most);
      if (result === 'end') return undefined;
      if (typeof result === 'object') return result.bytes;
      yield { isReady: () => file.read(0) !== 'nothing yet' };
    }
  }

  /** All bytes of a descriptor. */
  *readAll(fd: number): Running<string> {
    const parts: string[] = [];
    let length = 0;
    for (;;) {
      const part = yield* this.read(fd);
      if (part === undefined) return parts.join('');
      parts.push(part);
      length += part.length;
      yield* this.spend(1);
      if (length > 64 * 1024 * 1024) throw new ProcessExit(137);
    }
  }

  *sleep(ms: number): Running<void> {
    const untilMs = this.nowMs + Math.max(0, Math.ceil(ms));
    while (this.nowMs < untilMs) yield { untilMs };
  }

  /** Accounts for steps; after many of them time goes on. */
  *spend(steps: number): Running<void> {
    this.table.steps += steps;
    if (this.table.steps >= this.table.limits.stepsPerSecond) yield this.table.tire();
  }

  /** Waits for a process that it has started. @returns its exit code */
  *await(child: Process): Running {
    while (child.status === undefined) yield { isReady: () => child.hasEnded };
    return child.status;
  }
}
