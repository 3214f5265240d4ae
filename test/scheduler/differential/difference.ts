/** How two descriptions of the same thing differ. */

/** The sides disagree. */
export class Difference extends Error {
  constructor(
    readonly where: string,
    /** Path of the first field in which they differ. */
    readonly path: string,
    readonly expected: unknown,
    readonly actual: unknown,
  ) {
    super(`${where}: ${path} should be ${brief(expected)}, got ${brief(actual)}`);
  }
}

/** @throws Difference that names the first field in which plain data differ */
export function assertSame(where: string, expected: unknown, actual: unknown): void {
  if (JSON.stringify(expected) === JSON.stringify(actual)) return;
  const [path, left, right] = firstDifference(plain(expected), plain(actual), []);
  throw new Difference(where, path.join('.'), left, right);
}

function firstDifference(a: unknown, b: unknown, path: readonly string[]): [readonly string[], unknown, unknown] {
  if (isTree(a) && isTree(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (JSON.stringify(a[key]) !== JSON.stringify(b[key])) return firstDifference(a[key], b[key], [...path, key]);
    }
  }
  return [path, a, b];
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
