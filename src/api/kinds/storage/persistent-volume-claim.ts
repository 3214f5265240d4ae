/** Claims of volumes (pkg/registry/core/persistentvolumeclaim, pkg/apis/core/validation, v1.34). */
import { forbidden, invalidEach, notSupported } from '../../errors/field-errors.js';
import { goJsonLines } from '../../go/go-json.js';
import { unifiedDiff } from '../../go/unified-diff.js';
import type { core, Draft } from '../../objects/objects.js';
import { compareQuantities, knownQuantity, ZERO_QUANTITY, type Quantity } from '../../values/quantity.js';
import { qualifiedName } from '../../values/names.js';
import type { FieldError } from '../../objects/resource-kind.js';
import type { PersistentVolumeClaim } from '../../objects/storage-objects.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled } from '../rules/filling.js';
import { withDataSources } from '../rules/data-source.js';
import { validateClaimSpec } from '../rules/claim-validation.js';
import { withFinalizer } from './persistent-volume.js';
import { canonicalResourceList, isNativeResource } from '../rules/resource-lists.js';
import { immutable, wholeSize } from '../rules/storage-fields.js';

type Spec = core.PersistentVolumeClaimSpec;
type ResourceRequests = Record<string, string>;

/** Kept as long as a pod on a node uses the claim. */
const PROTECTION = 'kubernetes.io/pvc-protection';
const STORAGE_REQUEST = 'spec.resources.requests.storage';
const RESIZE_STATES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];
const IMMUTABLE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** The description of claims. */
export const persistentVolumeClaimKind = describeKind<'PersistentVolumeClaim'>({
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  hasStatus: true,
  deleteReturnsObject: true,
  applyDefaults(draft: Draft): Draft {
    const claim = filled(draft, { spec: {} });
    const before = claim['spec'] as Spec;
    const spec = defaultedClaimSpec(before);
    return spec === before ? claim : { ...claim, spec };
  },
  prepareForCreate: ({ metadata, spec, ...rest }) => ({
    ...rest,
    spec: withDataSources(spec),
    metadata: withFinalizer(metadata, PROTECTION),
    status: { phase: 'Pending' },
  }),
  prepareForUpdate: (next, previous) => changedField(next, 'spec', (spec) => withDataSources(spec, previous.spec)),
  validate: ({ spec }) => validateClaimSpec(spec, 'spec'),
  validateChange: validateUpdate,
  validateStatusChange: ({ status }) => [
    ...validateSizes(status.capacity, 'status.capacity'),
    ...validateResizing(status, 'status'),
  ],
});

/** The spec of a claim, or of a template of claims, with what the server fills in. */
export function defaultedClaimSpec(spec: Spec): Spec {
  return changedField(filled(spec, { volumeMode: 'Filesystem' }), 'resources', (resources) => {
    const requesting = changedField(resources, 'requests', (list) => canonicalResourceList(list) as ResourceRequests);
    return changedField(requesting, 'limits', (list) => canonicalResourceList(list) as ResourceRequests);
  });
}

function validateSizes(sizes: Readonly<Record<string, string>> | undefined, field: string): FieldError[] {
  return Object.entries(sizes ?? {}).flatMap(([name, size]) => wholeSize(size, `${field}[${name}]`));
}

/** What is said of how far a claim has grown. */
function validateResizing(
  {
    allocatedResourceStatuses = {},
    allocatedResources = {},
  }: Pick<core.PersistentVolumeClaimStatus, 'allocatedResourceStatuses' | 'allocatedResources'>,
  path: string,
): FieldError[] {
  const statuses = `${path}.allocatedResourceStatuses`;
  return [
    ...Object.entries(allocatedResourceStatuses).flatMap(([name, state]) => [
      ...validateResourceKey(name, statuses),
      ...(RESIZE_STATES.includes(state) ? [] : [notSupported(statuses, name, RESIZE_STATES)]),
    ]),
    ...Object.entries(allocatedResources).flatMap(([name, size]) => {
      const errors = validateResourceKey(name, `${path}.allocatedResources`);
      return errors.length > 0 ? errors : wholeSize(size, `${path}.allocatedResources[${name}]`);
    }),
  ];
}

function validateResourceKey(name: string, field: string): FieldError[] {
  const errors = invalidEach(field, name, qualifiedName(name));
  if (errors.length > 0 || name === 'storage' || !isNativeResource(name)) return errors;
  return [notSupported(field, name, ['storage'])];
}

/** A claim gets its volume once, its class once, and may grow while it is bound. */
function validateUpdate(next: PersistentVolumeClaim, previous: PersistentVolumeClaim): FieldError[] {
  if (next.spec === previous.spec) return [];
  const errors: FieldError[] = [];
  const { before, after } = comparedSpecs(next, previous);
  const difference = unifiedDiff(before, after);
  if (difference !== '') errors.push(forbidden('spec', `${IMMUTABLE}\n${difference}`));
  const size = storageOf(next.spec.resources?.requests);
  const isLess = compareQuantities(size, storageOf(previous.spec.resources?.requests)) < 0;
  if (isLess && compareQuantities(size, storageOf(previous.status.capacity)) <= 0) {
    errors.push(forbidden(STORAGE_REQUEST, 'field can not be less than status.capacity'));
  }
  return [...errors, ...immutable(next.spec.volumeMode, previous.spec.volumeMode, 'volumeMode')];
}

/** Both specs as upstream compares them, printed: what may change is the same in both. */
function comparedSpecs(
  { spec: next }: PersistentVolumeClaim,
  { spec: previous, status }: PersistentVolumeClaim,
): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const hasVolume = (previous.volumeName ?? '') !== '';
  const before = { ...previous, volumeName: hasVolume ? previous.volumeName : next.volumeName };
  const hasClass = previous.storageClassName !== undefined;
  const after = { ...next, storageClassName: hasClass ? next.storageClassName : undefined };
  const { volumeAttributesClassName } = previous;
  const isBound = status.phase === 'Bound';
  const compared = isBound ? { ...after, volumeAttributesClassName, resources: withStorageOf(next, previous) } : after;
  return { before: printed(before), after: printed(compared) };
}

function withStorageOf({ resources = {} }: Spec, previous: Spec): core.VolumeResourceRequirements {
  const storage = previous.resources?.requests?.['storage'];
  if (resources.requests === undefined || storage === undefined) return resources;
  return { ...resources, requests: { ...resources.requests, storage } };
}

function printed(spec: object): readonly string[] {
  return goJsonLines('PersistentVolumeClaimSpec', spec);
}

function storageOf(list: Readonly<Record<string, string>> | undefined): Quantity {
  const text = list?.['storage'];
  return text === undefined ? ZERO_QUANTITY : knownQuantity(text);
}
