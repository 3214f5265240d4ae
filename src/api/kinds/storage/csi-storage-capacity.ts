/** Storage that a CSI driver can still provide (pkg/apis/storage/validation, v1.34). */
import { invalidEach } from '../../errors/field-errors.js';
import { dns1123Subdomain } from '../../values/names.js';
import { describeKind } from '../rules/describe-kind.js';
import type { Draft } from '../../objects/objects.js';
import { exactQuantity } from '../../values/quantity.js';
import { changedField, filled } from '../rules/filling.js';
import { validateLabelSelector } from '../rules/label-selector-validation.js';
import { immutable, nonNegativeQuantity } from '../rules/storage-fields.js';

type Amounts = Readonly<Partial<Record<'capacity' | 'maximumVolumeSize', string>>>;

/** The description of CSI storage capacities. */
export const csiStorageCapacityKind = describeKind<'CSIStorageCapacity'>({
  kind: 'CSIStorageCapacity',
  group: 'storage.k8s.io',
  plural: 'csistoragecapacities',
  requiresVersionOnUpdate: true,
  applyDefaults(draft: Draft): Draft {
    const named = filled(draft as Draft & Amounts, { storageClassName: '' });
    return changedField(changedField(named, 'capacity', exactQuantity), 'maximumVolumeSize', exactQuantity);
  },
  validate: ({ nodeTopology, storageClassName, capacity }) => [
    ...validateLabelSelector(nodeTopology, 'nodeTopology'),
    ...invalidEach('storageClassName', storageClassName, dns1123Subdomain(storageClassName)),
    ...nonNegativeQuantity(capacity, 'capacity'),
  ],
  validateChange: (next, previous) => [
    ...immutable(next.nodeTopology, previous.nodeTopology, 'nodeTopology', '*LabelSelector'),
    ...immutable(next.storageClassName, previous.storageClassName, 'storageClassName'),
  ],
});
