/** Persistent volumes (pkg/registry/core/persistentvolume, pkg/apis/core/v1/defaults.go and validation, v1.34). */
import { isSameJson } from '../../values/canonical-json.js';
import { forbidden, invalid } from '../../errors/field-errors.js';
import { asGo, goJsonLines } from '../../go/go-json.js';
import { unifiedDiff } from '../../go/unified-diff.js';
import type { core, Draft } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import type { PersistentVolume } from '../../objects/storage-objects.js';
import { describeKind } from '../rules/describe-kind.js';
import { changedField, filled } from '../rules/filling.js';
import { canonicalResourceList } from '../rules/resource-lists.js';
import { immutable } from '../rules/storage-fields.js';
import { defaultedSources } from '../pod/volume-defaults.js';
import { validateVolumeSpec, VOLUME_SOURCES } from './volume-spec.js';

type Spec = core.PersistentVolumeSpec;

/** Kept until the volume is no longer bound. */
const PROTECTION = 'kubernetes.io/pv-protection';

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
  validate: ({ metadata, spec }) => validateVolumeSpec(spec, { field: 'spec', volumeName: metadata.name }),
  validateChange: validateUpdate,
});

function defaultedSpec(spec: Spec): Spec {
  const result = defaultedSources(filled(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }));
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

function sourcesOf(spec: Spec): object {
  return Object.fromEntries(VOLUME_SOURCES.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])));
}

function validateUpdate({ spec }: PersistentVolume, { spec: before }: PersistentVolume): FieldError[] {
  const errors: FieldError[] = [];
  if (VOLUME_SOURCES.some((name) => !isSameJson(spec[name], before[name]))) {
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
