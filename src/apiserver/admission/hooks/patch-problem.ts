/** What the library that upstream patches objects of hooks with says of what cannot be done (evanphx/json-patch v4). */
import { applyPatch } from '../../../api/patches/patch.js';

interface Operation {
  readonly op?: string;
  readonly path?: string;
  readonly from?: string;
}

/** What a path's last step is taken in, and that step. */
interface Place {
  readonly holder: object;
  readonly key: string;
}

const KNOWN: ReadonlySet<string> = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);
const MISSING = 'missing value';
const TEST_FAILED = 'failed: test failed';

/** Whether a patch failed since the object has another value than the one that it tests for. */
export function isTestFailure(problem: string): boolean {
  return problem.startsWith('testing value ') && problem.endsWith(TEST_FAILED);
}

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
  if (op === 'move' || op === 'copy') return transferProblem(object, op, from, path);
  if (path === undefined) return `${op} operation failed to decode path: ${noPath(op)}`;
  const place = placeOf(object, path);
  switch (op) {
    case 'test':
      if (place === undefined && path !== '') {
        return `test operation does not apply: is missing path: ${path}: ${MISSING}`;
      }
      return place !== undefined && readingProblem(place) !== undefined
        ? `error in test for path: '${path}': ${readingProblem(place)}`
        : `testing value ${path} ${TEST_FAILED}`;
    case 'remove':
      return place === undefined
        ? `remove operation does not apply: doc is missing path: "${path}": ${MISSING}`
        : `error in remove for path: '${path}': ${removalProblem(place)}`;
    case 'replace':
      return `replace operation does not apply: doc is missing ${place === undefined ? 'path' : 'key'}: ${path}: ${MISSING}`;
    default:
      return place === undefined
        ? `add operation does not apply: doc is missing path: "${path}": ${MISSING}`
        : `error in add for path: '${path}': ${additionProblem(place)}`;
  }
}

function noPath(op: string): string {
  return op === 'add' || op === 'remove' ? MISSING : `operation missing path field: ${MISSING}`;
}

function transferProblem(object: object, op: 'move' | 'copy', from: string | undefined, path = ''): string {
  if (from === undefined) return `${op} operation failed to decode from: operation, missing from field: ${MISSING}`;
  const source = placeOf(object, from);
  const failed = `${op} operation does not apply: doc is missing`;
  if (source === undefined) return `${failed} from path: ${from}: ${MISSING}`;
  const unread = readingProblem(source);
  if (op === 'copy' && unread !== undefined) return `error in copy for from: '${from}': ${unread}`;
  const unmoved = op === 'move' ? (unread ?? removalProblem(source)) : undefined;
  if (unmoved !== undefined) return `error in move for path: '${source.key}': ${unmoved}`;
  const target = placeOf(object, path);
  if (target === undefined) return `${failed} destination path: ${path}: ${MISSING}`;
  const problem = additionProblem(target);
  return op === 'move'
    ? `error in move for path: '${path}': ${problem}`
    : `error while adding value during copy: ${problem}`;
}

/** `undefined` = there is no such place, which also holds for the whole object. */
function placeOf(object: object, path: string): Place | undefined {
  const steps = path.split('/').slice(1).map(decoded);
  const key = steps.pop();
  if (key === undefined) return undefined;
  let holder: unknown = object;
  for (const step of steps) holder = valueAt(holder, step);
  return typeof holder === 'object' && holder !== null ? { holder, key } : undefined;
}

function valueAt(holder: unknown, step: string): unknown {
  if (Array.isArray(holder)) {
    const index = indexOf(holder, step);
    return typeof index === 'number' ? (holder as readonly unknown[])[index] : undefined;
  }
  const isFields = typeof holder === 'object' && holder !== null && Object.hasOwn(holder, step);
  return isFields ? (holder as Readonly<Record<string, unknown>>)[step] : undefined;
}

function decoded(step: string): string {
  return step.replaceAll(/~[01]/g, (sign) => (sign === '~1' ? '/' : '~'));
}

/** An index, from the end where it is negative, or why there is nothing. @param room - for one more */
function indexOf(list: readonly unknown[], step: string, room = 0): number | string {
  if (!/^[+-]?\d+$/.test(step)) return `strconv.Atoi: parsing ${JSON.stringify(step)}: invalid syntax`;
  const index = Number(step);
  const length = list.length + room;
  if (index >= length || index < -length) return `Unable to access invalid index: ${index}: invalid index referenced`;
  return index < 0 ? index + length : index;
}

function readingProblem({ holder, key }: Place): string | undefined {
  const index = Array.isArray(holder) ? indexOf(holder, key) : undefined;
  return typeof index === 'string' ? index : undefined;
}

function removalProblem({ holder, key }: Place): string | undefined {
  if (Array.isArray(holder)) return readingProblem({ holder, key });
  return Object.hasOwn(holder, key) ? undefined : `Unable to remove nonexistent key: ${key}: ${MISSING}`;
}

function additionProblem({ holder, key }: Place): string | undefined {
  if (!Array.isArray(holder) || key === '-') return undefined;
  const index = indexOf(holder, key, 1);
  if (typeof index !== 'string') return undefined;
  return index.startsWith('strconv.') ? `value was not a proper array index: '${key}': ${index}` : index;
}
