/**
 * Long YAML, as kubectl and kwokctl write it: documents one after the other, and lists whose items begin at one
 * column. It is read piece by piece, so that its length is not bounded by that of a text, nor its memory by it.
 */
import { CORE_SCHEMA, loadAll, YAMLException } from 'js-yaml';
import { ImportError } from './import-error.js';

/** A document. */
export interface LongDocument {
  readonly value: unknown;
  /** On which it begins, from 1. */
  readonly line: number;
}

const NEWLINE = 10;
const SPACE = 32;
const HASH = 35;
/** Bytes of items that are read together. */
const PIECE = 1 << 20;
const SEPARATOR = '\n---';
/** What stands before the items of a list. */
const LIST_HEAD = /^(?:[A-Za-z]+:[^\n]*\n(?: [^\n]*\n)*)*?items:[ ]*\n([ ]*)- /;
const LONGEST_HEAD = 1 << 16;

/** The documents of a text. @throws ImportError that names the line */
export function readLongYaml(bytes: Buffer, name: string): readonly LongDocument[] {
  const documents: LongDocument[] = [];
  let line = 1;
  for (const [start, end] of pieces(bytes)) {
    const reader: Reader = { bytes, name, lineAt: (offset) => line + countLines(bytes, start, offset) };
    for (const value of readDocument(reader, start, end)) documents.push({ value, line });
    if (end < bytes.length) line += countLines(bytes, start, end);
  }
  return documents;
}

interface Reader {
  readonly bytes: Buffer;
  readonly name: string;
  readonly lineAt: (offset: number) => number;
}

/** Where each document lies, its marker included; a marker never stands within one. */
function* pieces(bytes: Buffer): Generator<readonly [start: number, end: number]> {
  let start = 0;
  while (start < bytes.length) {
    let end = bytes.indexOf(SEPARATOR, start);
    // `---` begins a document only where the line ends or a space follows.
    while (end !== -1 && (bytes[end + SEPARATOR.length] ?? NEWLINE) > SPACE) end = bytes.indexOf(SEPARATOR, end + 1);
    yield [start, end === -1 ? bytes.length : end + 1];
    start = end === -1 ? bytes.length : end + 1;
  }
}

function readDocument(reader: Reader, start: number, end: number): readonly unknown[] {
  if (end - start <= PIECE) return readPiece(reader, start, end, '');
  const text = reader.bytes.toString('utf8', start, start + LONGEST_HEAD);
  const [marker] = /^(?:---[^\n]*\n)?/.exec(text) ?? [''];
  const head = LIST_HEAD.exec(text.slice(marker.length));
  if (head === null) return readPiece(reader, start, end, '');
  const [whole, indent = ''] = head;
  const first = start + Buffer.byteLength(marker + whole) - indent.length - 2;
  const { items, last } = readItems(reader, first, end, indent);
  const around = [...readPiece(reader, start, first, ' []'), ...readPiece(reader, last, end, '')];
  return [Object.assign({}, ...around, { items }) as unknown];
}

/** Items whose dashes stand behind an indent, which nothing within an item has. */
function readItems(reader: Reader, first: number, end: number, indent: string) {
  const { bytes } = reader;
  const boundary = `\n${indent}- `;
  const items: unknown[] = [];
  const take = (start: number, stop: number): void => {
    for (const item of readList(reader, start, stop)) items.push(item);
  };
  let from = first;
  let begin = first;
  for (;;) {
    const found = bytes.indexOf(boundary, begin);
    if (found === -1 || found >= end) break;
    begin = found + 1;
    if (begin - from < PIECE) continue;
    take(from, begin);
    from = begin;
  }
  const last = endOfItem(bytes, begin, end, indent.length);
  take(from, last);
  return { items, last };
}

/** Behind an item: where a line is indented no deeper than its dash, and is neither blank nor a comment. */
function endOfItem(bytes: Buffer, start: number, end: number, column: number): number {
  let line = start;
  do {
    const newline = bytes.indexOf(NEWLINE, line);
    line = newline === -1 || newline >= end ? end : newline + 1;
  } while (line < end && !isOutside(bytes, line, column));
  return line;
}

function isOutside(bytes: Buffer, line: number, column: number): boolean {
  for (let at = line; at <= line + column; at += 1) {
    const byte = bytes[at] ?? NEWLINE;
    if (byte < SPACE || byte === HASH) return false;
    if (byte !== SPACE) return true;
  }
  return false;
}

function readList(reader: Reader, start: number, end: number): readonly unknown[] {
  const [list] = readPiece(reader, start, end, '');
  return Array.isArray(list) ? list : [];
}

/** @param more - what is put behind the text */
function readPiece({ bytes, name, lineAt }: Reader, start: number, end: number, more: string): readonly unknown[] {
  const text = bytes.toString('utf8', start, end);
  try {
    const documents = loadAll(`${text.trimEnd()}${more}\n`, { schema: CORE_SCHEMA, filename: name });
    const present = documents.filter((value) => value !== null && value !== undefined);
    // Texts are parts of the piece, which would stay as long as one of them: JSON copies them.
    return present.map((value): unknown => JSON.parse(JSON.stringify(value)));
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw new ImportError(`${name}:${lineAt(start) + (error.mark?.line ?? 0)}`, '', error.reason);
  }
}

function countLines(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE, start); at !== -1 && at < end; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
