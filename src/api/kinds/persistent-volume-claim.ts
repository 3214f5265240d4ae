/** Claims of volumes (pkg/registry/core/persistentvolumeclaim, pkg/apis/core/validation, v1.34). */
import { isSameJson } from '../canonical-json.js';
import { forbidden, required } from '../field-errors.js';
import type { core, Draft } from '../objects.js';
import { compareQuantities, knownQuantity, ZERO_QUANTITY, type Quantity } from '../quantity.js';
import type { FieldError } from '../resource-kind.js';
import type { PersistentVolumeClaim } from '../storage-objects.js';
import { describeKind } from './describe-kind.js';
import { changedField, filled } from './filling.js';
import { validateLabelSelector } from './label-selector-validation.js';
import { withFinalizer } from './persistent-volume.js';
import { canonicalResourceList } from './resource-lists.js';
import { positiveQuantity, validateAccessModes, validateClassName, validateVolumeMode } from './storage-validation.js';

type Spec = core.PersistentVolumeClaimSpec;
type ResourceRequests = Record<string, string>;

/** Kept as long as a pod on a node uses the claim. */
const PROTECTION = 'kubernetes.io/pvc-protection';
const STORAGE_REQUEST = 'spec.resources.requests.storage';
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
  prepareForCreate: ({ metadata, ...rest }) => ({
    ...rest,
    metadata: withFinalizer(metadata, PROTECTION),
    status: { phase: 'Pending' },
  }),
  validate: ({ spec }) => validateClaimSpec(spec, 'spec'),
  validateChange: validateUpdate,
});

/** The spec of a claim, or of a template of claims, with what the server fills in. */
export function defaultedClaimSpec(spec: Spec): Spec {
  return changedField(filled(spec, { volumeMode: 'Filesystem' }), 'resources', (resources) => {
    const requesting = changedField(resources, 'requests', (list) => canonicalResourceList(list) as ResourceRequests);
    return changedField(requesting, 'limits', (list) => canonicalResourceList(list) as ResourceRequests);
  });
}

/** Everything wrong with the spec of a claim. */
function validateClaimSpec(spec: Spec, field: string): FieldError[] {
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
  return errors;
}

/** A claim gets its volume once, its class once, and may grow while it is bound. */
function validateUpdate(next: PersistentVolumeClaim, previous: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
  const isBound = previous.status.phase === 'Bound';
  if (!isSameJson(fixedPart(next, previous, isBound), fixedPart(previous, previous, isBound))) {
    errors.push(forbidden('spec', IMMUTABLE));
  }
  const size = storageOf(next.spec.resources?.requests);
  if (compareQuantities(size, storageOf(previous.spec.resources?.requests)) >= 0) return errors;
  const given = storageOf(previous.status.capacity);
  if (compareQuantities(size, given) <= 0) {
    errors.push(forbidden(STORAGE_REQUEST, 'field can not be less than status.capacity'));
  }
  return errors;
}

/** The spec with what may change set to what it was. */
function fixedPart({ spec }: PersistentVolumeClaim, { spec: before }: PersistentVolumeClaim, isBound: boolean): Spec {
  const { volumeName, storageClassName, resources, volumeAttributesClassName, ...fixed } = spec;
  return {
    ...fixed,
    ...(before.volumeName === undefined || volumeName === undefined ? {} : { volumeName }),
    ...(before.storageClassName === undefined || storageClassName === undefined ? {} : { storageClassName }),
    ...(resources === undefined ? {} : { resources: isBound ? withoutStorage(resources) : resources }),
    ...(isBound || volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
  };
}

function withoutStorage({ requests = {}, ...rest }: core.VolumeResourceRequirements): core.VolumeResourceRequirements {
  const { storage: _storage, ...others } = requests;
  return { ...rest, requests: others };
}

function storageOf(list: Readonly<Record<string, string>> | undefined): Quantity {
  const text = list?.['storage'];
  return text === undefined ? ZERO_QUANTITY : knownQuantity(text);
}
