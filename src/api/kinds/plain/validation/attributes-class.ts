/** Validation of classes of volume attributes (pkg/apis/storage/validation, v1.34). */
import { forbidden, invalid, invalidEach, required, tooLong } from '../../../errors/field-errors.js';
import type { FieldError } from '../../../objects/resource-kind.js';
import { isSameJson } from '../../../values/canonical-json.js';
import { qualifiedName } from '../../../values/names.js';
import { fieldsOf, type PlainRules } from './plain-rules.js';

interface AttributesClass {
  readonly driverName: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const MOST_PARAMETERS = 512;
const MOST_BYTES = 256 * 1024;

/** Of VolumeAttributesClasses. */
export const attributesClassRules: PlainRules = {
  validate: (object) => validateClass(fieldsOf<AttributesClass>(object)),
  validateChange: (next, previous) => {
    const [after, before] = [fieldsOf<AttributesClass>(next), fieldsOf<AttributesClass>(previous)];
    const changed = (['driverName', 'parameters'] as const).filter((field) => !isSameJson(after[field], before[field]));
    return changed.map((field) => forbidden(field, `updates to ${field} are forbidden.`));
  },
};

function validateClass({ driverName = '', parameters = {} }: Partial<AttributesClass>): FieldError[] {
  const name = driverName.toLowerCase();
  const errors = name === '' ? [required('driverName')] : invalidEach('driverName', name, qualifiedName(name));
  const entries = Object.entries(parameters);
  if (entries.length > MOST_PARAMETERS) return [...errors, tooLong('parameters', MOST_PARAMETERS)];
  if ('' in parameters) errors.push(invalid('parameters', '', 'field can not be empty.'));
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (bytes > MOST_BYTES) errors.push(tooLong('parameters', MOST_BYTES));
  if (entries.length === 0) errors.push(required('parameters', 'must contain at least one key/value pair'));
  return errors;
}
