/**
 * Validation of the fields that manifests have, as `kubectl --validate` asks the API server for it: names that a
 * kind does not know, and names that stand twice. Mirrors apimachinery's strict decoding errors (v1.34).
 */
import { ApiError } from '../api/errors/api-error.js';
import { fieldPathText, unknownFields, unknownFieldText, type FieldPath } from '../api/decoding/decode.js';
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
    const faults = fieldFaults(object);
    if (validation === 'strict') refuse(object, faults);
    if (validation === 'warn') for (const { text, position } of faults) onWarning(`${text} (${position})`);
  }
}

/** What is wrong with an object's fields, in the order of its lines. @throws ApiError 400 for a wrong type */
export function fieldFaults({ kind, draft, positionOf, duplicates }: SimulatedObject): readonly FieldFault[] {
  const unknown = unknownFields(kindRegistry[kind], draft).map((path): FieldFault => {
    return { text: unknownFieldText(path), path, position: positionOf(path) };
  });
  const doubled = duplicates.map(({ path, position }): FieldFault => {
    return { text: `duplicate field "${fieldPathText(path)}"`, path, position };
  });
  return [...unknown, ...doubled].sort((a, b) => lineOf(a.position) - lineOf(b.position));
}

function refuse({ kind }: SimulatedObject, faults: readonly FieldFault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const { version } = kindRegistry[kind];
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
