/**
 * What `kubectl apply` does on the client: the patch that turns the live object into the manifest,
 * where "no longer in the manifest" means a field that the last applied manifest had.
 */

import { ownField, setOwnField } from '../api/values/own-fields.js';

/** Lists that merge by a key in strategic merge patches, by field name. */
const LIST_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
  imagePullSecrets: 'name',
  schedulingGates: 'name',
  volumeMounts: 'mountPath',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
};

type Fields = Readonly<Record<string, unknown>>;

/** A strategic merge patch with the whole of `next`, and deletions for what only `last` had. */
export function applyPatch(last: Fields, next: Fields): Fields {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(last)) {
    if (!Object.hasOwn(next, key)) setOwnField(patch, key, null);
  }
  for (const [key, value] of Object.entries(next)) setOwnField(patch, key, mergeField(key, ownField(last, key), value));
  return patch;
}

/** A merge patch of RFC 7386 for kinds whose lists have no keys that clients know. */
export function mergePatch(last: Fields, next: Fields): Fields {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(last)) if (!Object.hasOwn(next, key)) setOwnField(patch, key, null);
  for (const [key, value] of Object.entries(next)) {
    const before = ownField(last, key);
    setOwnField(patch, key, isFields(value) ? mergePatch(isFields(before) ? before : {}, value) : value);
  }
  return patch;
}

function mergeField(key: string, last: unknown, next: unknown): unknown {
  if (isFields(last) && isFields(next)) return applyPatch(last, next);
  const mergeKey = ownField(LIST_KEYS, key) ?? (key === 'ports' ? portKey(next) : undefined);
  if (mergeKey !== undefined && isFieldsList(last) && isFieldsList(next)) return mergeList(mergeKey, last, next);
  return next;
}

/** Containers merge ports by containerPort, services by port. */
function portKey(ports: unknown): string {
  return isFieldsList(ports) && ports.some((port) => 'containerPort' in port) ? 'containerPort' : 'port';
}

function mergeList(mergeKey: string, last: readonly Fields[], next: readonly Fields[]): readonly Fields[] {
  const lastByKey = new Map(last.map((item) => [item[mergeKey], item]));
  const kept = next.map((item) => {
    const previous = lastByKey.get(item[mergeKey]);
    lastByKey.delete(item[mergeKey]);
    return previous === undefined ? item : applyPatch(previous, item);
  });
  const removed = [...lastByKey.keys()].map((key) => ({ [mergeKey]: key, $patch: 'delete' }));
  return [...kept, ...removed];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFieldsList(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.every(isFields);
}
