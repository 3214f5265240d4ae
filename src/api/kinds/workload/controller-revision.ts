/** Snapshots of what stateful sets and daemon sets looked like (pkg/apis/apps/validation, v1.34). */
import { required } from '../../errors/field-errors.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { describeKind } from '../rules/describe-kind.js';
import { nonNegative } from '../rules/number-validation.js';
import { immutable } from '../rules/storage-fields.js';

/** The description of controller revisions. */
export const controllerRevisionKind = describeKind<'ControllerRevision'>({
  kind: 'ControllerRevision',
  group: 'apps',
  plural: 'controllerrevisions',
  validate: ({ revision }) => nonNegative(revision, 'revision'),
  validateNew: ({ data }) => validateData(data),
  validateChange: (next, previous) => immutable(next.data, previous.data, 'data', 'runtime.Object'),
});

function validateData(data: unknown): FieldError[] {
  if (data === undefined) return [required('data', 'data is mandatory')];
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
  return isObject ? [] : [required('data', 'data must be a valid JSON object')];
}
