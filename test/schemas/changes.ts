/** Small changes to a document, each of which makes it another one that may be wrong. */

/** A changed document, with what was done to it. */
export interface Changed {
  readonly what: string;
  readonly value: unknown;
  /** What stands there now is a text, whose words are its reader's to judge. */
  readonly isText: boolean;
  /** The mapping that has a field more, which nothing knows. */
  readonly within?: Path;
}

export type Path = readonly (string | number)[];

/** A field that nothing has. */
export const UNKNOWN_FIELD = 'zzz';

/** Values of every type, and texts of every form. */
const VALUES: readonly unknown[] = ['text', '', -1, 1.5, 1e12, true, [], {}, ['x'], { [UNKNOWN_FIELD]: 1 }];

/** Where plain data of any form may stand. */
const OPAQUE: readonly string[] = ['workloads', 'apply', 'patch', 'where', 'schedulerConfig', 'images', 'staticPods'];

/** Every document that is one change away: a field more, a field less, another value. */
export function* changesOf(value: unknown): Generator<Changed> {
  for (const path of pathsOf(value, [])) {
    const at = get(value, path);
    if (isMapping(at)) {
      yield {
        what: `${path.join('.')}.${UNKNOWN_FIELD} added`,
        value: put(value, [...path, UNKNOWN_FIELD], 1),
        isText: false,
        within: path,
      };
    }
    if (path.length > 0 && typeof path.at(-1) === 'string') {
      yield { what: `${path.join('.')} taken away`, value: put(value, path, undefined), isText: false };
    }
    if (path.length === 0) continue;
    for (const each of VALUES) {
      yield {
        what: `${path.join('.')} made ${JSON.stringify(each)}`,
        value: put(value, path, each),
        isText: hasTexts(each),
      };
    }
  }
}

function* pathsOf(value: unknown, path: Path): Generator<Path> {
  yield path;
  if (OPAQUE.includes(String(path.at(-1)))) return;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value))
    yield* pathsOf(each, [...path, Array.isArray(value) ? Number(key) : key]);
}

function get(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>>)[key], value);
}

/** A copy with another value in one place. */
export function put(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other;
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  const fields = copy as Record<string | number, unknown>;
  fields[key] = put(fields[key], rest, other);
  return copy;
}

function hasTexts(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.some(hasTexts));
}

function isMapping(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
