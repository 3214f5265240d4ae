/** CSI drivers (pkg/apis/storage/v1/defaults.go and validation, v1.34). */
import { notSupported, required } from '../../errors/field-errors.js';
import type { Draft } from '../../objects/objects.js';
import type { CSIDriver } from '../../objects/storage-objects.js';
import { describeKind } from '../rules/describe-kind.js';
import { filled } from '../rules/filling.js';

const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Ephemeral', 'Persistent'];
const SPEC_DEFAULTS: CSIDriver['spec'] = {
  attachRequired: true,
  podInfoOnMount: false,
  storageCapacity: false,
  fsGroupPolicy: 'ReadWriteOnceWithFSType',
  volumeLifecycleModes: ['Persistent'],
  requiresRepublish: false,
  seLinuxMount: false,
};

/** The description of CSI drivers. */
export const csiDriverKind = describeKind<'CSIDriver'>({
  kind: 'CSIDriver',
  group: 'storage.k8s.io',
  plural: 'csidrivers',
  isNamespaced: false,
  requiresVersionOnUpdate: true,
  deleteReturnsObject: true,
  applyDefaults(draft: Draft): Draft {
    const before = (draft['spec'] ?? {}) as CSIDriver['spec'];
    const spec = filled(before, SPEC_DEFAULTS);
    return spec === draft['spec'] ? draft : { ...draft, spec };
  },
  // MutableCSINodeAllocatableCount
  droppedFields: ['spec.nodeAllocatableUpdatePeriodSeconds'],
  validate({
    spec: { attachRequired, podInfoOnMount, storageCapacity, fsGroupPolicy = '', volumeLifecycleModes = [] },
  }) {
    return [
      ...(attachRequired === undefined ? [required('spec.attachedRequired')] : []),
      ...(podInfoOnMount === undefined ? [required('spec.podInfoOnMount')] : []),
      ...(storageCapacity === undefined ? [required('spec.storageCapacity')] : []),
      ...(FS_GROUP_POLICIES.includes(fsGroupPolicy)
        ? []
        : [notSupported('spec.fsGroupPolicy', fsGroupPolicy, FS_GROUP_POLICIES)]),
      ...volumeLifecycleModes
        .filter((mode) => !LIFECYCLE_MODES.includes(mode))
        .map((mode) => notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES)),
    ];
  },
});
