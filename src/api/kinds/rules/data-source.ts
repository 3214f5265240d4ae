/** What a claim's volume is filled with (pkg/api/persistentvolumeclaim/util.go and pkg/apis/core/validation, v1.34). */
import { invalid, invalidEach, required } from '../../errors/field-errors.js';
import { GoValue } from '../../go/go-json.js';
import type { core } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { dns1123Label, dns1123Subdomain } from '../../values/names.js';

type Spec = core.PersistentVolumeClaimSpec;
/** Both forms of a source, as far as they are the same. */
type Source = core.TypedLocalObjectReference & { readonly namespace?: string };

const CLAIM = 'PersistentVolumeClaim';
const SNAPSHOT = 'VolumeSnapshot';
const SNAPSHOT_GROUP = 'snapshot.storage.k8s.io';
/** Upstream shows its own path of the field there, of which nothing can be seen. */
const UNSEEN = new GoValue('{}');

/**
 * The spec with its source in both of its fields. A source in another namespace is off by default
 * (CrossNamespaceVolumeDataSource), and the older field has always ignored what is neither a claim nor a snapshot.
 *
 * @param previous - as it is stored; absent for a new claim
 */
export function withDataSources(spec: Spec, previous?: Spec): Spec {
  if (spec.dataSource === undefined && spec.dataSourceRef === undefined) return spec;
  const { dataSource, dataSourceRef, ...rest } = spec;
  const isFar = (dataSourceRef?.namespace ?? '') !== '' && previous?.dataSourceRef === undefined;
  const ref = isFar ? undefined : dataSourceRef;
  const wasInUse = previous?.dataSource !== undefined || previous?.dataSourceRef !== undefined;
  const isKept = wasInUse || ref !== undefined || (dataSource !== undefined && isUsual(dataSource));
  const source = isKept ? dataSource : undefined;
  return {
    ...rest,
    ...field('dataSource', source ?? (ref === undefined || (ref.namespace ?? '') !== '' ? undefined : parts(ref))),
    ...field('dataSourceRef', ref ?? (source === undefined ? undefined : parts(source))),
  };
}

function field(name: keyof Spec, value: Source | undefined): Partial<Spec> {
  return value === undefined ? {} : { [name]: value };
}

function parts({ apiGroup, kind, name }: Source): Source {
  return apiGroup === undefined ? { kind, name } : { apiGroup, kind, name };
}

function isUsual({ apiGroup = '', kind }: Source): boolean {
  return (apiGroup === '' && kind === CLAIM) || (apiGroup === SNAPSHOT_GROUP && kind === SNAPSHOT);
}

/** Everything wrong with the sources of a claim. */
export function validateDataSources({ dataSource, dataSourceRef }: Spec, path: string): FieldError[] {
  const errors = [
    ...(dataSource === undefined ? [] : validateSource(dataSource, `${path}.dataSource`)),
    ...(dataSourceRef === undefined ? [] : validateSource(dataSourceRef, `${path}.dataSourceRef`)),
  ];
  if (dataSource === undefined || dataSourceRef === undefined) return errors;
  if ((dataSourceRef.namespace ?? '') !== '') {
    errors.push(invalid(path, UNSEEN, 'may not be specified when dataSourceRef.namespace is specified'));
  } else if (!isSame(dataSource, dataSourceRef)) {
    errors.push(invalid(path, UNSEEN, 'must match dataSourceRef'));
  }
  return errors;
}

function validateSource(source: Partial<Source>, path: string): FieldError[] {
  const { apiGroup = '', kind = '', name = '', namespace = '' } = source;
  const isUngrouped = apiGroup === '' && kind !== CLAIM;
  const problem = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...(name === '' ? [required(`${path}.name`)] : []),
    ...(kind === '' ? [required(`${path}.kind`)] : []),
    ...(isUngrouped ? [invalid(path, kind, problem)] : []),
    ...(apiGroup === '' ? [] : invalidEach(`${path}.apiGroup`, apiGroup, dns1123Subdomain(apiGroup))),
    ...(namespace === '' ? [] : invalidEach(`${path}.namespace`, namespace, dns1123Label(namespace))),
  ];
}

function isSame(a: Source, b: Source): boolean {
  return a.kind === b.kind && a.name === b.name && a.apiGroup === b.apiGroup;
}
