/**
 * Kubernetes' strategic merge patch: along the types of an object lists of objects merge by a key, lists of some texts
 * as sets, all others are replaced; directives delete, replace, keep and order. Mirrors apimachinery's
 * util/strategicpatch (v1.34), step by step: what a directive does depends on whether the field was there before.
 */
import { ApiError } from '../errors/api-error.js';
import { isSameJson } from '../values/canonical-json.js';
import { ownField, setOwnField } from '../values/own-fields.js';
import { printGo } from './print-go.js';
import { inPatchOrder, badArgument, goType, identityOf, isFields, noMergeKey, type Fields } from './patch-lists.js';
import { patchField, typeOfObject, type PatchedType } from './patched-type.js';

type Draft = Record<string, unknown>;

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_PRIMITIVES = '$deleteFromPrimitiveList';
const ELEMENT_ORDER = '$setElementOrder';

/** The object after the patch. @throws ApiError 400, 422 or 500 for a patch that cannot be read */
export function applyStrategicPatch(object: Fields, patch: Fields): Fields {
  return strategicPatched(object, patch).after;
}

/** The object after the patch, and what upstream leaves of the patch, which it shows when the object cannot be read. */
export function strategicPatched(
  object: Fields,
  patch: Fields,
): { readonly after: Fields; readonly left: Readonly<Record<string, unknown>> } {
  const left = copied(patch) as Draft;
  return { after: mergeFields(object, left, typeOfObject(object)), left };
}

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (!isFields(value)) return value;
  const copy: Draft = {};
  for (const name of Object.keys(value)) setOwnField(copy, name, copied(value[name]));
  return copy;
}

/** The fields of a value, changed once they must be. */
class Changing {
  readonly #before: Fields;
  #after: Draft | undefined;

  constructor(before: Fields) {
    this.#before = before;
  }

  get now(): Fields {
    return this.#after ?? this.#before;
  }

  /** @param value - `undefined` takes the field away */
  set(name: string, value: unknown): void {
    if (ownField(this.now, name) === value) return;
    this.#after ??= { ...this.#before };
    if (value === undefined) delete this.#after[name];
    else setOwnField<unknown>(this.#after, name, value);
  }
}

/** `patch` is worked off on the way. */
function mergeFields(target: Fields, patch: Draft, type: PatchedType): Fields {
  if (Object.hasOwn(patch, DIRECTIVE)) return directed(patch);
  const into = new Changing(target);
  retainKeys(into, patch);
  for (const key of Object.keys(patch)) if (key.startsWith(ELEMENT_ORDER)) mergeOrdered(into, patch, key, type);
  const keys = Object.keys(patch);
  // Go goes through them in any order; what is set comes before what is taken out.
  for (const key of [...keys.filter((each) => !takesOut(each)), ...keys.filter(takesOut)]) {
    const name = takesOut(key) ? nameAfter(key, 'invalid patch format of primitive list') : key;
    mergeField(into, { name, change: patch[key], isDeletion: takesOut(key) }, type);
  }
  return into.now;
}

function takesOut(key: string): boolean {
  return key.startsWith(DELETE_PRIMITIVES);
}

function directed(patch: Draft): Fields {
  const directive = patch[DIRECTIVE];
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw badDirective(directive, patch);
  delete patch[DIRECTIVE];
  return patch;
}

/** Fields that are not named go; those of the patch must be. */
function retainKeys(into: Changing, patch: Draft): void {
  const keys = patch[RETAIN_KEYS];
  if (keys === undefined) return;
  delete patch[RETAIN_KEYS];
  const isNamed = (key: string): boolean => Array.isArray(keys) && keys.includes(key);
  const stated = Object.keys(patch).filter(
    (key) => patch[key] !== null && !key.startsWith(DELETE_PRIMITIVES) && !key.startsWith(ELEMENT_ORDER),
  );
  if (!Array.isArray(keys) || !stated.every(isNamed)) throw badFormat('invalid patch format of retainKeys');
  for (const key of Object.keys(into.now)) if (!isNamed(key)) into.set(key, undefined);
}

/** What stands behind a directive's slash. */
function nameAfter(key: string, problem: string): string {
  const [prefix, name] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)];
  if (!key.includes('/') || (prefix !== DELETE_PRIMITIVES && prefix !== ELEMENT_ORDER)) throw badFormat(problem);
  return name;
}

interface FieldChange {
  readonly name: string;
  readonly change: unknown;
  /** A list of what is to be taken out. */
  readonly isDeletion: boolean;
}

function mergeField(into: Changing, { name, change, isDeletion }: FieldChange, type: PatchedType): void {
  if (change === null) return into.set(name, undefined);
  const before = ownField(into.now, name);
  const isList = Array.isArray(change);
  if (isList && Array.isArray(before)) {
    const { of, mergeKey, merges } = patchField(type, name, 'list');
    const after =
      merges || isDeletion
        ? mergeList(before as readonly unknown[], change, { of, mergeKey, isDeletion })
        : (change as unknown);
    return into.set(name, isSameJson(before, after) ? before : after);
  }
  if (isDeletion) return;
  if (isFields(change) && isFields(before)) {
    return into.set(name, mergeFields(before, change, patchField(type, name, 'struct').of));
  }
  dropNulls(change);
  const after = withoutDirectives(change);
  into.set(name, isSameJson(before, after) ? before : after);
}

/** A list of which the patch says the order of its elements. */
function mergeOrdered(into: Changing, patch: Draft, key: string, type: PatchedType): void {
  const order = patch[key];
  delete patch[key];
  if (!Array.isArray(order)) throw badArgument('[]interface {}', order);
  const name = nameAfter(key, 'invalid patch format of setElementOrder list');
  const [before, change] = [ownField(into.now, name), ownField(patch, name)];
  for (const list of [before, change]) {
    if (list !== undefined && !Array.isArray(list)) throw badArgument('[]interface {}', list);
  }
  const { of, mergeKey, merges } = patchField(type, name, 'list');
  const [stored, changes] = [(before ?? []) as readonly unknown[], (change ?? []) as readonly unknown[]];
  checkOrder(changes, order as readonly unknown[], mergeKey);
  if (before === undefined && change === undefined) return;
  const merged = (): readonly unknown[] => {
    if (change === undefined) return stored;
    if (before === undefined) return withoutDirectives(changes) as readonly unknown[];
    return merges ? mergeList(stored, changes, { of, mergeKey, isDeletion: false }) : changes;
  };
  const ordered = inPatchOrder(merged(), order as readonly unknown[], stored, mergeKey);
  elementType([stored, changes]);
  into.set(name, isSameJson(before, ordered) ? before : ordered);
  delete patch[name];
}

/** What the patch changes must come in the order that it says. */
function checkOrder(changes: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): void {
  if (order.length === 0 || changes.length === 0) return;
  for (const each of mergeKey === undefined ? [] : changes)
    if (!isFields(each)) throw badArgument('map[string]interface {}', each);
  const kept = mergeKey === undefined ? changes : changes.filter((each) => (each as Fields)[DIRECTIVE] !== 'delete');
  let next = 0;
  for (let at = 0; next < kept.length && at < order.length;) {
    const change = kept[next];
    if (isFields(change) && Object.hasOwn(change, DIRECTIVE)) next += 1;
    else {
      if (identityOf(change, mergeKey) === identityOf(order[at], mergeKey)) next += 1;
      at += 1;
    }
  }
  // Directives at the end are passed over only while there is more of the order.
  if (next >= kept.length) return;
  const lists = `The order in patch list:\n${printGo(changes)}\n doesn't match ${ELEMENT_ORDER} list:\n${printGo(order)}\n`;
  throw new ApiError(500, undefined, lists);
}

interface ListMerge {
  readonly of: PatchedType;
  readonly mergeKey: string | undefined;
  readonly isDeletion: boolean;
}

function mergeList(
  before: readonly unknown[],
  change: readonly unknown[],
  { of, mergeKey, isDeletion }: ListMerge,
): readonly unknown[] {
  if (before.length === 0 && change.length === 0) return before;
  if (elementType([before, change]) !== 'map') {
    const merged = isDeletion ? before.filter((each) => !change.includes(each)) : [...new Set([...before, ...change])];
    return inPatchOrder(merged, change, before, undefined);
  }
  if (mergeKey === undefined) {
    throw new ApiError(500, undefined, `cannot merge lists without merge key for ${of.kindName}`);
  }
  const { stored, plain } = special(before as readonly Fields[], change as readonly Draft[], mergeKey);
  const merged: unknown[] = [...stored];
  for (const each of plain) {
    if (!Object.hasOwn(each, mergeKey)) throw noMergeKey(each, mergeKey);
    const at = merged.findIndex((item) => ownField(item as Fields, mergeKey) === each[mergeKey]);
    if (at === -1) merged.push(each);
    else merged[at] = mergeFields(merged[at] as Fields, each, of);
  }
  return inPatchOrder(merged, plain, stored, mergeKey);
}

/** Works off the elements that are directives. */
function special(
  before: readonly Fields[],
  change: readonly Draft[],
  mergeKey: string,
): { readonly stored: readonly Fields[]; readonly plain: readonly Draft[] } {
  let stored = before;
  let isReplaced = false;
  const plain: Draft[] = [];
  for (const each of change) {
    if (!Object.hasOwn(each, DIRECTIVE)) {
      plain.push(each);
      continue;
    }
    const directive = each[DIRECTIVE];
    if (directive === 'replace') isReplaced = true;
    else if (directive === 'delete') {
      if (!Object.hasOwn(each, mergeKey)) throw noMergeKey(each, mergeKey);
      stored = stored.filter((item) => ownField(item, mergeKey) !== each[mergeKey]);
    } else if (directive === 'merge') {
      throw new ApiError(500, undefined, 'merging lists cannot yet be specified in the patch');
    } else throw badDirective(directive, each);
  }
  return { stored: isReplaced ? [] : stored, plain };
}

/** The one type of all elements of some lists. @throws ApiError 422 or 500 */
function elementType(lists: readonly (readonly unknown[])[]): string {
  const types = new Set(lists.flat(1).map(goType));
  const [type] = types;
  if (type === undefined) throw new ApiError(500, undefined, 'no elements in any of the given slices');
  if (type === '[]interface {}') throw unprocessable();
  if (types.size > 1) {
    throw new ApiError(500, undefined, `list element types are not identical: [${lists.map(printGo).join(' ')}]`);
  }
  return type === 'map[string]interface {}' ? 'map' : type;
}

/** Of what was not there before: objects that are directives go, others stay as they are. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((each) => withoutDirectives(each)).filter((each) => each !== undefined);
  }
  if (!isFields(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const fields = value as Draft;
  for (const key of Object.keys(fields)) {
    const kept = withoutDirectives(fields[key]);
    if (kept === undefined) delete fields[key];
    else setOwnField<unknown>(fields, key, kept);
  }
  return fields;
}

function dropNulls(value: unknown): void {
  if (Array.isArray(value)) return value.forEach(dropNulls);
  if (!isFields(value)) return;
  const fields = value as Draft;
  for (const key of Object.keys(fields)) {
    if (fields[key] === null) delete fields[key];
    else dropNulls(fields[key]);
  }
}

function badDirective(directive: unknown, item: Fields): ApiError {
  const shown = typeof directive === 'string' ? directive : `%!s(${goType(directive)}=${printGo(directive)})`;
  return new ApiError(500, undefined, `unknown patch type: ${shown} in map: ${printGo(item)}`);
}

function badFormat(problem: string): ApiError {
  return new ApiError(400, 'BadRequest', problem);
}

function unprocessable(): ApiError {
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}
