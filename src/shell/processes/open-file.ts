/** What a file descriptor stands for: a file with a place in it, an end of a pipe, something outside. */
import type { FileNode } from '../files/file-node.js';
import type { FileTree } from '../files/file-tree.js';
import { contentOf } from '../files/file-node.js';

/** What comes of looking for bytes: some, none yet, or the end. */
export type ReadResult = { readonly bytes: string } | 'nothing yet' | 'end';

/** See the file header. Several descriptors may share one; the last one closes it. */
export interface OpenFile {
  /** How many descriptors there are. */
  users: number;
  readonly isTerminal?: boolean;
  /** @param most - bytes */
  read(most: number): ReadResult;
  /** @returns whether something still listens */
  write(bytes: string): boolean;
  /** Bytes that wait for a reader. */
  readonly waiting: number;
  close(): void;
}

const WRITE_ONLY = { bytes: '' };

/** A pipe has two ends. */
export function openPipe(): { readonly reader: OpenFile; readonly writer: OpenFile } {
  let buffer = '';
  let isWriterOpen = true;
  let isReaderOpen = true;
  const reader: OpenFile = {
    users: 0,
    get waiting() {
      return buffer.length;
    },
    read(most) {
      if (buffer === '') return isWriterOpen ? 'nothing yet' : 'end';
      const bytes = buffer.slice(0, most);
      buffer = buffer.slice(bytes.length);
      return { bytes };
    },
    write: () => false,
    close() {
      isReaderOpen = false;
      buffer = '';
    },
  };
  const writer: OpenFile = {
    users: 0,
    get waiting() {
      return buffer.length;
    },
    read: () => 'end',
    write(bytes) {
      if (isReaderOpen) buffer += bytes;
      return isReaderOpen;
    },
    close() {
      isWriterOpen = false;
    },
  };
  return { reader, writer };
}

/** A place in a file. */
export function openFileNode(
  tree: FileTree,
  node: FileNode,
  mode: { readonly isAppending: boolean; readonly random: () => number },
): OpenFile {
  let offset = 0;
  return {
    users: 0,
    waiting: 0,
    read(most) {
      if (node.kind === 'device') return readDevice(node.device, most, mode.random);
      if (node.kind !== 'file') return 'end';
      const content = contentOf(node);
      if (offset >= content.length) return 'end';
      const bytes = content.slice(offset, offset + most);
      offset += bytes.length;
      return { bytes };
    },
    write(bytes) {
      if (node.kind !== 'file' || bytes === '') return true;
      const { content } = node;
      if (mode.isAppending) offset = content.length;
      const gap = offset > content.length ? '\0'.repeat(offset - content.length) : '';
      tree.setContent(node, `${content.slice(0, offset)}${gap}${bytes}${content.slice(offset + bytes.length)}`);
      offset += bytes.length;
      return true;
    },
    close: () => undefined,
  };
}

function readDevice(device: string, most: number, random: () => number): 'end' | { readonly bytes: string } {
  if (device === 'zero') return { bytes: '\0'.repeat(most) };
  if (device !== 'random') return 'end';
  let bytes = '';
  for (let count = 0; count < most; count += 1) bytes += String.fromCharCode(random() & 0xff);
  return { bytes };
}

/** Something outside takes what is written. */
export function openSink(take: (bytes: string) => void): OpenFile {
  return {
    users: 0,
    waiting: 0,
    read: () => 'end',
    write(bytes) {
      take(bytes);
      return true;
    },
    close: () => undefined,
  };
}

/** Nothing to be read, and what is written is gone. */
export function openNull(): OpenFile {
  return { users: 0, waiting: 0, read: () => 'end', write: () => true, close: () => undefined };
}

/** Bytes that are there already. */
export function openText(bytes: string): OpenFile {
  let left = bytes;
  return {
    users: 0,
    waiting: 0,
    read(most) {
      if (left === '') return 'end';
      const part = left.slice(0, most);
      left = left.slice(part.length);
      return part === '' ? WRITE_ONLY : { bytes: part };
    },
    write: () => true,
    close: () => undefined,
  };
}
