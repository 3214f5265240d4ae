/**
 * JSON objects that stand one a line, most of them pods of a few templates. The spec of such a pod is the text of the one
 * before it, but for its node: it is not read again, and pods share what was read of it.
 */

/** How a saved cluster writes pods; what is written otherwise is read as any JSON. */
const HEAD = '{"apiVersion":"v1","kind":"Pod","metadata":';
const SPEC = ',"spec":';
const STATUS = ',"status":';
/** What JSON writes as it is. */
const PLAIN = /^[-.a-z0-9]+$/;
const ESCAPE = '\\u';
/** Specs that are remembered: pods of one owner stand together. */
const REMEMBERED = 8;

type Fields = Readonly<Record<string, unknown>>;

/** A spec, and its text before and behind the name of its node. */
interface KnownSpec {
  readonly value: Fields;
  readonly before: string;
  readonly after: string;
}

/** A spec within a line. */
interface FoundSpec {
  readonly value: unknown;
  readonly end: number;
}

/** See the file header. */
export class AlikeLines {
  /** The latest first. */
  #known: readonly KnownSpec[] = [];

  /** What `JSON.parse` gives; parts of it may be those of an earlier line. @throws SyntaxError */
  parse(line: string): unknown {
    return (line.startsWith(HEAD) ? this.#pod(line) : undefined) ?? JSON.parse(line);
  }

  /** `undefined` = it is written in another way. Where each part is JSON, so is the whole, and these are its parts. */
  #pod(line: string): Fields | undefined {
    const start = line.indexOf(SPEC, HEAD.length) + SPEC.length;
    if (start < SPEC.length || !line.endsWith('}')) return undefined;
    const metadata = partOf(line, HEAD.length, start - SPEC.length);
    const spec = this.#alike(line, start) ?? this.#read(line, start);
    const status = spec === undefined ? undefined : partOf(line, spec.end + STATUS.length, line.length - 1);
    if (metadata === undefined || spec === undefined || status === undefined) return undefined;
    return { apiVersion: 'v1', kind: 'Pod', metadata, spec: spec.value, status };
  }

  #alike(line: string, start: number): FoundSpec | undefined {
    const index = this.#known.findIndex(({ before }) => stands(line, before, start));
    const known = this.#known[index];
    if (known === undefined) return undefined;
    const name = start + known.before.length;
    const nameEnd = line.indexOf('"', name);
    const end = nameEnd + known.after.length;
    const nodeName = line.slice(name, nameEnd);
    if (!stands(line, known.after, nameEnd) || !line.startsWith(STATUS, end) || !PLAIN.test(nodeName)) return undefined;
    if (index > 0) this.#known = [known, ...this.#known.toSpliced(index, 1)];
    return { value: { ...known.value, nodeName }, end };
  }

  #read(line: string, start: number): FoundSpec | undefined {
    const end = line.indexOf(STATUS, start);
    const value = end === -1 ? undefined : partOf(line, start, end);
    if (value === undefined) return undefined;
    const { nodeName } = value;
    const text = line.slice(start, end);
    const [before, after, ...others] = text.split(`"nodeName":"${String(nodeName)}"`);
    // A key can be written in escapes as well.
    const isSure = typeof nodeName === 'string' && PLAIN.test(nodeName) && !text.includes(ESCAPE);
    if (isSure && after !== undefined && others.length === 0) {
      const known = { value, before: `${before}"nodeName":"`, after: `"${after}` };
      this.#known = [known, ...this.#known.slice(0, REMEMBERED - 1)];
    }
    return { value, end };
  }
}

/** Whole strings are compared at many times the speed of `startsWith`. */
function stands(line: string, part: string, at: number): boolean {
  return line.slice(at, at + part.length) === part;
}

/** An object that stands there and no further; `undefined` = there is none. */
function partOf(line: string, start: number, end: number): Fields | undefined {
  if (line[start] !== '{') return undefined;
  try {
    return JSON.parse(line.slice(start, end)) as Fields;
  } catch {
    return undefined;
  }
}
