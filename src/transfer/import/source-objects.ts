/**
 * The objects of a text that others have written: YAML documents, JSON, JSON objects one after the other, lists of
 * any kind, what `kubectl cluster-info dump` prints, and what a watch tells. JSON is not read as YAML: that takes a hundred times as long.
 */
import { createHash } from 'node:crypto';
import { CORE_SCHEMA, loadAll, YAMLException } from 'js-yaml';
import { printedValue } from '../../kernel/printed-value.js';
import { readYaml, type ValuePath } from '../../workload/yaml-text.js';
import { AlikeLines } from './alike-lines.js';
import { ImportError } from './import-error.js';
import { readLongYaml } from './long-yaml.js';
import { isFields, type Fields, type SourceObject } from './source-object.js';
import { isWatchEvent, lastStates } from './watch-events.js';
import { withAbsoluteTimes } from './relative-times.js';

/** Objects that were read, and a digest of what they were read from. */
export interface ClusterSource {
  readonly objects: readonly SourceObject[];
  readonly digest: string;
}

const NEWLINE = 10;
const SPACE = 32;
const COMMA = 44;
/** A list that is longer is read item by item where its lines are indented. */
const LONG_TEXT = 1 << 24;
const LONGEST_WITH_PLACES = 1 << 16;
/** Of a value that is no object, in a message. */
const LONGEST_TOLD = 80;
/** A piece of a file that is read as one text. */
const LONGEST_TEXT = 1 << 28;

/** The objects of a file's bytes. @param name - of the file, for messages. @throws ImportError, ManifestError */
export function readBytes(file: Uint8Array, name: string): readonly SourceObject[] {
  return lastStates(readWhole(file, name));
}

function readWhole(file: Uint8Array, name: string): readonly SourceObject[] {
  const bytes = withAbsoluteTimes(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  const first = firstLine(bytes);
  if (/^\s*\{.*"items":\s*\[\s*$/.test(first) || isObject(first)) {
    const objects = readLines(bytes, name);
    if (objects !== undefined) return objects;
  }
  if (bytes.length > LONG_TEXT) {
    const objects = readIndented(bytes, name) ?? longYamlObjects(bytes, name);
    if (objects !== undefined) return objects;
  }
  if (bytes.length > LONGEST_TEXT) {
    throw new ImportError(
      name,
      '',
      `is too long to be read as one text, got ${bytes.length} bytes: write one object a line, or a list as kubectl does`,
    );
  }
  return readPlain(bytes.toString('utf8'), name);
}

/** The objects of a text. @throws ImportError, ManifestError */
export function readText(text: string, name: string): readonly SourceObject[] {
  return lastStates(readPlain(withAbsoluteTimes(Buffer.from(text)).toString('utf8'), name));
}

function readPlain(text: string, name: string): readonly SourceObject[] {
  const cleaned = withoutLogs(text);
  const trimmed = cleaned.trimStart();
  if (!trimmed.startsWith('{') && !trimmed.startsWith('[')) return yamlObjects(cleaned, name);
  return jsonValues(cleaned, name).flatMap(({ value, place }) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => flatten(item, `${place} [${index}]`, {}))
      : flatten(value, place, {}),
  );
}

/** Objects that are there already. @throws ImportError */
export function readValues(values: readonly unknown[], name: string): readonly SourceObject[] {
  return lastStates(
    values.flatMap((value, index) => flatten(value, values.length === 1 ? name : `${name}[${index}]`, {})),
  );
}

/** Stands for objects in a trace. */
export function digestOf(pieces: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

/**
 * A short text is read with the place of every object; a long one, as clusters write them, by a library that takes a
 * twentieth of the time and knows no places.
 */
function yamlObjects(text: string, name: string): readonly SourceObject[] {
  if (text.length <= LONGEST_WITH_PLACES) {
    return readYaml(text, name, (place, problem) => new ImportError(place, '', problem)).flatMap(
      ({ value, positionOf }) => flatten(value, positionOf([]), {}, (steps) => positionOf(steps)),
    );
  }
  let documents: readonly unknown[];
  try {
    documents = loadAll(text, { schema: CORE_SCHEMA, filename: name });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw new ImportError(`${name}:${(error.mark?.line ?? 0) + 1}`, '', error.reason);
  }
  return documents.flatMap((value, index) =>
    value === null || value === undefined
      ? []
      : flatten(value, documents.length === 1 ? name : `${name} document ${index + 1}`, {}),
  );
}

/** `undefined` where it is something else, or shorter and read with its anchors and places as one text. */
function longYamlObjects(bytes: Buffer, name: string): readonly SourceObject[] | undefined {
  if (/^\s*[[{]/.test(bytes.toString('utf8', 0, 64))) return undefined;
  try {
    return readLongYaml(bytes, name).flatMap(({ value, line }) => flatten(value, `${name}:${line}`, {}));
  } catch (error) {
    if (!(error instanceof ImportError) || bytes.length > LONGEST_TEXT) throw error;
    return undefined;
  }
}

function firstLine(bytes: Buffer): string {
  const end = bytes.indexOf(NEWLINE);
  return bytes.toString('utf8', 0, Math.min(end === -1 ? bytes.length : end, LONGEST_TEXT));
}

function isObject(line: string): boolean {
  if (!line.startsWith('{')) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** One object a line, within a list or not; `undefined` where a line is something else, or the list has no end. */
function readLines(bytes: Buffer, name: string): readonly SourceObject[] | undefined {
  const objects: SourceObject[] = [];
  const alike = new AlikeLines();
  let line = 0;
  let isOpen = false;
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    line += 1;
    const text = lineOf(bytes, start, end);
    start = end + 1;
    if (text === '') continue;
    if ((line === 1 && text.endsWith('[')) || (isOpen && text === ']}')) {
      isOpen = line === 1;
      continue;
    }
    try {
      const place = `${name}:${line}`;
      const value = alike.parse(text);
      const found = flatten(value, place, {});
      for (const object of found) objects.push(object);
    } catch (error) {
      if (error instanceof ImportError) throw error;
      return undefined;
    }
  }
  return isOpen ? undefined : objects;
}

const LIST_HEAD = /^\s*\{\n(?:[ \t]+"(?:apiVersion|kind)": "[^"]*",\n)*[ \t]+"items": \[\n([ \t]+)\{\n/;

/** A list as `kubectl get -o json` indents it; `undefined` where it is something else. Texts of JSON have no line breaks. */
function readIndented(bytes: Buffer, name: string): readonly SourceObject[] | undefined {
  const [head = '', indent = ''] = LIST_HEAD.exec(bytes.toString('utf8', 0, 1024)) ?? [];
  if (head === '') return undefined;
  const close = `\n${indent}}`;
  const values: unknown[] = [];
  try {
    let start = head.length - indent.length - 2;
    for (;;) {
      const end = bytes.indexOf(close, start) + close.length;
      if (end < close.length) return undefined;
      values.push(JSON.parse(bytes.toString('utf8', start, end)));
      start = end + 1;
      if (bytes[end] !== COMMA) break;
    }
    const list = JSON.parse(
      `${head.slice(0, head.lastIndexOf('[') + 1)}${bytes.toString('utf8', start - 1)}`,
    ) as Fields;
    return flatten({ ...list, items: values }, name, {});
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Without the comma between the items of a list. */
function lineOf(bytes: Buffer, start: number, end: number): string {
  let last = end;
  while (last > start && (bytes[last - 1] ?? 0) <= SPACE) last -= 1;
  if (bytes[last - 1] === COMMA) last -= 1;
  let first = start;
  while (first < last && (bytes[first] ?? 0) <= SPACE) first += 1;
  return bytes.toString('utf8', first, last);
}

/** Between the objects the command prints the logs of containers. */
function withoutLogs(text: string): string {
  if (!text.includes('==== START logs')) return text;
  return text.replaceAll(/^==== START logs[^\n]*\n[\s\S]*?^==== END logs[^\n]*$/gm, '');
}

/** JSON values one after the other. */
function jsonValues(text: string, name: string): readonly { readonly value: unknown; readonly place: string }[] {
  const values: { value: unknown; place: string }[] = [];
  for (let start = nextStart(text, 0); start < text.length;) {
    const end = endOfValue(text, start);
    const place = `${name}:${lineAt(text, start)}`;
    try {
      values.push({ value: JSON.parse(text.slice(start, end)), place });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw new ImportError(place, '', `is no JSON: ${problem.replaceAll(/\s+/g, ' ')}`);
    }
    start = nextStart(text, end);
  }
  return values;
}

function nextStart(text: string, from: number): number {
  const rest = /[^\s]/g;
  rest.lastIndex = from;
  return rest.exec(text)?.index ?? text.length;
}

/** Behind the bracket that closes the value. */
function endOfValue(text: string, start: number): number {
  const tokens = /["{}[\]]/g;
  tokens.lastIndex = start;
  let depth = 0;
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [token] = found;
    if (token === '"') tokens.lastIndex = endOfString(text, found.index);
    else depth += token === '{' || token === '[' ? 1 : -1;
    if (depth === 0) return token === '"' ? tokens.lastIndex : found.index + 1;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  for (let index = text.indexOf('"', start + 1); index !== -1; index = text.indexOf('"', index + 1)) {
    let slashes = 0;
    while (text[index - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return index + 1;
  }
  return text.length;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let index = text.indexOf('\n'); index !== -1 && index < offset; index = text.indexOf('\n', index + 1)) line += 1;
  return line;
}

interface Inherited {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** @param placeOf - where a part of the value stands, if that is known */
function flatten(
  value: unknown,
  place: string,
  inherited: Inherited,
  placeOf: (path: ValuePath) => string = (path) => `${place} ${path[0] ?? ''}[${path[1] ?? ''}]`,
  path: ValuePath = [],
): readonly SourceObject[] {
  if (!isFields(value))
    throw new ImportError(place, '', `must be an object with apiVersion and kind, got ${typeName(value)}`);
  if (isWatchEvent(value)) return [{ value, place }];
  const { kind = inherited.kind, apiVersion = inherited.apiVersion, items } = value;
  if (typeof kind !== 'string' || kind === '')
    throw new ImportError(place, 'kind', `must be the name of a kind, got ${typeName(kind)}`);
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    throw new ImportError(place, 'apiVersion', `must be a text such as v1, got ${typeName(apiVersion)}`);
  }
  if (!kind.endsWith('List') || items === undefined) {
    const isWhole = value['kind'] === kind && value['apiVersion'] === apiVersion;
    return [{ value: isWhole ? value : { ...value, apiVersion, kind }, place }];
  }
  if (items !== null && !Array.isArray(items))
    throw new ImportError(place, 'items', `must be a list, got ${typeName(items)}`);
  const ofItem: Inherited = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
  const all = (items ?? []) as readonly unknown[];
  return all.flatMap((item, index) => {
    const below = [...path, 'items', index];
    return flatten(item, placeOf(below), ofItem, placeOf, below);
  });
}

function typeName(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : printedValue(value, LONGEST_TOLD);
}
