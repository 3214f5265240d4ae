/**
 * What a patch makes of an object, held against the object's type: a wrong type, and a field that is not known, are
 * refused or told of in the words of patches. Mirrors apiserver/pkg/endpoints/handlers/patch.go and apimachinery's
 * converter of unstructured objects (v1.34).
 */
import { convertDraft, decodeDraft, unknownFieldText } from '../../api/decoding/decode.js';
import { decodingProblem } from '../../api/decoding/converter-text.js';
import { duplicateFields, textFaults } from '../../api/decoding/text-faults.js';
import { ApiError } from '../../api/errors/api-error.js';
import { kindRegistry } from '../../api/kinds/registry.js';
import type { Draft } from '../../api/objects/objects.js';
import { applyPatch } from '../../api/patches/patch.js';
import { jsonTypeName } from '../../api/patches/json-patch.js';
import { printGo } from '../../api/patches/print-go.js';
import { strategicPatched } from '../../api/patches/strategic-patch.js';
import { goEncoded } from '../../api/types/go-encoding.js';
import { typeKeyOf } from '../../api/types/type-facts.js';
import type { Patch } from '../../apiserver/store/server-types.js';
import { checkLenientPatch } from './lenient-patch.js';
import { unusablePatch } from './unusable-patch.js';
import { patchedText } from './patched-text.js';
import type { FieldValidation } from '../query-options.js';

/** Faults that are told at most, as for whole bodies. */
const MOST_NAMED = 100;

/** The object after a patch, and what is to be warned of. */
interface CheckedPatch {
  readonly draft: Draft;
  readonly warnings: readonly string[];
  /** Whether the draft is not quite what the patch says: numbers have lost their upper bits, say. */
  readonly isConverted: boolean;
}

/**
 * @param text - of the patch, which may say a thing twice
 * @throws ApiError 400, 422 or 500
 */
export function checkPatched(
  resource: TypeNames,
  live: object,
  patch: Patch,
  validation: FieldValidation,
  text: string,
): CheckedPatch {
  if (validation === 'Ignore') checkLenientPatch(patch);
  const patched = patchedOf(live, patch, typeKeyOf(resource));
  const isStrategic = patch.type === 'strategic';
  const shown = (): string =>
    isStrategic
      ? printGo(strategicPatched(live as Fields, patch.body as Fields).left)
      : patchedText(live, patch, typeKeyOf(resource));
  const unknown: string[] = [];
  const note = (fault: string): void => void unknown.push(fault);
  const converted = isStrategic ? conversionOf(resource, patched, note) : undefined;
  const problem = converted === undefined ? problemOf(resource, patched, note) : converted.problem;
  const draft = converted?.draft ?? patched;
  const isConverted = draft !== patched;
  if (problem !== undefined && isStrategic) throw unusablePatch(shown(), problem);
  if (problem !== undefined) {
    // The first one is told in the order of the text.
    const inText = problemOf(resource, JSON.parse(shown()) as Draft, () => undefined);
    throw unusablePatch(shown(), inText ?? problem);
  }
  if (validation === 'Ignore') return { draft, warnings: [], isConverted };
  const prefix = patch.type === 'json' ? 'json patch ' : '';
  const twice = duplicateFields(text).map((fault) => prefix + fault);
  const inOrder = unknown.length === 0 || isStrategic ? unknown.toSorted() : textFaults(shown(), typeKeyOf(resource));
  const named = [...twice, ...inOrder].slice(0, MOST_NAMED);
  if (validation === 'Warn' || named.length === 0) return { draft, warnings: named, isConverted };
  throw unusablePatch(shown(), `strict decoding error: ${named.join(', ')}`);
}

type Fields = Readonly<Record<string, unknown>>;
type TypeNames = Readonly<Record<'kind' | 'group' | 'version', string>>;

/** A refusal shows the object in Go's form. @throws ApiError 400, 422 or 500 */
function patchedOf(live: object, patch: Patch, typeKey: string): Draft {
  try {
    return applyPatch(live, patch);
  } catch (error) {
    if (error instanceof ApiError && error.code === 500) return applyPatch(goEncoded(live, typeKey), patch);
    throw error;
  }
}

/** An object that is no longer text, converted to its type, or why it cannot be. */
export interface Conversion {
  readonly draft?: Draft;
  /** In the words of the converter. */
  readonly problem?: string;
}

/** See {@link Conversion}. @throws ApiError for any other refusal */
export function conversionOf(resource: TypeNames, draft: Draft, onUnknown: (fault: string) => void): Conversion {
  let converted: Draft | undefined;
  const problem = problemOf(resource, draft, onUnknown, () => {
    converted = convertDraft(resource, draft, (path) => onUnknown(unknownFieldText(path)));
  });
  if (problem !== undefined) return { problem };
  return converted === undefined ? {} : { draft: converted };
}

/** Why an object cannot be read. @throws ApiError for any other refusal */
function problemOf(
  resource: TypeNames,
  draft: Draft,
  onUnknown: (fault: string) => void,
  read: () => unknown = () => decodeDraft(resource, draft, onUnknown),
): string | undefined {
  const { apiVersion = '', kind = '' } = draft as Readonly<Partial<Record<'apiVersion' | 'kind', unknown>>>;
  const untyped = typeTextProblem({ apiVersion, kind });
  if (untyped !== undefined) return untyped;
  if (typeof kind === 'string' && kind !== '' && kind !== resource.kind && !isKnownKind(kind)) {
    const scheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';
    return `no kind "${kind}" is registered for version "${typeof apiVersion === 'string' ? apiVersion : ''}" ${scheme}`;
  }
  try {
    read();
    return undefined;
  } catch (error) {
    const problem = error instanceof ApiError && error.code === 400 ? decodingProblem(error.message) : undefined;
    if (problem === undefined) throw error;
    return problem;
  }
}

/** What is said of a version or a kind that is no text. */
export function typeTextProblem(type: Readonly<Partial<Record<'apiVersion' | 'kind', unknown>>>): string | undefined {
  for (const [field, value] of Object.entries(type)) {
    if (value === undefined || value === null || typeof value === 'string') continue;
    const what = `cannot unmarshal ${jsonTypeName(value)} into Go struct field .${field} of type string`;
    return `couldn't get version/kind; json parse error: json: ${what}`;
  }
  return undefined;
}

function isKnownKind(kind: string): boolean {
  return Object.values(kindRegistry).some((each) => each.kind === kind);
}
