/** Bodies of custom resources, whose types their definitions say (apiextensions-apiserver's customresource_handler.go). */
import { duplicateFields } from '../../api/decoding/text-faults.js';
import { unknownPathText } from '../../api/decoding/decode.js';
import { ApiError } from '../../api/errors/api-error.js';
import type { CustomKind } from '../../api/custom/custom-kind.js';
import type { Draft } from '../../api/objects/objects.js';
import { applyPatch } from '../../api/patches/patch.js';
import { escapedForHtml } from '../../api/values/go-json.js';
import { canonicalJson } from '../../api/values/canonical-json.js';
import { badRequest, strategicRefused } from '../../apiserver/store/api-errors.js';
import type { Patch } from '../../apiserver/store/server-types.js';
import type { StatedBody } from '../bodies/request-body.js';
import type { FieldValidation } from '../query-options.js';

const MOST_NAMED = 100;

/** A draft that can be stored, and what is to be said of it. */
interface Valid {
  readonly draft: Draft;
  readonly warnings: readonly string[];
}

/** A whole body. @throws ApiError 400 */
export function customDraft(
  kind: CustomKind,
  version: string,
  { draft, text = '', yamlFaults = [] }: StatedBody,
  validation: FieldValidation,
): Valid {
  const { decoded, unknown } = decodedDraft(kind, version, draft);
  if (validation === 'Ignore') return { draft: decoded, warnings: [] };
  const faults = [...yamlFaults, ...duplicateFields(text), ...unknown].slice(0, MOST_NAMED);
  if (validation === 'Warn' || faults.length === 0) return { draft: decoded, warnings: faults };
  const problem = `strict decoding error: ${faults.join(', ')}`;
  throw badRequest(`${kind.kind} in version "${version}" cannot be handled as a ${kind.kind}: ${problem}`);
}

function decodedDraft(
  kind: CustomKind,
  version: string,
  draft: Draft,
): { readonly decoded: Draft; readonly unknown: readonly string[] } {
  const unknown: string[] = [];
  const whole = { ...draft, apiVersion: draft.apiVersion ?? `${kind.group}/${version}`, kind: draft.kind ?? kind.kind };
  const decoded = kind.decode?.(whole, (path) => unknown.push(unknownPathText(path))) ?? whole;
  return { decoded, unknown };
}

/** What a patch makes of an object as its client sees it. @throws ApiError 400, 415 or 422 */
export function customPatched(
  { kind, version }: { readonly kind: CustomKind; readonly version: string },
  shown: object,
  patch: Patch,
  { fieldValidation, text }: { readonly fieldValidation: FieldValidation; readonly text: string },
): Valid {
  if (patch.type === 'strategic') throw strategicRefused();
  const patched = applyPatch(shown, patch);
  const { decoded, unknown } = decodedDraft(kind, version, patched);
  if (fieldValidation === 'Ignore') return { draft: decoded, warnings: [] };
  const prefix = patch.type === 'json' ? 'json patch ' : '';
  const faults = [...duplicateFields(text).map((fault) => prefix + fault), ...unknown].slice(0, MOST_NAMED);
  if (fieldValidation === 'Warn' || faults.length === 0) return { draft: decoded, warnings: faults };
  const problem = `strict decoding error: ${faults.join(', ')}`;
  const message = `Invalid value: ${JSON.stringify(escapedForHtml(canonicalJson(patched)))}: ${problem}`;
  const causes = [{ reason: 'FieldValueInvalid', message, field: 'patch' }];
  throw new ApiError(422, 'Invalid', ` "" is invalid: patch: ${message}`, { causes });
}
