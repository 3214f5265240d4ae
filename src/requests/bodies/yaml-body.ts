/** Bodies of YAML, read as sigs.k8s.io/yaml reads them: YAML 1.1, without its dates and sexagesimal numbers. */
import { parseDocument, type ParseOptions, type DocumentOptions, type SchemaOptions, type YAMLError } from 'yaml';

/** Aliases in YAML are for people; a body that nests them is a bomb. */
const MOST_ALIASES = 100;
const NOT_READ: ReadonlySet<string> = new Set(['tag:yaml.org,2002:timestamp', 'tag:yaml.org,2002:binary']);
const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
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
  const document = parseDocument(text, OPTIONS);
  const error = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
  if (error !== undefined) return { problem: problemText(error) };
  try {
    const twice = document.errors.map(({ pos, linePos }) => {
      const [, key = ''] = KEY.exec(text.slice(pos[0])) ?? [];
      return `line ${linePos?.[0].line ?? 0}: key ${JSON.stringify(key.trim())} already set in map`;
    });
    return { value: document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown, twice };
  } catch (thrown) {
    if (thrown instanceof ReferenceError) return { problem: thrown.message };
    throw thrown;
  }
}

/** A key of a map, without its quotes. */
const KEY = /^["']?([^:"'\n]*)/;

/** Parsers word the same fault differently; these are told as Go's tells them. */
function problemText({ code, message, linePos }: YAMLError): string {
  const line = linePos?.[0].line ?? 1;
  const [first = ''] = message.split(/ at line \d+|\n/);
  if (code === 'BAD_INDENT' || code === 'MISSING_CHAR') {
    const end = /(?:with a|end with) ([\]}])/.exec(message)?.[1];
    // Go's parser counts lines from 0 where it misses something.
    if (end !== undefined) return `line ${line - 1}: did not find expected ',' or '${end}'`;
  }
  return `line ${line}: ${first}`;
}
