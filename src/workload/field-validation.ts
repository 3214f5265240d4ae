/**
 * Validation of the fields that manifests have, as `kubectl --validate` asks the API server for it: names that a
 * kind does not know, and names that stand twice. Mirrors apimachinery's strict decoding errors (v1.34).
 */
import { ApiError } from '../api/errors/api-error.js';
import {
  fieldPathText,
  unknownFields,
  unknownFieldText,
  unknownPathText,
  type FieldPath,
} from '../api/decoding/decode.js';
import type { ResourceKind } from '../api/objects/resource-kind.js';
import { kindRegistry } from '../api/kinds/registry.js';
import type { SimulatedObject } from './manifest.js';

/** What becomes of unknown and duplicate fields: they are refused, told of, or dropped without a word. */
export type FieldValidation = 'strict' | 'warn' | 'ignore';

/** Faults of one object that a message names; upstream stops at as many. */
const MAX_NAMED = 100;

/** An unknown field, or one that stands twice. */
export interface FieldFault {
  /** `unknown field "spec.foo"`. */
  readonly text: string;
  readonly path: FieldPath;
  readonly position: string;
}

/**
 * Looks for unknown and duplicate fields.
 *
 * @param onWarning - told of each, with its place, where they are to be told of
 * @throws ApiError 400 that names all of the first object that has any; for a wrong type also where they are ignored
 */
export function validateFields(
  objects: readonly SimulatedObject[],
  validation: FieldValidation,
  onWarning: (warning: string) => void,
): void {
  for (const object of objects) {
    // What a definition says of its objects is known once it is applied.
    if (!object.isCustom) judgeFaults(object, fieldFaults(object), validation, onWarning);
  }
}

/** {@link validateFields} of an object whose kind a definition has brought. */
export function validateCustomFields(
  object: SimulatedObject,
  resource: ResourceKind,
  validation: FieldValidation,
  onWarning: (warning: string) => void,
): void {
  const { draft, source } = object;
  const unknown: FieldFault[] = [];
  resource.decode?.(draft, (path) => unknown.push({ text: unknownPathText(path), path: [path], position: source }));
  judgeFaults(object, [...unknown, ...duplicateFaults(object)], validation, onWarning);
}

function judgeFaults(
  object: SimulatedObject,
  faults: readonly FieldFault[],
  validation: FieldValidation,
  onWarning: (warning: string) => void,
): void {
  if (validation === 'strict') refuse(object, faults);
  if (validation === 'warn') for (const { text, position } of faults) onWarning(`${text} (${position})`);
}

/** What is wrong with an object's fields, in the order of its lines. @throws ApiError 400 for a wrong type */
export function fieldFaults(object: SimulatedObject): readonly FieldFault[] {
  const { positionOf, isCustom } = object;
  if (isCustom) return duplicateFaults(object);
  const unknown = unknownOf(object).map((path): FieldFault => {
    return { text: unknownFieldText(path), path, position: positionOf(path) };
  });
  return [...unknown, ...duplicateFaults(object)].sort((a, b) => lineOf(a.position) - lineOf(b.position));
}

/** Upstream's words for a wrong type name no place, and those for a wrong quantity no field either. */
function unknownOf({ kind, draft, positionOf, other }: SimulatedObject): readonly FieldPath[] {
  let at: FieldPath = [];
  try {
    return unknownFields(other?.written ?? kindRegistry[kind], draft, (path) => (at = path));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const field = at.length === 0 ? '' : ` (${fieldPathText(at)})`;
    throw new ApiError(error.code, error.reason, `${positionOf(at)}: ${error.message}${field}`, error.details);
  }
}

function duplicateFaults({ duplicates }: SimulatedObject): readonly FieldFault[] {
  return duplicates.map(({ path, position }) => {
    return { text: `duplicate field "${fieldPathText(path)}"`, path, position };
  });
}

function refuse({ draft }: SimulatedObject, faults: readonly FieldFault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const { kind = '', apiVersion = '' } = draft;
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const named = faults.slice(0, MAX_NAMED);
  const texts = named.map(({ text }) => text).join(', ');
  const lines = [...new Set(named.map(({ position }) => lineOf(position)))];
  const where = lines.length === 1 ? '' : ` (lines ${lines.join(', ')})`;
  throw new ApiError(
    400,
    'BadRequest',
    `${first.position}: ${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${texts}${where}`,
  );
}

/** Of `file:line`; 0 of an object that was no text. */
function lineOf(position: string): number {
  return Number(/:(\d+)$/.exec(position)?.[1] ?? 0);
}
