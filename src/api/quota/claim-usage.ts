/** What quotas count of claims for volumes (pkg/quota/v1/evaluator/core/persistent_volume_claims.go, v1.34). */
import type { PersistentVolumeClaim } from '../objects/storage-objects.js';
import { compareQuantities, knownQuantity, type Quantity } from '../values/quantity.js';
import { claimClass } from '../volumes/volume-rules.js';
import type { QuotaEvaluator } from './quota-rules.js';
import { meets } from './quota-object.js';

const ONE = knownQuantity('1');
const CLAIMS = 'persistentvolumeclaims';
const COUNT = `count/${CLAIMS}`;
const STORAGE = 'requests.storage';
const OF_CLASS = '.storageclass.storage.k8s.io/';
const NANOS_PER_UNIT = 1_000_000_000n;

export const claimEvaluator: QuotaEvaluator = {
  handles: ({ operation, subresource }) => {
    if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
    return subresource === '' || subresource === 'status';
  },
  counts: (name) =>
    name === COUNT ||
    [CLAIMS, STORAGE].some((resource) => name === resource || name.endsWith(`${OF_CLASS}${resource}`)),
  isInScope: (scope, object) => {
    if (scope.scopeName !== 'VolumeAttributesClass') return false;
    const names = attributesClasses(object as PersistentVolumeClaim);
    return names.length === 0 ? meets(scope, undefined) : names.some((name) => meets(scope, name));
  },
  missing: () => '',
  usage: (object) => {
    const claim = object as PersistentVolumeClaim;
    const ofClass = `${claimClass(claim)}${OF_CLASS}`;
    const hasClass = ofClass !== OF_CLASS;
    const usage = new Map<string, Quantity>([
      [CLAIMS, ONE],
      [COUNT, ONE],
    ]);
    if (hasClass) usage.set(ofClass + CLAIMS, ONE);
    const storage = storageOf(claim);
    if (storage !== undefined) usage.set(STORAGE, storage);
    if (storage !== undefined && hasClass) usage.set(ofClass + STORAGE, storage);
    return usage;
  },
};

function attributesClasses({ spec, status }: PersistentVolumeClaim): readonly string[] {
  const { currentVolumeAttributesClassName, modifyVolumeStatus } = (status ?? {}) as {
    readonly currentVolumeAttributesClassName?: string;
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string };
  };
  const { volumeAttributesClassName } = spec as { readonly volumeAttributesClassName?: string };
  const names = [
    volumeAttributesClassName,
    currentVolumeAttributesClassName,
    modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return names.filter((name): name is string => name !== undefined && name !== '');
}

/** What is asked for, or what was allocated where that is more; whole bytes. */
function storageOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const asked = spec.resources?.requests?.['storage'];
  if (asked === undefined) return undefined;
  const allocated = status?.allocatedResources?.['storage'];
  const own = knownQuantity(asked);
  const larger = allocated === undefined ? own : knownQuantity(allocated);
  return whole(compareQuantities(larger, own) > 0 ? larger : own);
}

function whole(quantity: Quantity): Quantity {
  const rest = quantity.nanos % NANOS_PER_UNIT;
  return rest === 0n ? quantity : { ...quantity, nanos: quantity.nanos - rest + NANOS_PER_UNIT };
}
