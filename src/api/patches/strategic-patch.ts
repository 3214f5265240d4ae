/**
 * Kubernetes' strategic merge patch: lists of objects merge by a key, lists of some texts as sets, all
 * others are replaced; directives delete, replace and order. Mirrors apimachinery's
 * util/strategicpatch (v1.34).
 */
import { ApiError } from '../errors/api-error.js';
import { isSameJson } from '../values/canonical-json.js';
import { ownField, setOwnField } from '../values/own-fields.js';

type Fields = Readonly<Record<string, unknown>>;

/** Merge keys by the path of the list, below a pod's spec. */
const POD_SPEC_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  volumes: 'name',
  imagePullSecrets: 'name',
  schedulingGates: 'name',
  resourceClaims: 'name',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
};
const CONTAINER_KEYS: Readonly<Record<string, string>> = {
  env: 'name',
  ports: 'containerPort',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
};
/** Merge keys of lists that have one name and one key wherever they are. */
const COMMON_KEYS: Readonly<Record<string, string>> = {
  ownerReferences: 'uid',
  conditions: 'type',
  addresses: 'type',
  podIPs: 'ip',
  hostIPs: 'ip',
  secrets: 'name',
};
/** Lists of texts that merge as sets. */
const SET_LISTS: ReadonlySet<string> = new Set(['finalizers', 'podCIDRs']);

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_PRIMITIVES = '$deleteFromPrimitiveList/';
const ELEMENT_ORDER = '$setElementOrder/';

/** Where in an object a list stands: its own name and the name of the list or object around it. */
interface Place {
  readonly parent: string;
  readonly kind: string;
}

/** The object after the patch. @throws ApiError 500 for a directive or a list item that cannot be read */
export function applyStrategicPatch(object: Fields, patch: Fields): Fields {
  const kind = typeof object['kind'] === 'string' ? object['kind'] : '';
  return mergeFields(object, patch, { parent: '', kind });
}

function mergeKeyOf(list: string, { parent, kind }: Place): string | undefined {
  if (list === 'ports') {
    if (kind === 'Service') return parent === 'spec' ? 'port' : undefined;
    return CONTAINER_KEYS[list];
  }
  return ownField(POD_SPEC_KEYS, list) ?? ownField(CONTAINER_KEYS, list) ?? ownField(COMMON_KEYS, list);
}

function mergeFields(target: Fields, patch: Fields, place: Place): Fields {
  const directive = patch[DIRECTIVE];
  if (directive !== undefined) {
    const { [DIRECTIVE]: _directive, ...rest } = patch;
    if (directive === 'replace') return withoutDirectives(rest) as Fields;
    if (directive === 'delete') return {};
    if (directive !== 'merge') throw badDirective(directive, patch);
  }
  let after: Record<string, unknown> | undefined;
  const set = (key: string, value: unknown): void => {
    after ??= { ...target };
    if (value === undefined) delete after[key];
    else setOwnField(after, key, value);
  };
  for (const key of retained(target, patch)) set(key, undefined);
  for (const key of Object.keys(patch)) {
    if (key.startsWith('$')) continue;
    const before = ownField(target, key);
    const merged = mergeValue(before, patch, key, place);
    if (merged !== before) set(key, merged);
  }
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(DELETE_PRIMITIVES)) continue;
    const list = key.slice(DELETE_PRIMITIVES.length);
    const [before, gone] = [ownField(after ?? target, list), patch[key]];
    if (!Array.isArray(before) || !Array.isArray(gone)) continue;
    const kept = before.filter((item) => !gone.includes(item));
    if (kept.length < before.length) set(list, kept);
  }
  return after ?? target;
}

/** Keys of the target that `$retainKeys` drops. */
function retained(target: Fields, patch: Fields): readonly string[] {
  const keys = patch[RETAIN_KEYS];
  return Array.isArray(keys) ? Object.keys(target).filter((key) => !keys.includes(key)) : [];
}

function mergeValue(before: unknown, patch: Fields, key: string, place: Place): unknown {
  const change = patch[key];
  if (change === null) return undefined;
  if (Array.isArray(change)) return mergeList(before, change, { patch, key, place });
  if (isFields(change)) {
    const merged = mergeFields(isFields(before) ? before : {}, change, { ...place, parent: key });
    return !isFields(before) && change[DIRECTIVE] === 'delete' ? undefined : merged;
  }
  return isSameJson(before, change) ? before : change;
}

interface ListContext {
  readonly patch: Fields;
  readonly key: string;
  readonly place: Place;
}

function mergeList(before: unknown, change: readonly unknown[], { patch, key, place }: ListContext): unknown {
  const items = Array.isArray(before) ? (before as readonly unknown[]) : [];
  const isSet = SET_LISTS.has(key);
  const mergeKey = isSet ? undefined : mergeKeyOf(key, place);
  if (!isSet && mergeKey === undefined) return isSameJson(before, change) ? before : change;
  const merged =
    mergeKey === undefined
      ? [...new Set([...items, ...change])]
      : mergeKeyedList(items, change, mergeKey, { ...place, parent: key });
  const order = patch[ELEMENT_ORDER + key];
  const ordered = inOrder(merged, Array.isArray(order) ? order : change, items, mergeKey);
  const isSame =
    Array.isArray(before) && ordered.length === items.length && ordered.every((item, at) => item === items[at]);
  return isSame ? before : ordered;
}

function mergeKeyedList(
  items: readonly unknown[],
  change: readonly unknown[],
  mergeKey: string,
  place: Place,
): readonly unknown[] {
  const isReplaced = change.some((item) => isFields(item) && item[DIRECTIVE] === 'replace');
  let merged: unknown[] = isReplaced ? [] : [...items];
  for (const item of change) {
    if (!isFields(item)) throw new ApiError(500, undefined, 'expected map for list element in strategic merge patch');
    const { [DIRECTIVE]: directive, ...own } = item;
    if (directive === 'replace' && Object.keys(own).length === 0) continue;
    const identity = own[mergeKey];
    if (identity === undefined) {
      throw new ApiError(500, undefined, `map: ${printGo(item)} does not contain declared merge key: ${mergeKey}`);
    }
    const index = merged.findIndex((each) => isFields(each) && each[mergeKey] === identity);
    if (directive === 'delete') {
      merged = merged.filter((each) => !isFields(each) || each[mergeKey] !== identity);
      continue;
    }
    if (directive !== undefined && directive !== 'replace' && directive !== 'merge')
      throw badDirective(directive, item);
    if (index === -1) merged.push(withoutDirectives(own));
    else merged[index] = mergeFields(merged[index] as Fields, own, place);
  }
  return merged;
}

/**
 * The merged items as upstream orders them: those of the patch in the patch's order, each of the others
 * before the first of the patch's that it preceded in the stored list, or at the end.
 */
function inOrder(
  merged: readonly unknown[],
  order: readonly unknown[],
  stored: readonly unknown[],
  mergeKey: string | undefined,
): readonly unknown[] {
  const identityOf = (item: unknown): unknown => (mergeKey !== undefined && isFields(item) ? item[mergeKey] : item);
  const wanted = order.map(identityOf);
  const storedAt = new Map(stored.map((item, index) => [identityOf(item), index]));
  const others = merged.filter((item) => !wanted.includes(identityOf(item)));
  const named = merged
    .filter((item) => wanted.includes(identityOf(item)))
    .sort((left, right) => wanted.indexOf(identityOf(left)) - wanted.indexOf(identityOf(right)));
  const result: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const place = storedAt.get(identityOf(item)) ?? -1;
    while (next < others.length && (storedAt.get(identityOf(others[next])) ?? place) < place) {
      result.push(others[next]);
      next += 1;
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

/** What a patch says of something that was not there: without directives and nulls. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value
      .filter((item) => !isFields(item) || item[DIRECTIVE] === undefined || item[DIRECTIVE] === 'merge')
      .map((item) => withoutDirectives(item));
  }
  if (!isFields(value)) return value;
  const clean: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (!key.startsWith('$') && field !== null) setOwnField(clean, key, withoutDirectives(field));
  }
  return clean;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function badDirective(directive: unknown, item: Fields): ApiError {
  return new ApiError(500, undefined, `unknown patch type: ${printGo(directive)} in map: ${printGo(item)}`);
}

/** A map as Go prints it: sorted keys, no quotes. */
export function printGo(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => printGo(item)).join(' ')}]`;
  if (value === null) return '<nil>';
  if (!isFields(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${key}:${printGo(value[key])}`);
  return `map[${fields.join(' ')}]`;
}
