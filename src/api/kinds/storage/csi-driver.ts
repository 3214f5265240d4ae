/** CSI drivers (pkg/apis/storage/v1/defaults.go and validation, v1.34). */
import { duplicate, invalid, notSupported, required } from '../../errors/field-errors.js';
import type { Draft } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import type { CSIDriver } from '../../objects/storage-objects.js';
import { describeKind } from '../rules/describe-kind.js';
import { filled } from '../rules/filling.js';
import { immutable } from '../rules/storage-fields.js';

const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
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
  generation: 'changes-of-spec',
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
    spec: {
      attachRequired,
      podInfoOnMount,
      storageCapacity,
      fsGroupPolicy = '',
      tokenRequests = [],
      volumeLifecycleModes = [],
    },
  }) {
    return [
      ...(attachRequired === undefined ? [required('spec.attachedRequired')] : []),
      ...(podInfoOnMount === undefined ? [required('spec.podInfoOnMount')] : []),
      ...(storageCapacity === undefined ? [required('spec.storageCapacity')] : []),
      ...(FS_GROUP_POLICIES.includes(fsGroupPolicy)
        ? []
        : [notSupported('spec.fsGroupPolicy', fsGroupPolicy, FS_GROUP_POLICIES)]),
      ...validateTokens(tokenRequests, 'spec.tokenRequests'),
      ...volumeLifecycleModes
        .filter((mode) => !LIFECYCLE_MODES.includes(mode))
        .map((mode) => notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES)),
    ];
  },
  validateChange: ({ spec }, { spec: before }) => [
    ...immutable(spec.attachRequired, before.attachRequired, 'spec.attachedRequired'),
    ...immutable(spec.volumeLifecycleModes, before.volumeLifecycleModes, 'spec.volumeLifecycleModes'),
  ],
});

const SHORTEST_TOKEN_SECONDS = 600;
const LONGEST_TOKEN_SECONDS = 2 ** 32;

/** Tokens that the driver is given, one an audience. */
function validateTokens(
  tokens: readonly { readonly audience?: string; readonly expirationSeconds?: number }[],
  field: string,
): FieldError[] {
  const audiences = new Set<string>();
  return tokens.flatMap(({ audience = '', expirationSeconds: seconds }, index) => {
    const own = `${field}[${index}]`;
    if (audiences.has(audience)) return [duplicate(`${own}.audience`, audience)];
    audiences.add(audience);
    if (seconds === undefined) return [];
    const refused = (why: string): FieldError[] => [invalid(`${own}.expirationSeconds`, seconds, why)];
    if (seconds < SHORTEST_TOKEN_SECONDS) return refused('may not specify a duration less than 10 minutes');
    return seconds > LONGEST_TOKEN_SECONDS ? refused('may not specify a duration larger than 2^32 seconds') : [];
  });
}
