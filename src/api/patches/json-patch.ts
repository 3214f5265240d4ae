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

/** Applies the operations in order. @throws ApiError 400 for no list, 422 for an operation that fails */
export function applyJsonPatch(document: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations)) {
    const got = typeof operations === 'object' ? 'object' : typeof operations;
    const text = `error decoding patch: json: cannot unmarshal ${got} into Go value of type []handlers.jsonPatchOp`;
    throw new ApiError(400, 'BadRequest', text);
  }
  let after = document;
  for (const operation of operations as readonly Operation[]) after = applyOperation(after, operation);
  return isSameJson(document, after) ? document : after;
}

function applyOperation(document: unknown, { op, path, from, value }: Operation): unknown {
  const target = pointerParts(path);
  switch (op) {
    case 'add':
      return changed(document, target, 0, (parent, key) => inserted(parent, key, needed(value)));
    case 'replace':
      return changed(document, target, 0, (parent, key) => replaced(parent, key, needed(value)));
    case 'remove':
      return changed(document, target, 0, removed);
    case 'test':
      if (!isSameJson(find(document, target), needed(value))) throw refused();
      return document;
    case 'copy':
      return copied(document, find(document, pointerParts(from)), target);
    case 'move': {
      const source = pointerParts(from);
      if (target.length > source.length && source.every((key, index) => key === target[index])) throw refused();
      const moved = find(document, source);
      return copied(changed(document, source, 0, removed), moved, target);
    }
    default:
      throw refused();
  }
}

function copied(document: unknown, value: unknown, target: readonly string[]): unknown {
  if (value === undefined) throw refused();
  return changed(document, target, 0, (parent, key) => inserted(parent, key, value));
}

function needed(value: unknown): unknown {
  if (value === undefined) throw refused();
  return value;
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

function find(document: unknown, path: readonly string[]): unknown {
  let found = document;
  for (const key of path) {
    found = Array.isArray(found) ? found[arrayIndex(key, found.length - 1)] : ownField(fieldsOf(found), key);
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
  if (!/^-?(0|[1-9]\d*)$/.test(key)) throw refused();
  const index = Number(key) < 0 ? Number(key) + max + 1 : Number(key);
  if (index < 0 || index > max) throw refused();
  return index;
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused();
  return value as Fields;
}

function refused(): ApiError {
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}
