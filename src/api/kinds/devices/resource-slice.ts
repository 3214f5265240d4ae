/** What drivers publish (pkg/registry/resource/resourceslice, v1.34). */
import type { Device, ResourceSlice } from '../../objects/device-objects.js';
import { canonicalQuantity } from '../../values/quantity.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, mapShared } from '../rules/filling.js';
import { validateSlice } from './slice-validation.js';

/** Of feature gates that are off in v1.34: DRADeviceTaints, DRAPartitionableDevices and others. */
const DROPPED = [
  'spec.sharedCounters',
  'spec.perDeviceNodeSelection',
  ...[
    'taints',
    'consumesCounters',
    'nodeName',
    'nodeSelector',
    'allNodes',
    'bindsToNode',
    'bindingConditions',
    'bindingFailureConditions',
    'allowMultipleAllocations',
  ].map((field) => `spec.devices[].${field}`),
];

/** The description of slices of devices. */
export const resourceSliceKind = describeKind<'ResourceSlice'>({
  kind: 'ResourceSlice',
  group: 'resource.k8s.io',
  plural: 'resourceslices',
  isNamespaced: false,
  generation: 'stated-spec',
  deleteReturnsObject: true,
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.driver': ({ spec }) => spec.driver,
  },
  applyDefaults: (draft) =>
    draft['spec'] === undefined
      ? { ...draft, spec: {} }
      : changedField(draft as unknown as Pick<ResourceSlice, 'spec'>, 'spec', canonicalSpec),
  droppedFields: DROPPED,
  prepareForCreate: withoutPolicies,
  prepareForUpdate: (next) => withoutPolicies(next),
  validateNew: ({ spec }) => validateSlice(spec),
  validateChange: (next, previous) => validateSlice(next.spec, previous.spec),
});

/** As protobuf keeps it: an empty list is none. */
function canonicalSpec(spec: ResourceSlice['spec']): ResourceSlice['spec'] {
  const { devices, ...rest } = spec;
  if (devices?.length === 0) return rest;
  return changedField(spec, 'devices', (list) => mapShared(list, canonicalDevice));
}

function canonicalDevice(device: Device): Device {
  return changedField(device, 'capacity', (capacity) => {
    const entries = Object.entries(capacity).map(([name, amount]) => {
      const { value = '0' } = amount as { readonly value?: string };
      return [name, { ...amount, value: canonicalQuantity(value) }] as const;
    });
    return Object.fromEntries(entries);
  });
}

/** DRAConsumableCapacity is off in v1.34: how capacities may be shared is dropped. */
function withoutPolicies(slice: ResourceSlice): ResourceSlice {
  return changedField(slice, 'spec', (spec) => changedField(spec, 'devices', (devices) => mapShared(devices, plain)));
}

function plain(device: Device): Device {
  const { capacity } = device;
  if (capacity === undefined || !Object.values(capacity).some((each) => 'requestPolicy' in each)) return device;
  const entries = Object.entries(capacity).map(([name, { value }]) => [name, { value }] as const);
  return { ...device, capacity: Object.fromEntries(entries) };
}
