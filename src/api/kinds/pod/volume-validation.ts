/** Validation of a pod's volumes, in upstream's order (pkg/apis/core/validation, v1.34). */
import { duplicate, forbidden, invalid, invalidEach, notSupported, required } from '../../errors/field-errors.js';
import type { core } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { dns1123Label, dns1123Subdomain } from '../../values/names.js';
import { validateClaimSpec } from '../rules/claim-validation.js';
import { wholeValue } from '../../values/quantity.js';
import { validateStorageSource } from './volume-source-validation.js';
import { FILE_FIELDS, validateFieldRef, validateResourceRef } from './environment-validation.js';

/** Types of volumes, in the order in which they are looked for. */
const TYPES = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
] as const satisfies readonly (keyof core.Volume)[];
const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const MOST_MODE = 0o777;
const LEAST_TOKEN_SECONDS = 600;

/** What is wrong with the volumes, and the names of those that are good. */
export interface VolumeVerdict {
  readonly errors: readonly FieldError[];
  readonly names: ReadonlySet<string>;
}

/** See the file header. @param pod - the name of the pod; empty = it is not known yet */
export function validateVolumes(volumes: readonly Partial<core.Volume>[], field: string, pod: string): VolumeVerdict {
  const names = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, volume] of volumes.entries()) {
    const { name = '' } = volume;
    const own = `${field}[${index}]`;
    const found = [...validateSource(volume, own), ...validateClaimName(volume, own, pod)];
    if (name === '') found.push(required(`${own}.name`));
    else found.push(...invalidEach(`${own}.name`, name, dns1123Label(name)));
    if (names.has(name)) found.push(duplicate(`${own}.name`, name));
    if (found.length === 0) names.add(name);
    else errors.push(...found);
  }
  return { errors, names };
}

/** A claim that is made for a pod is named for it: that name must be a good one. */
function validateClaimName({ name = '', ephemeral }: Partial<core.Volume>, field: string, pod: string): FieldError[] {
  if (ephemeral === undefined || name === '' || pod === '') return [];
  const claim = `${pod}-${name}`;
  return dns1123Subdomain(claim).map((problem) => invalid(`${field}.name`, name, `PVC name "${claim}": ${problem}`));
}

function validateSource(volume: Partial<core.Volume>, field: string): FieldError[] {
  const [first, ...others] = TYPES.filter((type) => volume[type] !== undefined);
  return [
    ...(first === undefined ? [] : validateType(volume, first, `${field}.${first}`)),
    ...(first === undefined ? [] : validateStorageSource(volume[first] ?? {}, first, { field })),
    ...others.map((type) => forbidden(`${field}.${type}`, 'may not specify more than 1 volume type')),
  ];
}

/** What is simulated of the types. */
function validateType(volume: Partial<core.Volume>, type: (typeof TYPES)[number], field: string): FieldError[] {
  const { hostPath, secret, nfs, persistentVolumeClaim, downwardAPI, configMap, projected, ephemeral } = volume;
  if (type === 'ephemeral' && ephemeral !== undefined) return validateEphemeral(ephemeral, field);
  if (type === 'emptyDir') return validateSizeLimit(volume.emptyDir?.sizeLimit, `${field}.sizeLimit`);
  if (type === 'hostPath' && hostPath !== undefined) return validateHostPath(hostPath, field);
  if (type === 'secret' && secret !== undefined) return validateKeys(secret.secretName, 'secretName', secret, field);
  if (type === 'configMap' && configMap !== undefined) return validateKeys(configMap.name, 'name', configMap, field);
  if (type === 'nfs' && nfs !== undefined) return validateNfs(nfs, field);
  if (type === 'projected' && projected !== undefined) return validateProjected(projected, field);
  if (type === 'persistentVolumeClaim' && persistentVolumeClaim !== undefined) {
    return wanted(persistentVolumeClaim.claimName, `${field}.claimName`);
  }
  if (type !== 'downwardAPI' || downwardAPI === undefined) return [];
  const { defaultMode, items = [] } = downwardAPI;
  return [...validateMode(defaultMode, `${field}.defaultMode`), ...items.flatMap((file) => validateFile(file, field))];
}

function validateEphemeral({ volumeClaimTemplate }: core.EphemeralVolumeSource, field: string): FieldError[] {
  const own = `${field}.volumeClaimTemplate`;
  return volumeClaimTemplate === undefined
    ? [required(own)]
    : validateClaimSpec(volumeClaimTemplate.spec, `${own}.spec`);
}

function validateSizeLimit(limit: string | undefined, field: string): FieldError[] {
  if (limit === undefined || wholeValue(limit) >= 0) return [];
  return [forbidden(field, 'SizeLimit field must be a valid resource quantity')];
}

/** A place on the node. */
export function validateHostPath({ path = '', type }: Partial<core.HostPathVolumeSource>, field: string): FieldError[] {
  if (path === '') return [required(`${field}.path`)];
  const isKnown = type === undefined || HOST_PATH_TYPES.includes(type);
  return [
    ...validateSteps(path, `${field}.path`),
    ...(isKnown ? [] : [notSupported(`${field}.type`, type, HOST_PATH_TYPES)]),
  ];
}

/** A place on a server. */
export function validateNfs({ server, path = '' }: Partial<core.NFSVolumeSource>, field: string): FieldError[] {
  return [
    ...wanted(server, `${field}.server`),
    ...wanted(path, `${field}.path`),
    ...(path.startsWith('/') ? [] : [invalid(`${field}.path`, path, 'must be an absolute path')]),
  ];
}

/** A config map or a secret whose keys become files. */
function validateKeys(
  name: string | undefined,
  nameField: string,
  { defaultMode, items = [] }: { readonly defaultMode?: number; readonly items?: readonly core.KeyToPath[] },
  field: string,
): FieldError[] {
  return [
    ...wanted(name, `${field}.${nameField}`),
    ...validateMode(defaultMode, `${field}.defaultMode`),
    ...items.flatMap((item, index) => validateKey(item, `${field}.items[${index}]`)),
  ];
}

function validateKey({ key, path = '', mode }: Partial<core.KeyToPath>, field: string): FieldError[] {
  return [
    ...wanted(key, `${field}.key`),
    ...wanted(path, `${field}.path`),
    ...validatePlace(path, `${field}.path`),
    ...validateMode(mode, `${field}.mode`),
  ];
}

/** A file that shows a part of the pod. */
function validateFile(file: Partial<core.DownwardAPIVolumeFile>, field: string): FieldError[] {
  const { path = '', fieldRef, resourceFieldRef, mode } = file;
  const errors = [...wanted(path, `${field}.path`), ...validatePlace(path, `${field}.path`)];
  if (fieldRef !== undefined) {
    errors.push(...validateFieldRef(fieldRef, FILE_FIELDS, `${field}.fieldRef`));
    if (resourceFieldRef !== undefined) {
      errors.push(invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (resourceFieldRef === undefined) {
    errors.push(required(field, 'one of fieldRef and resourceFieldRef is required'));
  } else errors.push(...validateResourceRef(resourceFieldRef, `${field}.resourceFieldRef`, true));
  return [...errors, ...validateMode(mode, `${field}.mode`)];
}

function validateProjected({ defaultMode, sources = [] }: core.ProjectedVolumeSource, field: string): FieldError[] {
  const paths = new Set<string>();
  /** One path may be taken once in all sources. */
  const taken = (path: string | undefined, shown: string): FieldError[] => {
    if (path === undefined || path === '') return [];
    if (paths.has(path)) return [invalid(field, shown, 'conflicting duplicate paths')];
    paths.add(path);
    return [];
  };
  const errors = validateMode(defaultMode, `${field}.defaultMode`);
  for (const [index, source] of sources.entries()) {
    const own = `${field}.sources[${index}]`;
    const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
    for (const [kind, keys] of [
      ['secret', secret],
      ['configMap', configMap],
    ] as const) {
      if (keys === undefined) continue;
      const { name = '', items = [] } = keys;
      errors.push(...wanted(name, `${own}.${kind}.name`));
      for (const [at, item] of items.entries()) {
        errors.push(...validateKey(item, `${own}.${kind}.items[${at}]`), ...taken(item.path, name));
      }
    }
    for (const file of downwardAPI?.items ?? []) {
      errors.push(...validateFile(file, `${own}.downwardAPI`), ...taken(file.path, file.path));
    }
    if (token !== undefined) errors.push(...validateToken(token, field, `${own}.serviceAccountToken`));
    if (Object.values(source).filter((each) => each !== undefined).length > 1) {
      errors.push(forbidden(own, 'may not specify more than 1 volume type per source'));
    }
  }
  return errors;
}

/** Upstream looks for the path of a token in the volume's own place. */
function validateToken(
  { expirationSeconds = 3600, path = '' }: Partial<core.ServiceAccountTokenProjection>,
  volume: string,
  field: string,
): FieldError[] {
  const own = `${field}.expirationSeconds`;
  const errors: FieldError[] = [];
  if (expirationSeconds < LEAST_TOKEN_SECONDS) {
    errors.push(invalid(own, expirationSeconds, 'may not specify a duration less than 10 minutes'));
  }
  if (expirationSeconds > 0x1_0000_0000) {
    errors.push(invalid(own, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  return [...errors, ...(path === '' ? [required(`${volume}.path`)] : validatePlace(path, `${volume}.path`))];
}

function wanted(value: string | undefined, field: string): FieldError[] {
  return value === undefined || value === '' ? [required(field)] : [];
}

function validateMode(mode: number | undefined, field: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= MOST_MODE)) return [];
  return [invalid(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

/** A path below that of the volume (ValidateLocalNonReservedPath). */
function validatePlace(path: string, field: string): FieldError[] {
  const isReserved = path.startsWith('..') && !path.startsWith('../');
  return [...validateBelow(path, field), ...(isReserved ? [invalid(field, path, "must not start with '..'")] : [])];
}

/** A path that leads out of its volume is none within it (validateLocalDescendingPath). */
export function validateBelow(path: string, field: string): FieldError[] {
  const isAbsolute = path.startsWith('/');
  return [...(isAbsolute ? [invalid(field, path, 'must be a relative path')] : []), ...validateSteps(path, field)];
}

/** No step of a path leads upwards. */
export function validateSteps(path: string, field: string): FieldError[] {
  return path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : [];
}
