import { invalid } from '../../../../api/errors/field-errors.js';
import type { FieldError } from '../../../../api/objects/resource-kind.js';
import type { VolumeBindingArgs } from './volume-binding.js';

/** Args as users may write them: `shape` belongs to a feature that is off. */
type WrittenArgs = VolumeBindingArgs & { readonly shape?: unknown };

/** What is wrong with VolumeBindingArgs. Mirrors `apis/config/validation` of kube-scheduler v1.34. */
export function validateVolumeBindingArgs(
  { bindTimeoutSeconds = 0, shape }: WrittenArgs,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (bindTimeoutSeconds < 0) {
    const rule = 'invalid BindTimeoutSeconds, should not be a negative value';
    errors.push(invalid(`${path}.bindTimeoutSeconds`, bindTimeoutSeconds, rule));
  }
  if (shape !== undefined) {
    const rule = 'unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring';
    errors.push(invalid(`${path}.shape`, shape, rule));
  }
  return errors;
}
