/** Bodies of custom resources, whose types their definitions say (apiextensions-apiserver's customresource_handler.go). */
import { duplicateFields } from '../../api/decoding/text-faults.js';
import { badApiVersion, unknownPathText } from '../../api/decoding/decode.js';
import { ApiError } from '../../api/errors/api-error.js';
import { invalid, invalidError } from '../../api/errors/field-errors.js';
import { judgedBesideType, type CustomKind } from '../../api/custom/custom-kind.js';
import type { Draft } from '../../api/objects/objects.js';
import { applyPatch } from '../../api/patches/patch.js';
import { canonicalJson, inKeyOrder } from '../../api/values/canonical-json.js';
import { badRequest, strategicRefused } from '../../apiserver/store/api-errors.js';
import type { Patch } from '../../apiserver/store/server-types.js';
import { decodingProblem, typeTextProblem, unusablePatch } from '../bodies/patched-draft.js';
import { patchedText } from '../bodies/patched-text.js';
import { unrecognized, type StatedBody } from '../bodies/request-body.js';
import type { FieldValidation } from '../query-options.js';
import type { ServedResource } from '../served-resources.js';

const MOST_NAMED = 100;

/** A draft that can be stored, and what is to be said of it. */
interface Valid {
  readonly draft: Draft;
  readonly warnings: readonly string[];
}

/** A whole body, which says of what type it is. @throws ApiError 400 */
export function customDraft(
  kind: CustomKind,
  version: string,
  { draft, text = '', yamlFaults = [] }: StatedBody,
  validation: FieldValidation,
): Valid {
  const { apiVersion, kind: stated } = draft;
  const shown = text === '' ? canonicalJson(draft) : text;
  const untyped = typeTextProblem({ apiVersion, kind: stated }) ?? missingKind(stated, shown);
  if (untyped !== undefined && validation === 'Ignore') throw unhandled(kind, [kind.kind, version], untyped);
  if (untyped !== undefined) throw unrecognized(kind.kind, untyped, shown, '');
  if ((apiVersion ?? '') === '') throw badApiVersion('', `${kind.group}/${version}`);
  const { decoded, unknown } = readStated(kind, version, draft);
  if (validation === 'Ignore') return { draft: decoded, warnings: [] };
  const faults = [...yamlFaults, ...duplicateFields(text), ...unknown].slice(0, MOST_NAMED);
  if (validation === 'Warn' || faults.length === 0) return { draft: decoded, warnings: faults };
  const type = [stated ?? '', apiVersion?.split('/').at(-1) ?? ''] as const;
  throw unhandled(kind, type, `strict decoding error: ${faults.join(', ')}`);
}

function unhandled({ kind }: CustomKind, [stated, version]: readonly [string, string], problem: string): ApiError {
  return badRequest(`${stated} in version "${version}" cannot be handled as a ${kind}: ${problem}`);
}

/** What is of another kind or group is read as it is; of a version that there is not nothing is known. */
function readStated(kind: CustomKind, version: string, draft: Draft): ReturnType<typeof decodedDraft> {
  const [group, stated = ''] = (draft.apiVersion ?? '').split('/');
  if (draft.kind !== kind.kind || group !== kind.group) return { decoded: draft, unknown: [] };
  if (kind.custom.definition.spec.versions.some(({ name }) => name === stated)) {
    return decodedDraft(kind, version, draft);
  }
  const unknown = Object.keys(draft).filter((name) => !['apiVersion', 'kind', 'metadata'].includes(name));
  return { decoded: draft, unknown: unknown.toSorted().map((name) => unknownPathText(name)) };
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

/**
 * What is to be written is of the type of its path.
 *
 * @param previous - what a patch was of, whose outcome it is
 * @throws ApiError 400 for a whole body of another version, 422 about the type that the object says it is of
 */
export function checkCustomType(
  { custom, group, version, kind: wanted }: ServedResource,
  draft: Draft,
  previous?: object,
): void {
  if (custom === undefined) return;
  const { kind = wanted, apiVersion = '', metadata } = draft;
  const expected = `${group}/${version}`;
  if (apiVersion !== expected && previous === undefined) throw badApiVersion(apiVersion, expected);
  const errors = [
    ...(kind === wanted ? [] : [invalid('kind', kind, `must be ${wanted}`)]),
    ...(apiVersion === expected ? [] : [invalid('apiVersion', apiVersion, `must be ${expected}`)]),
  ];
  const stated = { kind, group: apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '' };
  if (errors.length === 0) return;
  // Its schema is not asked any more, but the rest is.
  const beside = judgedBesideType(custom.kind, version, { object: draft, previous }, errors);
  throw invalidError(stated, metadata?.name ?? '', [...errors, ...beside]);
}

/** What a patch makes of an object as its client sees it. @throws ApiError 400, 415 or 422 */
export function customPatched(
  { kind, version, typeKey }: { readonly kind: CustomKind; readonly version: string; readonly typeKey: string },
  shown: object,
  patch: Patch,
  { fieldValidation, text }: { readonly fieldValidation: FieldValidation; readonly text: string },
): Valid {
  if (patch.type === 'strategic') throw strategicRefused();
  const patched = applyPatch(shown, patch);
  // The live object is written by name, what the patch sets as it was sent.
  const shownText = (): string => patchedText(inKeyOrder(shown) as object, patch, typeKey);
  const untyped = typeProblem(patched, shownText);
  if (untyped !== undefined) throw unusablePatch(shownText(), untyped);
  const { decoded, unknown } = readPatched(kind, version, patched, shownText);
  if (fieldValidation === 'Ignore') return { draft: decoded, warnings: [] };
  const prefix = patch.type === 'json' ? 'json patch ' : '';
  const faults = [...duplicateFields(text).map((fault) => prefix + fault), ...unknown].slice(0, MOST_NAMED);
  if (fieldValidation === 'Warn' || faults.length === 0) return { draft: decoded, warnings: faults };
  throw unusablePatch(shownText(), `strict decoding error: ${faults.join(', ')}`);
}

function missingKind(kind: string | undefined, text: string): string | undefined {
  return (kind ?? '') === '' ? `Object 'Kind' is missing in '${text}'` : undefined;
}

/** Why it cannot be said of what type a patched object is. @throws ApiError 500 for one without a version */
function typeProblem(patched: Draft, text: () => string): string | undefined {
  const { apiVersion, kind } = patched;
  const untyped = typeTextProblem({ apiVersion, kind });
  if (untyped !== undefined) return untyped;
  const kindless = missingKind(kind, text());
  if (kindless !== undefined) return kindless;
  if ((apiVersion as unknown) === null)
    return '.apiVersion accessor error: <nil> is of the type <nil>, expected string';
  if ((apiVersion ?? '') !== '') return undefined;
  const message = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
  throw new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** @throws ApiError 422 for metadata that has other types */
function readPatched(
  kind: CustomKind,
  version: string,
  patched: Draft,
  text: () => string,
): ReturnType<typeof decodedDraft> {
  // Another type than that of the path is refused once the object is judged.
  const type = { apiVersion: `${kind.group}/${version}`, kind: kind.kind };
  const { apiVersion = '', kind: stated = '' } = patched;
  try {
    const { decoded, unknown } = decodedDraft(kind, version, { ...patched, ...type });
    const isOfKind = stated === kind.kind && apiVersion.startsWith(`${kind.group}/`);
    return { decoded: { ...decoded, apiVersion, kind: stated }, unknown: isOfKind ? unknown : [] };
  } catch (error) {
    const problem = error instanceof ApiError && error.code === 400 ? decodingProblem(error.message) : undefined;
    throw problem === undefined ? error : unusablePatch(text(), problem);
  }
}
