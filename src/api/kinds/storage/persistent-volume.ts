/** Persistent volumes (pkg/registry/core/persistentvolume, pkg/apis/core/v1/defaults.go and validation, v1.34). */
import { isSameJson } from '../../values/canonical-json.js';
import { forbidden, invalid, notSupported, required } from '../../errors/field-errors.js';
import { asGo, goJsonLines } from '../../go/go-json.js';
import { unifiedDiff } from '../../go/unified-diff.js';
import type { core, Draft } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import type { PersistentVolume } from '../../objects/storage-objects.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled } from '../rules/filling.js';
import { canonicalResourceList } from '../rules/resource-lists.js';
import {
  immutable,
  positiveQuantity,
  wholeSize,
  validateAccessModes,
  validateClassName,
  validateVolumeMode,
} from '../rules/storage-fields.js';
import { validateVolumeNodeSelector } from './volume-node-selector.js';

type Spec = core.PersistentVolumeSpec;

/** Kept until the volume is no longer bound. */
const PROTECTION = 'kubernetes.io/pv-protection';
const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];

/** The fields that say where the data lies; a volume has exactly one. */
const SOURCES = [
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

/** The description of persistent volumes. */
export const persistentVolumeKind = describeKind<'PersistentVolume'>({
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  shortNames: ['pv'],
  isNamespaced: false,
  hasStatus: true,
  deleteReturnsObject: true,
  applyDefaults(draft: Draft): Draft {
    const volume = filled(draft, { spec: {} });
    const before = volume['spec'] as Spec;
    const spec = defaultedSpec(before);
    return spec === before ? volume : { ...volume, spec };
  },
  prepareForCreate: ({ metadata, ...rest }) => ({
    ...rest,
    metadata: withFinalizer(metadata, PROTECTION),
    status: { phase: 'Pending', lastPhaseTransitionTime: metadata.creationTimestamp },
  }),
  validate: ({ spec }) => validateSpec(spec),
  judgedOnUpdate: ['whole', 'whole', 'change'],
  validateChange: validateUpdate,
});

function defaultedSpec(spec: Spec): Spec {
  let result = filled(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' });
  result = changedField(result, 'hostPath', (source) => filled(source, { type: '' }));
  return changedField(result, 'capacity', (list) => canonicalResourceList(list) as NonNullable<Spec['capacity']>);
}

/** Metadata with one more finalizer, unless it has it. */
export function withFinalizer<T extends { readonly finalizers?: readonly string[] }>(
  metadata: T,
  finalizer: string,
): T {
  const { finalizers = [] } = metadata;
  return finalizers.includes(finalizer) ? metadata : { ...metadata, finalizers: [...finalizers, finalizer] };
}

function validateSpec(spec: Spec): FieldError[] {
  const { accessModes = [], capacity, persistentVolumeReclaimPolicy: policy = '' } = spec;
  const errors: FieldError[] = [];
  if (accessModes.length === 0) errors.push(required('spec.accessModes'));
  errors.push(...validateAccessModes(accessModes, 'spec.accessModes'), ...validateCapacity(capacity));
  if (policy !== '' && !RECLAIM_POLICIES.includes(policy)) {
    errors.push(notSupported('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES));
  }
  errors.push(...validateAffinity(spec), ...validateSource(spec));
  errors.push(...validateClassName(spec.storageClassName, 'spec.storageClassName'));
  errors.push(...validateVolumeMode(spec.volumeMode, 'spec.volumeMode'), ...validateAttributesClass(spec));
  return errors;
}

function validateAttributesClass({ volumeAttributesClassName: name, csi }: Spec): FieldError[] {
  const field = 'spec.volumeAttributesClassName';
  if (name === undefined) return [];
  const errors = name === '' ? [required(field, 'an empty string is disallowed')] : validateClassName(name, field);
  if (csi !== undefined) return errors;
  return [...errors, required('spec.csi', 'has to be specified when using volumeAttributesClassName')];
}

function validateCapacity(capacity: Spec['capacity']): FieldError[] {
  const names = Object.keys(capacity ?? {}).sort();
  const errors: FieldError[] = [];
  if (names.length === 0) errors.push(required('spec.capacity'));
  if (names.length !== 1 || names[0] !== 'storage')
    errors.push(notSupported('spec.capacity', capacity ?? null, ['storage']));
  for (const name of names) {
    const amount = capacity?.[name] ?? '0';
    const field = `spec.capacity[${name}]`;
    errors.push(...wholeSize(amount, field), ...positiveQuantity(amount, field));
  }
  return errors;
}

function validateAffinity({ nodeAffinity }: Spec): FieldError[] {
  if (nodeAffinity === undefined) return [];
  const field = 'spec.nodeAffinity.required';
  if (nodeAffinity.required === undefined) return [required(field, 'must specify required node constraints')];
  return validateVolumeNodeSelector(nodeAffinity.required, field);
}

function validateSource(spec: Spec): FieldError[] {
  const [first, ...others] = SOURCES.filter((name) => spec[name] !== undefined);
  if (first === undefined) return [required('spec', 'must specify a volume type')];
  // Of several, the first one is looked into.
  const errors: FieldError[] = [];
  if (first === 'csi') {
    const { driver = '', volumeHandle = '' } = (spec.csi ?? {}) as Partial<core.CSIPersistentVolumeSource>;
    if (driver === '') errors.push(required('spec.csi.driver'));
    if (volumeHandle === '') errors.push(required('spec.csi.volumeHandle'));
  }
  if (first === 'local' && spec.nodeAffinity === undefined) {
    errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'));
  }
  errors.push(...others.map((name) => forbidden(`spec.${name}`, 'may not specify more than 1 volume type')));
  if (spec.hostPath?.path === '/' && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    errors.push(forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'"));
  }
  return errors;
}

function sourcesOf(spec: Spec): object {
  return Object.fromEntries(SOURCES.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])));
}

function validateUpdate({ spec }: PersistentVolume, { spec: before }: PersistentVolume): FieldError[] {
  const errors: FieldError[] = [];
  if (SOURCES.some((name) => !isSameJson(spec[name], before[name]))) {
    const text = 'spec.persistentvolumesource is immutable after creation';
    const [former, given] = [before, spec].map((each) => goJsonLines('PersistentVolumeSource', sourcesOf(each)));
    errors.push(forbidden('spec.persistentvolumesource', `${text}\n${unifiedDiff(former ?? [], given ?? [])}`));
  }
  errors.push(...immutable(spec.volumeMode, before.volumeMode, 'volumeMode'));
  if (before.nodeAffinity !== undefined && !isSameJson(spec.nodeAffinity, before.nodeAffinity)) {
    const text = 'field is immutable, except for updating from beta label to GA';
    errors.push(invalid('nodeAffinity', asGo('*VolumeNodeAffinity', spec.nodeAffinity), text));
  }
  return errors;
}
