import {
  Composer,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  Parser,
  type CST,
  type Document,
  type ScalarTag,
} from 'yaml';
import type { SourcePosition } from './input-error.js';
import { findUnplain, MAX_DEPTH } from './plain-data.js';

/** Keys and indexes from the top of a document to one of its values. */
export type ValuePath = readonly (string | number)[];

/** One document of a text. */
export interface RawDocument {
  readonly value: unknown;
  /** Where a value stands; one that is missing stands where its parent does. */
  readonly positionOf: (path: ValuePath) => SourcePosition;
  /** Keys that a mapping has a second time, where it does; the last value counts. */
  readonly duplicates: readonly DuplicateKey[];
}

/** A key that its mapping had before. */
export interface DuplicateKey {
  readonly path: ValuePath;
  readonly position: SourcePosition;
}

const MERGE_KEY = '<<';
/** Letters from which on it matters how a text is read. */
const LONG_TEXT = 4096;

/** `0644` is octal to kubectl, as in YAML 1.1. */
const OCTAL: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^0[0-7]+$/,
  resolve: (text) => Number.parseInt(text, 8),
};

/** Words that are truth values to kubectl, as in YAML 1.1, and beside those of YAML 1.2. */
const WORDS: readonly ScalarTag[] = [
  { value: true, test: /^(?:y|Y|yes|Yes|YES|on|On|ON)$/ },
  { value: false, test: /^(?:n|N|no|No|NO|off|Off|OFF)$/ },
].map(({ value, test }) => ({ tag: 'tag:yaml.org,2002:bool', default: true, test, resolve: () => value }));

/** `1_000`, likewise. */
const GROUPED: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?[1-9]\d*_[\d_]*$/,
  resolve: (text) => Number(text.replaceAll('_', '')),
};

/**
 * Reads all documents of a YAML or JSON text; empty ones are left out. A key that stands twice is a fault.
 *
 * @param refuse - makes the error that is thrown at the first fault
 */
export function readYaml(
  text: string,
  source: string,
  refuse: (position: SourcePosition, problem: string) => Error,
): RawDocument[] {
  const documents = readLenientYaml(text, source, refuse);
  const [duplicate] = documents.flatMap(({ duplicates }) => duplicates);
  if (duplicate !== undefined) throw refuse(duplicate.position, 'Map keys must be unique');
  return documents;
}

/**
 * {@link readYaml} for callers that judge keys that stand twice themselves.
 *
 * @param isManifest - read as kubectl reads it, for which `yes`, `on`, `y` and `1_000` are no texts
 */
export function readLenientYaml(
  text: string,
  source: string,
  refuse: (position: SourcePosition, problem: string) => Error,
  isManifest = false,
): RawDocument[] {
  const lines = new LineCounter();
  const at = (offset: number): SourcePosition => `${source}:${Math.max(lines.linePos(offset).line, 1)}`;
  const documents = compose(text, lines, isManifest ? [OCTAL, GROUPED, ...WORDS] : [OCTAL]);
  if (typeof documents === 'number') throw refuse(at(documents), `must not nest deeper than ${MAX_DEPTH}`);
  const raw: RawDocument[] = [];
  for (const document of documents) {
    const [error] = document.errors;
    if (error !== undefined) throw refuse(at(error.pos[0]), oneLine(error.message));
    const value = plainValue(document, (problem) => refuse(at(startOf(document, [])), problem));
    if (value === null || value === undefined) continue;
    const unplain = findUnplain(value);
    if (unplain !== undefined) throw refuse(at(startOf(document, unplain.path)), unplain.problem);
    const duplicates: DuplicateKey[] = [];
    collectDuplicates(document.contents, [], (path, offset) => duplicates.push({ path, position: at(offset) }));
    raw.push({ value, positionOf: (path) => at(startOf(document, path)), duplicates });
  }
  return raw;
}

/** The documents, or the offset of the first value that nests too deep: the library calls itself for each level. */
function compose(text: string, lineCounter: LineCounter, own: readonly ScalarTag[]): Document[] | number {
  const composer = new Composer({
    lineCounter,
    prettyErrors: false,
    // The library compares each key with all before it, which takes minutes for 100,000.
    uniqueKeys: false,
    merge: true,
    customTags: (tags) => [...own, ...tags],
  });
  const tokens = [...new Parser(lineCounter.addNewLine).parse(text)];
  for (const token of tokens) {
    const deep = tooDeep(token);
    if (deep !== undefined) return deep;
    if (text.length > LONG_TEXT) requoteLong(token);
  }
  return [...composer.compose(tokens)];
}

function tooDeep(document: CST.Token): number | undefined {
  let level: readonly CST.Token[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return level[0]?.offset;
    level = level.flatMap((token) => {
      if ('value' in token) return token.value ?? [];
      if (!('items' in token)) return [];
      return token.items.flatMap(({ key, value }) => [key ?? [], value ?? []].flat());
    });
  }
  return undefined;
}

/**
 * The library puts a text in double quotes together letter by letter, from pieces that take 30 times its memory. Where
 * nothing is escaped, single quotes say the same, and what is between them is cut out whole.
 */
function requoteLong(token: CST.Token): void {
  if (token.type === 'double-quoted-scalar') {
    const { source } = token;
    if (source.length <= LONG_TEXT || /[\\'\n]/.test(source) || !source.endsWith('"')) return;
    Object.assign(token, { type: 'single-quoted-scalar', source: `'${source.slice(1, -1)}'` });
    return;
  }
  if ('value' in token && token.value) requoteLong(token.value);
  if (!('items' in token)) return;
  for (const { value } of token.items) if (value) requoteLong(value);
}

function collectDuplicates(node: unknown, path: ValuePath, found: (path: ValuePath, offset: number) => void): void {
  if (isSeq(node)) node.items.forEach((item, index) => collectDuplicates(item, [...path, index], found));
  if (!isMap(node)) return;
  const seen = new Set<string>();
  for (const { key, value } of node.items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    if (seen.has(name) && name !== MERGE_KEY) found([...path, name], key.range?.[0] ?? 0);
    seen.add(name);
    collectDuplicates(value, [...path, name], found);
  }
}

function plainValue(document: Document, refuse: (problem: string) => Error): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // Aliases that do not resolve, or that unfold without end.
    throw refuse(oneLine(error instanceof Error ? error.message : String(error)));
  }
}

function startOf(document: Document, path: ValuePath): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.range?.[0] ?? 0;
}

function oneLine(message: string): string {
  return message.replaceAll(/\s+/g, ' ').trim();
}
