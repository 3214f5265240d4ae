import { ApiError } from '../../api/errors/api-error.js';

/** The refusal of a patch whose outcome, shown as JSON, cannot be read. */
export function unusablePatch(shown: string, problem: string): ApiError {
  const message = `Invalid value: ${JSON.stringify(shown)}: ${problem}`;
  const causes = [{ reason: 'FieldValueInvalid', message, field: 'patch' }];
  return new ApiError(422, 'Invalid', ` "" is invalid: patch: ${message}`, { causes });
}
