/** Paths into an object's status as waits of kube-burner write them: the parts of jq that they use. */

/** Reads one value out of a status; `undefined` where there is none. */
export type StatusPath = (status: unknown) => string | undefined;

const PLAIN = /^(?:\.[A-Za-z_]\w*)+$/;
const SELECTION =
  /^\(?\s*((?:\.[A-Za-z_]\w*)+)\.?\[\]\s*\|\s*select\(\s*\.([A-Za-z_]\w*)\s*==\s*"([^"]*)"\s*\)\s*\)?\s*\|?\s*((?:\.[A-Za-z_]\w*)+)$/;

/** @returns `undefined` for what is neither `.a.b` nor a value of a selected element of a list */
export function parseStatusPath(text: string): StatusPath | undefined {
  const [body = '', ...filters] = text.split(/\|\s*(?=tostring|ascii_downcase)/).map((part) => part.trim());
  if (!filters.every((filter) => /^(?:tostring|ascii_downcase)\s*$/.test(filter))) return undefined;
  const isLower = filters.some((filter) => filter.startsWith('ascii_downcase'));
  const read = readerOf(body);
  if (read === undefined) return undefined;
  return (status) => {
    const value = read(status);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
    const shown = String(value);
    return isLower ? shown.toLowerCase() : shown;
  };
}

function readerOf(path: string): ((status: unknown) => unknown) | undefined {
  if (PLAIN.test(path)) return (status) => valueAt(status, path);
  const [, list = '', key = '', wanted = '', rest = ''] = SELECTION.exec(path) ?? [];
  if (list === '') return undefined;
  return (status) => {
    const elements = valueAt(status, list);
    if (!Array.isArray(elements)) return undefined;
    const found: unknown = elements.find((element: unknown) => valueAt(element, `.${key}`) === wanted);
    return valueAt(found, rest);
  };
}

function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.slice(1).split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found;
}
