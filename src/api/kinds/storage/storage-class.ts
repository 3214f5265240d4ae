/** Storage classes (pkg/apis/storage/v1/defaults.go and validation, v1.34). */
import { isSameJson } from '../../values/canonical-json.js';
import { duplicate, forbidden, invalid, invalidEach, notSupported, required } from '../../errors/field-errors.js';
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
  validate(object: Partial<StorageClass>) {
    const { parameters = {}, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = object;
    // It is judged, and shown, in small letters.
    const provisioner = (object.provisioner ?? '').toLowerCase();
    return [
      ...(provisioner === '' ? [required('provisioner')] : []),
      ...(provisioner === '' ? [] : invalidEach('provisioner', provisioner, qualifiedName(provisioner))),
      ...('' in parameters ? [invalid('parameters', '', 'field can not be empty.')] : []),
      ...(reclaimPolicy === '' ? [] : oneOf(reclaimPolicy, RECLAIM_POLICIES, 'reclaimPolicy')),
      // An empty one is said all the same.
      ...(volumeBindingMode === ''
        ? [notSupported('volumeBindingMode', '', BINDING_MODES)]
        : oneOf(volumeBindingMode, BINDING_MODES, 'volumeBindingMode')),
      ...validateTopologies(allowedTopologies, 'allowedTopologies'),
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

function validateTopologies(terms: readonly core.TopologySelectorTerm[], field: string): FieldError[] {
  // Upstream begins with as many empty terms: one without expressions is a duplicate of each of them.
  const before: Readonly<Record<string, readonly string[]>>[] = terms.map(() => ({}));
  return terms.flatMap((term, index) => {
    const own = `${field}[${index}]`;
    const expressions: readonly Partial<core.TopologySelectorLabelRequirement>[] = term.matchLabelExpressions ?? [];
    const values = Object.fromEntries(
      expressions.map(({ key = '', values: all = [] }) => [key, [...new Set(all)].sort()]),
    );
    const alike = before.filter((each) => isSameJson(each, values));
    before.push(values);
    return [...validateTerm(expressions, own), ...alike.map(() => duplicate(`${own}.matchLabelExpressions`, ''))];
  });
}

function validateTerm(
  expressions: readonly Partial<core.TopologySelectorLabelRequirement>[],
  field: string,
): FieldError[] {
  const keys = new Set<string>();
  return expressions.flatMap(({ key = '', values = [] }, index) => {
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
