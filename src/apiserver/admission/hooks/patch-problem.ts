/** What the library that upstream patches objects of hooks with says of what cannot be done (evanphx/json-patch v4). */
import { applyPatch } from '../../../api/patches/patch.js';

type Fields = Readonly<Record<string, unknown>>;

interface Operation {
  readonly op?: string;
  readonly path?: string;
  readonly from?: string;
}

const KNOWN: ReadonlySet<string> = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);
const MISSING = 'missing value';

/** Of the first operation that fails. */
export function patchProblem(object: object, patch: readonly object[]): string {
  let present: object = object;
  for (const each of patch) {
    try {
      present = applyPatch(present, { type: 'json', body: [each] });
    } catch {
      return problemOf(present, each);
    }
  }
  return 'the patch could not be applied';
}

function problemOf(object: object, { op = 'unknown', path, from }: Operation): string {
  if (!KNOWN.has(op)) return `Unexpected kind: ${op}`;
  if (path === undefined) return `${op} operation failed to decode path: ${MISSING}`;
  if (from !== undefined && (op === 'move' || op === 'copy')) return transferProblem(object, op, from, path);
  const hasHolder = holderOf(object, path) !== undefined;
  switch (op) {
    case 'test':
      return hasHolder
        ? `testing value ${path} failed: test failed`
        : `test operation does not apply: is missing path: ${path}: ${MISSING}`;
    case 'remove':
      return hasHolder
        ? `error in remove for path: '${path}': Unable to remove nonexistent key: ${lastOf(path)}: ${MISSING}`
        : `remove operation does not apply: doc is missing path: ${JSON.stringify(path)}: ${MISSING}`;
    case 'replace':
      return `replace operation does not apply: doc is missing ${hasHolder ? 'key' : 'path'}: ${path}: ${MISSING}`;
    default:
      return `${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: ${MISSING}`;
  }
}

function transferProblem(object: object, op: string, from: string, path: string): string {
  const source = holderOf(object, from);
  const failed = `${op} operation does not apply: doc is missing`;
  if (source === undefined) return `${failed} from path: ${from}: ${MISSING}`;
  const key = lastOf(from);
  if (op === 'move' && !Object.hasOwn(source, key)) {
    return `error in move for path: '${key}': Unable to remove nonexistent key: ${key}: ${MISSING}`;
  }
  return `${failed} destination path: ${path}: ${MISSING}`;
}

/** What a path's last step is taken in; `undefined` = there is no such place, which also holds for the whole object. */
function holderOf(object: object, path: string): object | undefined {
  if (!path.startsWith('/')) return undefined;
  const found = path
    .split('/')
    .slice(1, -1)
    .reduce<unknown>((value, step) => (value as Fields | null | undefined)?.[step], object);
  return typeof found === 'object' && found !== null ? found : undefined;
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
