/** Bodies of custom resources, whose types their definitions say (apiextensions-apiserver's customresource_handler.go). */
import { duplicateFields } from '../../api/decoding/text-faults.js';
import { unknownPathText } from '../../api/decoding/decode.js';
import { ApiError } from '../../api/errors/api-error.js';
import { decodingProblem } from '../../api/decoding/converter-text.js';
import type { CustomKind } from '../../api/custom/custom-kind.js';
import type { Draft } from '../../api/objects/objects.js';
import { applyPatch } from '../../api/patches/patch.js';
import { canonicalJson, inKeyOrder } from '../../api/values/canonical-json.js';
import { badGroupVersion, readGroupVersion, type GroupVersion } from '../../api/values/group-version.js';
import { badRequest, strategicRefused } from '../../apiserver/store/api-errors.js';
import type { Patch } from '../../apiserver/store/server-types.js';
import { checkLenientPatch } from '../bodies/lenient-patch.js';
import { typeTextProblem } from '../bodies/patched-draft.js';
import { patchedText } from '../bodies/patched-text.js';
import { unrecognized, type StatedBody } from '../bodies/request-body.js';
import { unusablePatch } from '../bodies/unusable-patch.js';
import type { FieldValidation } from '../query-options.js';
import { NO_VERSION } from './custom-type.js';

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
  const untyped = typeTextProblem({ apiVersion, kind: stated });
  if (untyped !== undefined) throw unrecognized(kind.kind, untyped, shown, '');
  const type = readGroupVersion(apiVersion ?? '');
  if (type === undefined) throw unrecognized(kind.kind, badGroupVersion(apiVersion ?? ''), shown, '');
  const kindless = missingKind(stated, shown);
  if (kindless !== undefined && validation === 'Ignore') throw unhandled(kind, [kind.kind, version], kindless);
  if (kindless !== undefined) throw unrecognized(kind.kind, kindless, shown, '');
  if ((apiVersion as unknown) === null) throw unhandled(kind, [stated ?? '', ''], NULL_VERSION);
  const decoded = decodedDraft(kind, version, draft, type);
  if (validation === 'Ignore') return { draft: decoded.draft, warnings: [] };
  const faults = [...yamlFaults, ...duplicateFields(text), ...decoded.unknown].slice(0, MOST_NAMED);
  if (validation === 'Warn' || faults.length === 0) return { draft: decoded.draft, warnings: faults };
  if (type.version === '') throw badRequest(NO_VERSION);
  // It has been read, so that its own type is known.
  const problem = `strict decoding error: ${faults.join(', ')}`;
  throw unhandled({ kind: stated ?? '' }, [stated ?? '', type.version], problem);
}

const NULL_VERSION = '.apiVersion accessor error: <nil> is of the type <nil>, expected string';

function unhandled(
  { kind }: { readonly kind: string },
  [stated, version]: readonly [string, string],
  problem: string,
): ApiError {
  return badRequest(`${stated} in version "${version}" cannot be handled as a ${kind}: ${problem}`);
}

interface Decoded {
  readonly draft: Draft;
  /** What is said of fields that are not known. */
  readonly unknown: readonly string[];
}

/**
 * What is said to be of another kind or group keeps all its fields, and of a version that there is not nothing is known;
 * that it is of another type is found once it is judged.
 */
function decodedDraft(kind: CustomKind, version: string, draft: Draft, stated: GroupVersion): Decoded {
  const isOwn = draft.kind === kind.kind && stated.group === kind.group;
  const isKnown = kind.custom.definition.spec.versions.some(({ name }) => name === stated.version);
  if (isOwn && isKnown) return ownDraft(kind, version, draft);
  const { metadata, unknown } = metadataOf(kind, version, draft, stated);
  if (!isOwn) return { draft: { ...draft, metadata }, unknown };
  const { apiVersion = '', kind: own = '', metadata: _stated, ...others } = draft;
  const names = Object.keys(others).map((name) => unknownPathText(name));
  return { draft: { apiVersion, kind: own, metadata }, unknown: [...unknown, ...names].toSorted() };
}

interface DecodedMetadata {
  readonly metadata: NonNullable<Draft['metadata']>;
  readonly unknown: readonly string[];
}

/** Metadata is looked at whatever the type. @throws ApiError 400 */
function metadataOf(kind: CustomKind, version: string, draft: Draft, stated: GroupVersion): DecodedMetadata {
  const { metadata: own = {} } = draft;
  try {
    const { draft: decoded, unknown } = ownDraft(kind, version, { metadata: own });
    return { metadata: decoded.metadata ?? {}, unknown };
  } catch (error) {
    const problem = error instanceof ApiError && error.code === 400 ? decodingProblem(error.message) : undefined;
    throw problem === undefined ? error : unhandled(kind, [draft.kind ?? '', stated.version], problem);
  }
}

function ownDraft(kind: CustomKind, version: string, draft: Draft): Decoded {
  const unknown: string[] = [];
  const whole = { ...draft, apiVersion: `${kind.group}/${version}`, kind: kind.kind };
  const decoded = kind.decode?.(whole, (path) => unknown.push(unknownPathText(path))) ?? whole;
  return { draft: { ...decoded, apiVersion: draft.apiVersion ?? '', kind: draft.kind ?? '' }, unknown };
}

/** What a patch makes of an object as its client sees it. @throws ApiError 400, 415 or 422 */
export function customPatched(
  { kind, version, typeKey }: { readonly kind: CustomKind; readonly version: string; readonly typeKey: string },
  shown: object,
  patch: Patch,
  { fieldValidation, text }: { readonly fieldValidation: FieldValidation; readonly text: string },
): Valid {
  if (patch.type === 'strategic') throw strategicRefused();
  if (fieldValidation === 'Ignore') checkLenientPatch(patch);
  const patched = applyPatch(shown, patch);
  // The live object is written by name, what the patch sets as it was sent.
  const shownText = (): string => patchedText(inKeyOrder(shown) as object, patch, typeKey);
  const type = readType(patched, shownText);
  const { draft, unknown } = readPatched(kind, version, patched, { type, text: shownText });
  if (fieldValidation === 'Ignore') return { draft, warnings: [] };
  const prefix = patch.type === 'json' ? 'json patch ' : '';
  const faults = [...duplicateFields(text).map((fault) => prefix + fault), ...unknown].slice(0, MOST_NAMED);
  if (fieldValidation === 'Warn' || faults.length === 0) return { draft, warnings: faults };
  throw unusablePatch(shownText(), `strict decoding error: ${faults.join(', ')}`);
}

function missingKind(kind: string | undefined, text: string): string | undefined {
  return (kind ?? '') === '' ? `Object 'Kind' is missing in '${text}'` : undefined;
}

/** Of what type a patched object is said to be. @throws ApiError 422 */
function readType({ apiVersion, kind }: Draft, text: () => string): GroupVersion {
  const untyped = typeTextProblem({ apiVersion, kind });
  if (untyped !== undefined) throw unusablePatch(text(), untyped);
  const type = readGroupVersion(apiVersion ?? '');
  if (type === undefined) throw unusablePatch(text(), badGroupVersion(apiVersion ?? ''));
  const problem = missingKind(kind, text()) ?? ((apiVersion as unknown) === null ? NULL_VERSION : undefined);
  if (problem !== undefined) throw unusablePatch(text(), problem);
  return type;
}

/** @throws ApiError 422 for metadata that has other types */
function readPatched(
  kind: CustomKind,
  version: string,
  patched: Draft,
  { type, text }: { readonly type: GroupVersion; readonly text: () => string },
): Decoded {
  try {
    return decodedDraft(kind, version, patched, type);
  } catch (error) {
    const problem = error instanceof ApiError && error.code === 400 ? decodingProblem(error.message) : undefined;
    throw problem === undefined ? error : unusablePatch(text(), problem);
  }
}
