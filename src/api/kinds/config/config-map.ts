/** Config maps (pkg/registry/core/configmap and ValidateConfigMap, v1.34). */
import { base64Size } from '../../values/base64.js';
import type { ConfigMap } from '../../objects/config-objects.js';
import { tooLong } from '../../errors/field-errors.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { MAX_DATA_BYTES, validateDataKeys, validateImmutable } from './config-data.js';
import { describeKind } from '../rules/describe-kind.js';

/** The description of config maps. */
export const configMapKind = describeKind<'ConfigMap'>({
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  validate: validateConfigMap,
  validateChange: (next, previous) => validateImmutable(next, previous, ['data', 'binaryData']),
});

function validateConfigMap({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors = [...validateDataKeys(data, 'data', binaryData), ...validateDataKeys(binaryData, 'binaryData')];
  let sizeBytes = 0;
  for (const text of Object.values(data)) sizeBytes += Buffer.byteLength(text);
  for (const text of Object.values(binaryData)) sizeBytes += base64Size(text);
  // Upstream means the whole object; its empty path prints like this.
  return sizeBytes > MAX_DATA_BYTES ? [...errors, tooLong('[]', MAX_DATA_BYTES)] : errors;
}
