/** Values that cannot be looked at: a proxy that was revoked, a getter or a trap that throws. */

/** Deeper than any options or faults nest. */
const DEEPEST = 100;

/**
 * The path of the first part that throws while it is read, such as `.runtime.imagePull`; `undefined` when none does.
 *
 * @param depth - how many levels are looked at
 */
export function findUnreadable(root: unknown, depth = DEEPEST): string | undefined {
  const seen = new Set<object>();
  const find = (value: unknown, path: string, left: number): string | undefined => {
    if (typeof value !== 'object' || value === null || left === 0 || seen.has(value)) return undefined;
    seen.add(value);
    let isList: boolean;
    let names: readonly string[];
    try {
      isList = Array.isArray(value);
      names = Object.keys(value);
    } catch {
      return path;
    }
    for (const name of names) {
      const own = isList ? `${path}[${name}]` : `${path}.${name}`;
      const part = read(value, name);
      const found = part.isRead ? find(part.value, own, left - 1) : own;
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return find(root, '', depth);
}

type Part = { readonly isRead: true; readonly value: unknown } | { readonly isRead: false };

function read(object: object, name: string): Part {
  try {
    return { isRead: true, value: (object as Readonly<Record<string, unknown>>)[name] };
  } catch {
    return { isRead: false };
  }
}
