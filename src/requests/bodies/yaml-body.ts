/** Bodies of YAML, read as sigs.k8s.io/yaml reads them: YAML 1.1, without its dates and sexagesimal numbers. */
import {
  isCollection,
  isMap,
  isScalar,
  LineCounter,
  parseDocument,
  type DocumentOptions,
  type ParseOptions,
  type SchemaOptions,
  type YAMLError,
} from 'yaml';

/** Aliases in YAML are for people; a body that nests them is a bomb. */
const MOST_ALIASES = 100;
/** Levels of brackets, as of JSON; texts hardly ever have so many that are not closed. */
const MOST_LEVELS = 500;
const TOO_DEEP = `exceeded max depth of ${MOST_LEVELS}`;
/** Tags and anchors in a row: a node has one of each at most, and the parser is slow to say so. */
const MANY_PROPERTIES = /(?:[!&]\S*\s+){64}/;
/** Halves of letters, which YAML cannot escape; JSON may. */
const LONE_ESCAPE = /(?<=(?:^|[^\\])(?:\\\\)*)\\u[dD][89a-fA-F][\da-fA-F]{2}/;
/** Characters of a key that a refusal shows. */
const MOST_SHOWN = 30;
const NOT_READ: ReadonlySet<string> = new Set(['tag:yaml.org,2002:timestamp', 'tag:yaml.org,2002:binary']);
const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  // The parser compares each key with all before it; that is done here, in one walk.
  uniqueKeys: false,
  customTags: (tags) =>
    tags.filter(
      (tag) => typeof tag === 'string' || (!NOT_READ.has(tag.tag) && !('format' in tag && tag.format === 'TIME')),
    ),
};

/** What a text says. */
interface YamlBody {
  readonly value: unknown;
  /** Keys that stand twice in one map, such as `line 6: key "a" already set in map`; the last one counts. */
  readonly twice: readonly string[];
}

/** What a text says, or what is wrong with it in the words of Go's parser, `line 2: …`. */
export function readYamlBody(text: string): YamlBody | { readonly problem: string } {
  if (hasManyLevels(text)) return { problem: TOO_DEEP };
  if (MANY_PROPERTIES.test(text)) return { problem: 'did not find expected node content' };
  const escape = LONE_ESCAPE.exec(text);
  if (escape !== null) {
    const { length } = text.slice(0, escape.index).split('\n');
    return { problem: `${length > 1 ? `line ${length}: ` : ''}found invalid Unicode character escape code` };
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { ...OPTIONS, lineCounter });
  const [error] = document.errors;
  if (error !== undefined) return { problem: problemText(error, text) };
  const keys = new MapKeys(text, lineCounter);
  try {
    keys.walk(document.contents);
    if (keys.problem !== undefined) return { problem: keys.problem };
    return { value: document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown, twice: keys.twice };
  } catch (thrown) {
    if (thrown instanceof ReferenceError) return { problem: thrown.message };
    throw thrown;
  }
}

/** Whether brackets nest too deeply; those in quotes count, too. */
function hasManyLevels(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[{\]}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1);
    if (depth > MOST_LEVELS) return true;
  }
  return false;
}

/** What is wrong with the keys of a document's maps. */
class MapKeys {
  /** Keys that stand twice, in the order of the text. */
  readonly twice: string[] = [];
  /** A key that JSON cannot have. */
  problem: string | undefined;
  readonly #text: string;
  readonly #lines: LineCounter;

  constructor(text: string, lines: LineCounter) {
    this.#text = text;
    this.#lines = lines;
  }

  walk(node: unknown): void {
    if (this.problem !== undefined || !isCollection(node)) return;
    if (!isMap(node)) {
      for (const item of node.items) this.walk(item);
      return;
    }
    const seen = new Set<unknown>();
    for (const { key, value } of node.items) {
      if (isCollection(key)) {
        this.problem = `invalid map key: ${this.#shown(key.range?.[0] ?? 0)}`;
        return;
      }
      if (isScalar(key)) {
        if (seen.has(key.value)) this.#noteTwice(key.range?.[0] ?? 0);
        seen.add(key.value);
      }
      this.walk(value);
    }
  }

  #noteTwice(at: number): void {
    const [, key = ''] = KEY.exec(this.#text.slice(at, at + MOST_KEY)) ?? [];
    this.twice.push(`line ${this.#lines.linePos(at).line}: key ${JSON.stringify(key.trim())} already set in map`);
  }

  #shown(at: number): string {
    return JSON.stringify(this.#text.slice(at, at + MOST_SHOWN));
  }
}

/** A key of a map, without its quotes; of longer ones the beginning is told. */
const KEY = /^["']?([^:"'\n]*)/;
const MOST_KEY = 1024;

/** Parsers word the same fault differently; these are told as Go's tells them. */
function problemText({ code, message, linePos, pos }: YAMLError, text: string): string {
  if (message.startsWith('Maximum call stack')) return TOO_DEEP;
  const line = linePos?.[0].line ?? 1;
  if (code === 'BLOCK_AS_IMPLICIT_KEY') {
    const colon = pos[0] + Math.max(0, text.slice(pos[0]).search(/:(?:\s|$)/));
    return `line ${text.slice(0, colon).split('\n').length}: mapping values are not allowed in this context`;
  }
  const [first = ''] = message.split(/ at line \d+|\n/);
  if (code === 'BAD_INDENT' || code === 'MISSING_CHAR') {
    const end = /(?:with a|end with) ([\]}])/.exec(message)?.[1];
    // Go's parser counts lines from 0 where it misses something, and the end of a text is on a line of its own.
    const missing = pos[0] >= text.length && !text.endsWith('\n') ? line : line - 1;
    if (end !== undefined) return `line ${missing}: did not find expected ',' or '${end}'`;
  }
  return `line ${line}: ${first}`;
}
