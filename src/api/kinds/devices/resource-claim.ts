/** Requests for devices, and what they are made of (pkg/registry/resource, v1.34). */
import type { ResourceClaim, ResourceClaimSpec, ResourceClaimTemplate } from '../../objects/device-objects.js';
import { forbidden } from '../../errors/field-errors.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateAnnotations, validateLabels } from '../rules/object-meta.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField } from '../rules/filling.js';
import { immutable } from '../rules/storage-fields.js';
import { defaultedClaimSpec } from './claim-defaults.js';
import { validateDeviceClaim } from './claim-spec-validation.js';
import { validateClaimStatus } from './claim-status-validation.js';

const GROUP = 'resource.k8s.io';
/** Of the feature gates DRAConsumableCapacity and DRADeviceBindingConditions, which are off in v1.34. */
const DROPPED_REQUESTS = ['devices.requests[].exactly.capacity', 'devices.requests[].firstAvailable[].capacity'];
const DROPPED_STATUS = [
  'allocation.allocationTimestamp',
  ...['bindingConditions', 'bindingFailureConditions', 'shareID', 'consumedCapacity'].map(
    (field) => `allocation.devices.results[].${field}`,
  ),
  'devices[].shareID',
];

/** The description of claims. */
export const resourceClaimKind = describeKind<'ResourceClaim'>({
  kind: 'ResourceClaim',
  group: GROUP,
  plural: 'resourceclaims',
  hasStatus: true,
  deleteReturnsObject: true,
  applyDefaults(draft) {
    const { spec = {} } = draft as { spec?: ResourceClaimSpec };
    return draft['spec'] === undefined
      ? { ...draft, spec }
      : changedField(draft as { spec: ResourceClaimSpec }, 'spec', defaultedClaimSpec);
  },
  droppedFields: [...DROPPED_REQUESTS.map((path) => `spec.${path}`), ...DROPPED_STATUS.map((path) => `status.${path}`)],
  prepareForCreate: (claim) => ({ ...claim, status: {} }),
  prepareForStatusUpdate: (next, previous) => withoutDeallocated(next, previous),
  validate: ({ spec }, stored) => validateDeviceClaim(spec.devices ?? {}, 'spec.devices', stored !== undefined),
  validateChange: (next, previous) => immutable(next.spec, previous.spec, 'spec', 'ResourceClaimSpec'),
  validateStatusChange: validateClaimStatus,
});

/** What drivers have said of devices that the claim has no more goes with them. */
function withoutDeallocated(next: ResourceClaim, previous: ResourceClaim): ResourceClaim {
  const { devices, ...status } = next.status;
  if (devices === undefined) return next;
  const had = idsOf(previous);
  const has = idsOf(next);
  const kept = devices.filter((each) => !had.has(idOf(each)) || has.has(idOf(each)));
  if (kept.length === devices.length && kept.length > 0) return next;
  return { ...next, status: kept.length === 0 ? status : { ...status, devices: kept } };
}

interface DeviceId {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

function idOf({ driver, pool, device }: DeviceId): string {
  return `${driver}/${pool}/${device}`;
}

function idsOf({ status }: ResourceClaim): ReadonlySet<string> {
  return new Set((status.allocation?.devices?.results ?? []).map(idOf));
}

/** What no template says of an object, in the order in which it is looked for. */
const NEVER_SET = [
  ['name', 'name'],
  ['generateName', 'generateName'],
  ['namespace', 'namespace'],
  ['selfLink', 'selfLink'],
  ['uid', 'uID'],
  ['resourceVersion', 'resourceVersion'],
  ['generation', 'generation'],
  ['creationTimestamp', 'creationTimestamp'],
  ['deletionTimestamp', 'deletionTimestamp'],
  ['deletionGracePeriodSeconds', 'deletionGracePeriodSeconds'],
  ['ownerReferences', 'ownerReferences'],
  ['finalizers', 'finalizers'],
  ['managedFields', 'managedFields'],
] as const;

/** `ValidateTemplateObjectMeta` of pkg/apis/core/validation. */
function validateTemplateMeta(metadata: NonNullable<TemplateSpec['metadata']>, field: string): readonly FieldError[] {
  const { labels = {}, annotations = {} } = metadata;
  const stated = metadata as Readonly<Record<string, unknown>>;
  const set = NEVER_SET.filter(([name]) => ![undefined, null, '', 0].includes(stated[name] as null));
  return [
    ...validateAnnotations(annotations, `${field}.annotations`),
    ...validateLabels(labels, `${field}.labels`),
    ...set.map(([, shown]) => forbidden(`${field}.${shown}`, 'cannot be set')),
  ];
}

type TemplateSpec = ResourceClaimTemplate['spec'];

/** The description of templates of claims. */
export const resourceClaimTemplateKind = describeKind<'ResourceClaimTemplate'>({
  kind: 'ResourceClaimTemplate',
  group: GROUP,
  plural: 'resourceclaimtemplates',
  deleteReturnsObject: true,
  applyDefaults: (draft) => {
    const given = draft as { spec?: Partial<TemplateSpec> };
    const { spec = {} } = given;
    if (spec.spec === undefined) return { ...draft, spec: { ...spec, spec: {} } };
    return changedField(draft as unknown as { spec: TemplateSpec }, 'spec', (own) =>
      changedField(own, 'spec', defaultedClaimSpec),
    );
  },
  droppedFields: DROPPED_REQUESTS.map((path) => `spec.spec.${path}`),
  validate: ({ spec: { metadata = {}, spec } }, stored) => [
    ...validateTemplateMeta(metadata, 'spec.metadata'),
    ...validateDeviceClaim(spec.devices ?? {}, 'spec.spec.devices', stored !== undefined),
  ],
  validateChange: (next, previous) => immutable(next.spec, previous.spec, 'spec', 'ResourceClaimTemplateSpec'),
});
