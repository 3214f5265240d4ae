/** Validation of the spec of a claim, wherever it stands (ValidatePersistentVolumeClaimSpec of pkg/apis/core, v1.34). */
import { required } from '../../errors/field-errors.js';
import type { core } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateLabelSelector } from './label-selector-validation.js';
import { validateDataSources } from './data-source.js';
import { positiveQuantity, validateAccessModes, validateClassName, validateVolumeMode } from './storage-fields.js';

/** Everything wrong with the spec of a claim. */
export function validateClaimSpec(spec: core.PersistentVolumeClaimSpec, field: string): FieldError[] {
  const { accessModes = [], resources, selector, storageClassName, volumeMode } = spec;
  const errors: FieldError[] = [];
  if (accessModes.length === 0) errors.push(required(`${field}.accessModes`, 'at least 1 access mode is required'));
  errors.push(...validateLabelSelector(selector, `${field}.selector`));
  errors.push(...validateAccessModes(accessModes, `${field}.accessModes`));
  const storage = resources?.requests?.['storage'];
  if (storage === undefined) errors.push(required(`${field}.resources[storage]`));
  else errors.push(...positiveQuantity(storage, `${field}.resources[storage]`));
  errors.push(...validateClassName(storageClassName, `${field}.storageClassName`));
  errors.push(...validateVolumeMode(volumeMode, `${field}.volumeMode`));
  errors.push(...validateDataSources(spec, field));
  return [...errors, ...validateClassName(spec.volumeAttributesClassName, `${field}.volumeAttributesClassName`)];
}
