/**
 * Patches of which no fields are checked: they are not read strictly before they are applied, so that the library which
 * applies them has the word (gopkg.in/evanphx/json-patch.v4, as apiserver/pkg/endpoints/handlers/patch.go has it, v1.34).
 */
import { badRequest } from '../../apiserver/store/api-errors.js';
import type { Patch } from '../../apiserver/store/server-types.js';
import { jsonTypeName, refused } from '../../api/patches/json-patch.js';
import { applyMergePatch } from '../../api/patches/patch.js';
import { GO_TYPE_META } from './request-body.js';
import { unusablePatch } from './unusable-patch.js';

/** @throws ApiError 400 or 422 for what is no patch */
export function checkLenientPatch({ type, body }: Patch): void {
  if (type === 'json') checkOperations(body);
  if (type !== 'merge' || (typeof body === 'object' && body !== null && !Array.isArray(body))) return;
  if (!Array.isArray(body)) throw badRequest('Invalid JSON Patch');
  // A list takes the place of the object.
  const what = `json: cannot unmarshal array into Go value of type ${GO_TYPE_META}`;
  const shown = JSON.stringify(applyMergePatch(undefined, body));
  throw unusablePatch(shown, `couldn't get version/kind; json parse error: ${what}`);
}

function checkOperations(body: unknown): void {
  if (!Array.isArray(body)) throw unread(body, 'Patch');
  for (const operation of body as readonly unknown[]) {
    if (operation === null) continue;
    if (typeof operation !== 'object' || Array.isArray(operation)) throw unread(operation, 'Operation');
    const { op, path, from } = operation as Readonly<Record<string, unknown>>;
    if ([op, path, from].some((each) => (each ?? '') !== '' && typeof each !== 'string')) throw refused();
  }
}

function unread(value: unknown, type: string): Error {
  return badRequest(`json: cannot unmarshal ${jsonTypeName(value)} into Go value of type jsonpatch.${type}`);
}
