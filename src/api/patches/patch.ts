/**
 * Patches: pure, and sharing whatever stays as it was; a patch that changes nothing returns its
 * argument. This file has the door and the merge patch of RFC 7386; the strategic merge patch and
 * RFC 6902 have files of their own. Errors are the API server's (v1.34).
 */
import { printedValue } from '../../kernel/printed-value.js';
import { ApiError } from '../errors/api-error.js';
import { isSameJson } from '../values/canonical-json.js';
import { applyJsonPatch, jsonTypeName } from './json-patch.js';
import type { Draft } from '../objects/objects.js';
import { ownField, setOwnField } from '../values/own-fields.js';
import { applyStrategicPatch } from './strategic-patch.js';

/** A patch as a client sends it. */
export interface PatchBody {
  readonly type: 'merge' | 'strategic' | 'json';
  readonly body: unknown;
}

/**
 * The object after the patch; what is not patched keeps its reference, and the object itself is
 * returned when nothing changes. The result is a draft: decoding and validation come later.
 *
 * @throws ApiError 400, 422 or 500
 */
export function applyPatch(object: object, { type, body }: PatchBody): Draft {
  const original = object as Draft;
  switch (type) {
    case 'json':
      return applyJsonPatch(original, body) as Draft;
    case 'merge':
      if (body === null) throw new ApiError(400, 'BadRequest', 'Invalid JSON Patch');
      return applyMergePatch(original, checkObject(body, 'error decoding patch: ')) as Draft;
    case 'strategic':
      return applyStrategicPatch(original, checkObject(body ?? {}, ''));
    default:
      throw unknownType(type);
  }
}

/** A program without types may ask for anything. */
function unknownType(type: never): ApiError {
  const text = 'the body of the request was in an unknown format - accepted media types include: ';
  const accepted = 'application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json';
  const hint = `the type of a patch must be json, merge or strategic, got ${printedValue(type)}`;
  return new ApiError(415, 'UnsupportedMediaType', `${text}${accepted} (${hint})`);
}

type Fields = Readonly<Record<string, unknown>>;

function checkObject(body: unknown, what: string): Fields {
  if (isFields(body)) return body;
  const text = `${what}json: cannot unmarshal ${jsonTypeName(body)} into Go value of type map[string]interface {}`;
  throw new ApiError(400, 'BadRequest', text);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * RFC 7386: null removes, objects merge, everything else replaces. Unlike there, objects within a list lose what is null
 * in them (evanphx/json-patch, merge.go).
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) {
    const next = Array.isArray(patch) ? withoutNulls(patch) : patch;
    return isSameJson(target, next) ? target : next;
  }
  const before = isFields(target) ? target : {};
  let after: Record<string, unknown> | undefined;
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    const own = ownField(before, key);
    if (change === null) {
      if (own === undefined) continue;
      after ??= { ...before };
      delete after[key];
      continue;
    }
    const merged = applyMergePatch(own, change);
    if (merged === own) continue;
    after ??= { ...before };
    setOwnField(after, key, merged);
  }
  return after ?? (isFields(target) ? target : before);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutNulls);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isFields(value)) return value;
  const entries = Object.entries(value);
  const kept = entries.filter(([, item]) => item !== null).map(([name, item]) => [name, withoutNulls(item)] as const);
  const isSame = kept.length === entries.length && kept.every(([name, item]) => item === value[name]);
  return isSame ? value : Object.fromEntries(kept);
}
