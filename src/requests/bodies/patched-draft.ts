/**
 * What a patch makes of an object, held against the object's type: a wrong type, and a field that is not known, are
 * refused or told of in the words of patches. Mirrors apiserver/pkg/endpoints/handlers/patch.go and apimachinery's
 * converter of unstructured objects (v1.34).
 */
import { decodeDraft } from '../../api/decoding/decode.js';
import { duplicateFields, textFaults } from '../../api/decoding/text-faults.js';
import { ApiError } from '../../api/errors/api-error.js';
import { kindRegistry } from '../../api/kinds/registry.js';
import type { AnyObject, Draft, Kind } from '../../api/objects/objects.js';
import { applyPatch } from '../../api/patches/patch.js';
import { printGo } from '../../api/patches/strategic-patch.js';
import { typeKeyOf } from '../../api/types/type-facts.js';
import type { Patch } from '../../apiserver/store/server-types.js';
import { patchedText } from './patched-text.js';
import type { FieldValidation } from '../query-options.js';

/** Faults that are told at most, as for whole bodies. */
const MOST_NAMED = 100;

/**
 * @param text - of the patch, which may say a thing twice
 * @returns the object after the patch, and what is to be warned of
 * @throws ApiError 400, 422 or 500
 */
export function checkPatched(
  kind: Kind,
  live: AnyObject,
  patch: Patch,
  validation: FieldValidation,
  text: string,
): { readonly draft: Draft; readonly warnings: readonly string[] } {
  const resource = kindRegistry[kind];
  const patched = applyPatch(live, patch);
  const isStrategic = patch.type === 'strategic';
  const shown = (): string =>
    isStrategic ? printGo(leftOf(patch.body)) : patchedText(live, patch, typeKeyOf(resource));
  const unknown: string[] = [];
  try {
    decodeDraft(resource, patched, (fault) => unknown.push(fault));
  } catch (error) {
    const problem = error instanceof ApiError && error.code === 400 ? decodingProblem(error.message) : undefined;
    if (problem === undefined) throw error;
    throw unusablePatch(shown(), isStrategic ? converterText(problem) : problem);
  }
  if (validation === 'Ignore') return { draft: patched, warnings: [] };
  const prefix = patch.type === 'json' ? 'json patch ' : '';
  const twice = duplicateFields(text).map((fault) => prefix + fault);
  const inOrder = unknown.length === 0 || isStrategic ? unknown : textFaults(shown(), typeKeyOf(resource));
  const named = [...twice, ...inOrder].slice(0, MOST_NAMED);
  if (validation === 'Warn' || named.length === 0) return { draft: patched, warnings: named };
  throw unusablePatch(shown(), `strict decoding error: ${named.join(', ')}`);
}

const ELEMENT_ORDER = '$setElementOrder/';

/** What upstream leaves of a patch when it has applied it: lists whose order was laid down are gone. */
function leftOf(patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const gone = new Set(['$retainKeys']);
  for (const name of Object.keys(patch)) {
    if (name.startsWith(ELEMENT_ORDER)) gone.add(name).add(name.slice(ELEMENT_ORDER.length));
  }
  const left = Object.entries(patch).filter(([name]) => !gone.has(name));
  return Object.fromEntries(left.map(([name, value]) => [name, leftOf(value)]));
}

/** What the decoder said, without what it was about; undefined for another refusal. */
function decodingProblem(message: string): string | undefined {
  return /cannot be handled as a \w+: (.*)$/s.exec(message)?.[1];
}

function unusablePatch(shown: string, problem: string): ApiError {
  const message = `Invalid value: ${JSON.stringify(shown)}: ${problem}`;
  const causes = [{ reason: 'FieldValueInvalid', message, field: 'patch' }];
  return new ApiError(422, 'Invalid', ` "" is invalid: patch: ${message}`, { causes });
}

/** Go's kinds of what JSON holds. */
const KINDS: Readonly<Record<string, string>> = { number: 'int64', object: 'map', array: 'slice' };
const SIMPLE_TYPES: ReadonlySet<string> = new Set(['string', 'bool', 'int32', 'int64', 'float64']);

/** A wrong type as the converter of unstructured objects tells it, which does not say where. */
function converterText(problem: string): string {
  const [, got = '', type = ''] =
    /^json: cannot unmarshal (.+) into Go struct field \S+ of type (\S+)$/.exec(problem) ?? [];
  if (type === '') return problem;
  const kind = got.startsWith('number ') ? 'float64' : (KINDS[got] ?? got);
  if (SIMPLE_TYPES.has(type)) {
    const isNumber = kind === 'int64' || kind === 'float64';
    return isNumber && type !== 'bool' ? `cannot convert ${kind} to ${type}` : `unrecognized type: ${type}`;
  }
  if (type.startsWith('[]')) return `cannot restore slice from ${kind}`;
  if (type.startsWith('map[') || type === 'v1.ResourceList') return `cannot restore map from ${kind}`;
  return /^v\d/.test(type) ? `cannot restore struct from: ${kind}` : problem;
}
