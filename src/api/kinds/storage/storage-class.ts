/** Storage classes (pkg/apis/storage/v1/defaults.go and validation, v1.34). */
import { isSameJson } from '../../values/canonical-json.js';
import { duplicate, forbidden, invalidEach, required } from '../../errors/field-errors.js';
import { qualifiedName } from '../../values/names.js';
import type { core } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import type { StorageClass } from '../../objects/storage-objects.js';
import { oneOf } from '../pod/container-validation.js';
import { describeKind } from '../rules/describe-kind.js';
import { filled } from '../rules/filling.js';
import { immutable } from '../rules/storage-fields.js';

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

/** The description of storage classes. */
export const storageClassKind = describeKind<'StorageClass'>({
  kind: 'StorageClass',
  group: 'storage.k8s.io',
  plural: 'storageclasses',
  shortNames: ['sc'],
  isNamespaced: false,
  deleteReturnsObject: true,
  applyDefaults: (draft) => filled(draft, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  validate({ provisioner = '', reclaimPolicy, volumeBindingMode, allowedTopologies = [] }: Partial<StorageClass>) {
    return [
      ...(provisioner === '' ? [required('provisioner')] : []),
      ...(provisioner === '' ? [] : invalidEach('provisioner', provisioner, qualifiedName(provisioner.toLowerCase()))),
      ...oneOf(reclaimPolicy, RECLAIM_POLICIES, 'reclaimPolicy'),
      ...oneOf(volumeBindingMode, BINDING_MODES, 'volumeBindingMode'),
      ...allowedTopologies.flatMap((term, index) => validateTerm(term, `allowedTopologies[${index}]`)),
    ];
  },
  validateChange(next, previous) {
    const kept = (['parameters', 'provisioner', 'reclaimPolicy'] as const).filter(
      (field) => !isSameJson(next[field], previous[field]),
    );
    return [
      ...kept.map((field) => forbidden(field, `updates to ${field} are forbidden.`)),
      ...immutable(next.volumeBindingMode, previous.volumeBindingMode, 'volumeBindingMode'),
    ];
  },
});

function validateTerm({ matchLabelExpressions = [] }: core.TopologySelectorTerm, field: string): FieldError[] {
  const keys = new Set<string>();
  return matchLabelExpressions.flatMap(({ key, values }, index) => {
    const own = `${field}.matchLabelExpressions[${index}]`;
    const errors: FieldError[] = [];
    if (values.length === 0) errors.push(required(`${own}.values`));
    for (const [at, value] of values.entries()) {
      if (values.indexOf(value) < at) errors.push(duplicate(`${own}.values[${at}]`, value));
    }
    errors.push(...invalidEach(`${own}.key`, key, qualifiedName(key)));
    if (keys.has(key)) errors.push(duplicate(`${own}.key`, key));
    keys.add(key);
    return errors;
  });
}
