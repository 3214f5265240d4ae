import { invalidEach, required } from '../../../errors/field-errors.js';
import type { PlainObject } from '../../../objects/plain-kinds.js';
import type { FieldError } from '../../../objects/resource-kind.js';
import { pathSegmentName, type NameCheck } from '../../../values/names.js';

type Judge = (object: PlainObject) => readonly FieldError[];
type JudgeOfChange = (next: PlainObject, previous: PlainObject) => readonly FieldError[];

/** What is refused of a kind beyond what all have in common. */
export interface PlainRules {
  /** @defaultValue as the traits of the kind say */
  readonly nameCheck?: NameCheck;
  /** What a new object is taken for. @defaultValue what was sent, without its status */
  readonly prepareForCreate?: (object: PlainObject) => PlainObject;
  /** What an update of the object is taken for. @defaultValue what was sent */
  readonly prepareForUpdate?: (next: PlainObject, previous: PlainObject) => PlainObject;
  /** On creation and on update alike. */
  readonly validate?: Judge;
  /** What no new object may have, though a stored one may. */
  readonly refusedAsNew?: Judge;
  readonly validateNew?: Judge;
  readonly validateChange?: JudgeOfChange;
  readonly validateStatusChange?: JudgeOfChange;
}

/** The spec of an object, whose type the decoder has held it to; any field may be missing. */
export function specOf<T extends object>({ spec = {} }: PlainObject): Partial<T> {
  return spec;
}

/** {@link specOf} for the status. */
export function statusOf<T extends object>({ status = {} }: PlainObject): Partial<T> {
  return status;
}

/** {@link specOf} for kinds that have their fields beside the metadata. */
export function fieldsOf<T extends object>(object: object): Partial<T> {
  return object;
}

/** What names something else: it must be there, and be one segment of a path. */
export function requiredSegment(value: string, field: string): FieldError[] {
  return value === '' ? [required(field)] : invalidEach(field, value, pathSegmentName(value));
}
