/** Deeper than any object of the API: what nests as deep cannot be walked either. */
export const MAX_DEPTH = 500;

const SHOWN_DEPTH = 20;

/** The first part of a value that is no plain data, and why; `undefined` when all is. */
export interface Unplain {
  /** Keys and indexes from the top. */
  readonly path: readonly (string | number)[];
  readonly problem: string;
}

/** Looks for what JSON cannot hold: a value that holds itself, a function, a big integer; and for what nests too deep. */
export function findUnplain(root: unknown): Unplain | undefined {
  const path: (string | number)[] = [];
  const above = new Set<object>();
  const find = (value: unknown): string | undefined => {
    if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') {
      return `must be plain data, got a ${typeof value}`;
    }
    if (typeof value !== 'object' || value === null) return undefined;
    if (above.has(value)) return 'must not hold itself';
    if (above.size === MAX_DEPTH) return `must not nest deeper than ${MAX_DEPTH}`;
    above.add(value);
    for (const [key, each] of Object.entries(value) as readonly (readonly [string, unknown])[]) {
      path.push(Array.isArray(value) ? Number(key) : key);
      const problem = find(each);
      if (problem !== undefined) return problem;
      path.pop();
    }
    above.delete(value);
    return undefined;
  };
  const problem = find(root);
  return problem === undefined ? undefined : { path: path.slice(0, SHOWN_DEPTH), problem };
}
