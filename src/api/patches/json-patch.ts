/** JSON Patch (RFC 6902) as the API server applies it: `replace` of a missing key adds it. */
import { ApiError } from '../errors/api-error.js';
import { isSameJson } from '../values/canonical-json.js';
import { ownField } from '../values/own-fields.js';

interface Operation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** Applies the operations in order. @throws ApiError 400 for no list of them, 422 for one that fails */
export function applyJsonPatch(document: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw undecodable(operations, 'Go value of type []handlers.jsonPatchOp');
  const all = operations as readonly (Operation | null)[];
  for (const operation of all) checkOperation(operation);
  let after = document;
  let copiedBytes = 0;
  for (const operation of all) {
    if (operation?.op === 'copy') copiedBytes += sizeOf(find(after, pointerParts(operation.from)));
    if (copiedBytes > MOST_COPIED_BYTES) throw refused();
    after = applyOperation(after, operation ?? {});
  }
  return isSameJson(document, after) ? document : after;
}

/** Of all that one patch copies, as JSON: no more than a body may have (AccumulatedCopySizeLimit). */
const MOST_COPIED_BYTES = 3 * 1024 * 1024;

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

const TEXTS = ['op', 'path', 'from'] as const;

/** An operation that is null is read as an empty one. */
function checkOperation(operation: unknown): void {
  if (operation === null) return;
  if (typeof operation !== 'object' || Array.isArray(operation)) {
    throw undecodable(operation, 'Go value of type handlers.jsonPatchOp');
  }
  for (const name of Object.keys(operation)) {
    const field = TEXTS.find((each) => each === name);
    const value: unknown = field === undefined ? undefined : (operation as Operation)[field];
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw undecodable(value, `Go struct field jsonPatchOp.${name} of type string`);
  }
}

function undecodable(value: unknown, into: string): ApiError {
  return new ApiError(
    400,
    'BadRequest',
    `error decoding patch: json: cannot unmarshal ${jsonTypeName(value)} into ${into}`,
  );
}

/** What Go's decoder calls a value of JSON. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** A value that is not stated is null, as upstream's library has it. */
function applyOperation(document: unknown, { op, path, from, value = null }: Operation): unknown {
  const target = pointerParts(path);
  switch (op) {
    case 'add':
      return changed(document, target, 0, (parent, key) => inserted(parent, key, value));
    case 'replace':
      if (target.length === 0) return value;
      return changed(document, target, 0, (parent, key) => replaced(parent, key, value));
    case 'remove':
      return changed(document, target, 0, removed);
    case 'test':
      if (!isSameJson(find(document, target), value)) throw refused();
      return document;
    case 'copy':
      return copied(document, find(document, pointerParts(from)), target);
    case 'move': {
      const source = pointerParts(from);
      const moved = find(document, source);
      return copied(changed(document, source, 0, removed), moved, target);
    }
    default:
      throw refused();
  }
}

function copied(document: unknown, value: unknown, target: readonly string[]): unknown {
  return changed(document, target, 0, (parent, key) => inserted(parent, key, value));
}

/** The names on the way to a value. @throws ApiError 422 */
export function pointerParts(pointer: unknown): readonly string[] {
  // What stands before the first slash is not looked at.
  if (typeof pointer !== 'string' || (pointer !== '' && !pointer.includes('/'))) throw refused();
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What is not there is null, in an object that is. @throws ApiError 422 */
function find(document: unknown, path: readonly string[]): unknown {
  if (path.length === 0) throw refused();
  let found = document;
  for (const key of path) {
    found = Array.isArray(found) ? found[arrayIndex(key, found.length - 1)] : (ownField(fieldsOf(found), key) ?? null);
  }
  return found;
}

/** A copy of the path to the target, with `change` applied to a copy of its parent. */
function changed(
  value: unknown,
  path: readonly string[],
  depth: number,
  change: (parent: unknown, key: string) => unknown,
): unknown {
  const key = path[depth];
  if (key === undefined) throw refused();
  if (depth === path.length - 1) return change(value, key);
  if (Array.isArray(value)) {
    const index = arrayIndex(key, value.length - 1);
    return value.with(index, changed(value[index], path, depth + 1, change));
  }
  const fields = fieldsOf(value);
  const field = ownField(fields, key);
  if (field === undefined) throw refused();
  return { ...fields, [key]: changed(field, path, depth + 1, change) };
}

function inserted(parent: unknown, key: string, value: unknown): unknown {
  if (!Array.isArray(parent)) return { ...fieldsOf(parent), [key]: value };
  return parent.toSpliced(key === '-' ? parent.length : arrayIndex(key, parent.length), 0, value);
}

function replaced(parent: unknown, key: string, value: unknown): unknown {
  if (!Array.isArray(parent)) return { ...fieldsOf(parent), [key]: value };
  return parent.with(arrayIndex(key, parent.length - 1), value);
}

function removed(parent: unknown, key: string): unknown {
  if (Array.isArray(parent)) return parent.toSpliced(arrayIndex(key, parent.length - 1), 1);
  const fields = fieldsOf(parent);
  if (ownField(fields, key) === undefined) throw refused();
  const { [key]: _gone, ...rest } = fields;
  return rest;
}

/** Negative indexes count from the end, as upstream's library allows. */
function arrayIndex(key: string, max: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw refused();
  const index = Number(key) < 0 ? Number(key) + max + 1 : Number(key);
  if (index < 0 || index > max) throw refused();
  return index;
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused();
  return value as Fields;
}

/** A patch that fails, however it does. */
export function refused(): ApiError {
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}
