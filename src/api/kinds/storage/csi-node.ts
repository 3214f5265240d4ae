/** What the CSI drivers of a node say of it (pkg/apis/storage/validation, v1.34). */
import type * as storage from 'kubernetes-types/storage/v1.js';
import { duplicate, invalidEach, required, tooLong } from '../../errors/field-errors.js';
import { dns1123Subdomain, qualifiedName } from '../../values/names.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { describeKind } from '../rules/describe-kind.js';
import { filled } from '../rules/filling.js';
import { nonNegative } from '../rules/number-validation.js';
import { immutable } from '../rules/storage-fields.js';

const LONGEST_NAME = 63;

/** The description of CSI nodes. */
export const csiNodeKind = describeKind<'CSINode'>({
  kind: 'CSINode',
  group: 'storage.k8s.io',
  plural: 'csinodes',
  isNamespaced: false,
  requiresVersionOnUpdate: true,
  deleteReturnsObject: true,
  applyDefaults: (draft) => filled(draft, { spec: { drivers: [] } }),
  // What is said of a driver may not change; drivers come and go.
  validateChange: ({ spec }, { spec: before }) =>
    (before.drivers ?? []).flatMap((old) =>
      (spec.drivers ?? [])
        .filter(({ name }) => name === old.name)
        .flatMap((driver) => immutable(driver, old, 'spec.drivers', 'CSINodeDriver')),
    ),
  validate({ spec }) {
    const names = new Set<string>();
    return (spec.drivers ?? []).flatMap((driver: Partial<storage.CSINodeDriver>, index) => {
      const { name = '', nodeID, allocatable, topologyKeys = [] } = driver;
      const own = `spec.drivers[${index}]`;
      const errors: FieldError[] = [...validateDriverName(name, `${own}.name`)];
      if (nodeID === undefined || nodeID === '') errors.push(required(`${own}.nodeID`));
      errors.push(...nonNegative(allocatable?.count, `${own}.allocatable.count`));
      if (names.has(name)) errors.push(duplicate(`${own}.name`, name));
      names.add(name);
      for (const [at, key] of topologyKeys.entries()) {
        if (key === '') errors.push(required(own));
        if (topologyKeys.indexOf(key) < at) errors.push(duplicate(own, key));
        errors.push(...invalidEach(own, key, qualifiedName(key)));
      }
      return errors;
    });
  },
});

/** The name of a CSI driver. */
export function validateDriverName(name: string, field: string): FieldError[] {
  const errors: FieldError[] = name === '' ? [required(field)] : [];
  if (Buffer.byteLength(name) > LONGEST_NAME) errors.push(tooLong(field, LONGEST_NAME));
  return [...errors, ...invalidEach(field, name, dns1123Subdomain(name.toLowerCase()))];
}
