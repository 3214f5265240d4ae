/** What is wrong with the spec of a volume: of a persistent one, or of one within an attachment (pkg/apis/core/validation, v1.34). */
import { posix } from 'node:path';
import { forbidden, notSupported, required } from '../../errors/field-errors.js';
import { asGo } from '../../go/go-json.js';
import type { core } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateStorageSource } from '../pod/volume-source-validation.js';
import { validateHostPath, validateNfs, validateSteps } from '../pod/volume-validation.js';
import {
  positiveQuantity,
  validateAccessModes,
  validateClassName,
  validateVolumeMode,
  wholeSize,
} from '../rules/storage-fields.js';
import { validateVolumeNodeSelector } from './volume-node-selector.js';

type Spec = core.PersistentVolumeSpec;

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];

/** The fields that say where the data lies; a volume has exactly one. */
export const VOLUME_SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const satisfies readonly (keyof Spec)[];

/** Where a spec stands. */
interface Place {
  readonly field: string;
  /** Name of the persistent volume; absent = the spec is that of an attachment, which has no volume of its own. */
  readonly volumeName?: string;
}

/** See the file header. */
export function validateVolumeSpec(spec: Partial<Spec>, place: Place): FieldError[] {
  const { field, volumeName } = place;
  const isInline = volumeName === undefined;
  const { accessModes = [] } = spec;
  return [
    ...(isInline ? validateInline(spec, field) : []),
    ...(accessModes.length === 0 ? [required(`${field}.accessModes`)] : []),
    ...validateAccessModes(accessModes, `${field}.accessModes`),
    ...(isInline ? [] : validateCapacity(spec.capacity, `${field}.capacity`)),
    ...validatePolicy(spec, field, isInline),
    ...(isInline ? ownedByVolumes(spec, 'nodeAffinity', field) : validateAffinity(spec, field)),
    ...validateSource(spec, place),
    ...(isInline
      ? ownedByVolumes(spec, 'storageClassName', field)
      : validateClassName(spec.storageClassName, `${field}.storageClassName`)),
    ...validateMode(spec, field, isInline),
    ...validateAttributesClass(spec, field),
  ];
}

const OF_VOLUMES = 'may not be specified in the context of inline volumes';

function validateInline(spec: Partial<Spec>, field: string): FieldError[] {
  const isCsi = spec.csi !== undefined;
  return [
    ...ownedByVolumes(spec, 'claimRef', field),
    ...ownedByVolumes(spec, 'capacity', field),
    ...(isCsi ? [] : [required(`${field}.csi`, 'has to be specified in the context of inline volumes')]),
  ];
}

/** What only persistent volumes have. */
function ownedByVolumes(spec: Partial<Spec>, name: keyof Spec, field: string): FieldError[] {
  const value: unknown = spec[name];
  const isEmpty =
    value === undefined || value === '' || (name === 'capacity' && Object.keys(value as object).length === 0);
  return isEmpty ? [] : [forbidden(`${field}.${name}`, OF_VOLUMES)];
}

function validatePolicy(
  { persistentVolumeReclaimPolicy: policy = '' }: Partial<Spec>,
  of: string,
  isInline: boolean,
): FieldError[] {
  const field = `${of}.persistentVolumeReclaimPolicy`;
  if (policy === '') return [];
  if (isInline)
    return policy === 'Retain' ? [] : [forbidden(field, 'may only be Retain in the context of inline volumes')];
  return RECLAIM_POLICIES.includes(policy) ? [] : [notSupported(field, policy, RECLAIM_POLICIES)];
}

function validateMode({ volumeMode: mode }: Partial<Spec>, of: string, isInline: boolean): FieldError[] {
  const field = `${of}.volumeMode`;
  if (!isInline) return [...validateVolumeMode(mode, field)];
  if (mode === undefined || mode === 'Filesystem') return [];
  return [forbidden(field, 'may not specify volumeMode other than Filesystem in the context of inline volumes')];
}

function validateAttributesClass({ volumeAttributesClassName: name, csi }: Partial<Spec>, of: string): FieldError[] {
  const field = `${of}.volumeAttributesClassName`;
  if (name === undefined) return [];
  const errors = name === '' ? [required(field, 'an empty string is disallowed')] : validateClassName(name, field);
  if (csi !== undefined) return [...errors];
  return [...errors, required(`${of}.csi`, 'has to be specified when using volumeAttributesClassName')];
}

function validateCapacity(capacity: Spec['capacity'], field: string): FieldError[] {
  const names = Object.keys(capacity ?? {}).sort();
  const errors: FieldError[] = [];
  if (names.length === 0) errors.push(required(field));
  if (names.length !== 1 || names[0] !== 'storage')
    errors.push(notSupported(field, capacity === undefined ? null : asGo('ResourceList', capacity), ['storage']));
  for (const name of names) {
    const amount = capacity?.[name] ?? '0';
    errors.push(...wholeSize(amount, `${field}[${name}]`), ...positiveQuantity(amount, `${field}[${name}]`));
  }
  return errors;
}

function validateAffinity({ nodeAffinity }: Partial<Spec>, of: string): FieldError[] {
  if (nodeAffinity === undefined) return [];
  const field = `${of}.nodeAffinity.required`;
  if (nodeAffinity.required === undefined) return [required(field, 'must specify required node constraints')];
  return validateVolumeNodeSelector(nodeAffinity.required, field);
}

function validateSource(spec: Partial<Spec>, { field, volumeName = '' }: Place): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const name of VOLUME_SOURCES) {
    if (spec[name] === undefined) continue;
    // Upstream does not count before it looks at this one.
    const isLookedInto = count === 0 || name === 'flexVolume';
    const shown = name === 'cephfs' ? 'cephFS' : name;
    if (isLookedInto) errors.push(...validateSourceOf(spec, name, { field, volumeName }));
    else errors.push(forbidden(`${field}.${shown}`, 'may not specify more than 1 volume type'));
    if (isLookedInto) count += 1;
  }
  if (count === 0) errors.push(required(field, 'must specify a volume type'));
  if (isRoot(spec.hostPath?.path) && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    errors.push(
      forbidden(`${field}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'"),
    );
  }
  return errors;
}

function isRoot(path = ''): boolean {
  return path.startsWith('/') && posix.normalize(path) === '/';
}

function validateSourceOf(
  spec: Partial<Spec>,
  name: (typeof VOLUME_SOURCES)[number],
  { field, volumeName }: Required<Place>,
): readonly FieldError[] {
  const own = `${field}.${name}`;
  if (name === 'hostPath') return validateHostPath(spec.hostPath ?? {}, own);
  if (name === 'nfs') return validateNfs(spec.nfs ?? {}, own);
  if (name !== 'local') return validateStorageSource(spec[name] ?? {}, name, { field, volumeName });
  const { path = '' } = (spec.local ?? {}) as Partial<core.LocalVolumeSource>;
  const isPlaced = spec.nodeAffinity !== undefined;
  return [
    ...(path === '' ? [required(`${own}.path`)] : validateSteps(path, `${own}.path`)),
    ...(isPlaced ? [] : [required(`${field}.nodeAffinity`, 'Local volume requires node affinity')]),
  ];
}
