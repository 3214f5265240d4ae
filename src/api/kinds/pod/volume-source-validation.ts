/**
 * What volumes must say of where they belong, of storage that is not simulated: mounting them would need it
 * (pkg/apis/core/validation, v1.34).
 */
import { invalid, invalidEach, notSupported, required, tooLong } from '../../errors/field-errors.js';
import type { core } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { dns1123Label, dns1123Subdomain } from '../../values/names.js';

type Source = Readonly<Record<string, unknown>>;

/** Fields that may not be empty, in upstream's order, by the type of the volume. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  gitRepo: ['repository'],
  gcePersistentDisk: ['pdName'],
  awsElasticBlockStore: ['volumeID'],
  iscsi: ['targetPortal', 'iqn'],
  glusterfs: ['endpoints', 'path'],
  rbd: ['monitors', 'image'],
  cinder: ['volumeID'],
  cephfs: ['monitors'],
  flexVolume: ['driver'],
  azureFile: ['secretName', 'shareName'],
  azureDisk: ['diskName', 'diskURI'],
  vsphereVolume: ['volumePath'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  storageos: ['volumeName'],
};
/** Upstream's own name for it. */
const SHOWN: Readonly<Partial<Record<string, string>>> = { gcePersistentDisk: 'persistentDisk' };
const LONGEST_DRIVER = 63;
const LONGEST_TENANT = 64;
const TENANT_TEXT = 'must be a UUID and may not exceed a length of 64 characters';
const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MOST_LUN = 255;
const REGISTRY_TEXT = 'must be a host:port pair or multiple pairs separated by commas';
const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';

/** Of what a source is a part: volumes of the cluster say more, such as the namespaces of secrets. */
export interface SourceHolder {
  /** The field of the volume. */
  readonly field: string;
  /** Name of the persistent volume; absent = the volume of a pod. */
  readonly volumeName?: string;
}

/** What is wrong with the source of a type. */
export function validateStorageSource(
  source: object,
  type: string,
  { field: of, volumeName }: SourceHolder,
): FieldError[] {
  const field = `${of}.${SHOWN[type] ?? type}`;
  const lacking = (REQUIRED[type] ?? []).filter((name) => isEmpty((source as Source)[name]));
  const form = validateForm(source, type, { field, ...(volumeName === undefined ? {} : { volumeName }) });
  return [...lacking.map((name) => required(`${field}.${name}`)), ...form];
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** What a type asks for besides. */
function validateForm(source: object, type: string, { field, volumeName }: SourceHolder): readonly FieldError[] {
  const isVolume = volumeName !== undefined;
  switch (type) {
    case 'gcePersistentDisk':
    case 'awsElasticBlockStore':
      return validatePartition(source, `${field}.partition`);
    case 'csi':
      return isVolume ? validateCsiVolume(source, field) : validateInlineCsi(source, field);
    case 'fc':
      return validateFibreChannel(source, field);
    case 'iscsi':
      return validateIscsi(source, { field, ...(isVolume ? { volumeName } : {}) });
    case 'quobyte':
      return validateQuobyte(source, field);
    case 'flocker':
      return validateFlocker(source, field);
    case 'flexVolume':
      return validateOptions(source, `${field}.options`);
    case 'azureDisk':
      return validateAzureDisk(source, field);
    case 'azureFile': {
      const { secretNamespace } = source as core.AzureFilePersistentVolumeSource;
      return isVolume && secretNamespace === '' ? [required(`${field}.secretNamespace`)] : [];
    }
    case 'glusterfs': {
      const { endpointsNamespace } = source as core.GlusterfsPersistentVolumeSource;
      return isVolume ? validateEndpointsNamespace(endpointsNamespace, `${field}.endpointsNamespace`) : [];
    }
    case 'cinder': {
      const { secretRef } = source as core.CinderPersistentVolumeSource;
      return validateSecret(secretRef, `${field}.secretRef`, isVolume);
    }
    case 'storageos':
      return validateStorageOs(source, field, isVolume);
    default:
      return [];
  }
}

function validatePartition({ partition = 0 }: { readonly partition?: number }, field: string): readonly FieldError[] {
  if (partition >= 0 && partition <= MOST_LUN) return [];
  return [invalid(field, partition, `must be between 1 and ${MOST_LUN}, inclusive`)];
}

function validateInlineCsi(source: Partial<core.CSIVolumeSource>, field: string): readonly FieldError[] {
  const { nodePublishSecretRef: secret } = source;
  const errors = validateDriver(source, `${field}.driver`);
  if (secret === undefined) return errors;
  const { name = '' } = secret;
  if (name === '') return [...errors, required(`${field}.nodePublishSecretRef.name`)];
  return [...errors, ...invalidEach(`${field}.name`, name, dns1123Subdomain(name))];
}

const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function validateCsiVolume(source: Partial<core.CSIPersistentVolumeSource>, field: string): readonly FieldError[] {
  const secrets = CSI_SECRETS.flatMap((name) => {
    const reference = source[name];
    return reference === undefined ? [] : validateVolumeSecret(reference, `${field}.${name}`);
  });
  const handle = (source.volumeHandle ?? '') === '' ? [required(`${field}.volumeHandle`)] : [];
  return [...validateDriver(source, `${field}.driver`), ...handle, ...secrets];
}

function validateVolumeSecret({ name = '', namespace = '' }: core.SecretReference, field: string): FieldError[] {
  return [
    ...(name === '' ? [required(`${field}.name`)] : invalidEach(`${field}.name`, name, dns1123Subdomain(name))),
    ...(namespace === ''
      ? [required(`${field}.namespace`)]
      : invalidEach(`${field}.namespace`, namespace, dns1123Label(namespace))),
  ];
}

/** A secret that is named, and that of a persistent volume has its namespace. */
function validateSecret(secret: core.SecretReference | undefined, field: string, isVolume: boolean): FieldError[] {
  if (secret === undefined) return [];
  const { name = '', namespace = '' } = secret;
  return [
    ...(name === '' ? [required(`${field}.name`)] : []),
    ...(isVolume && namespace === '' ? [required(`${field}.namespace`)] : []),
  ];
}

function validateStorageOs(
  source: core.StorageOSPersistentVolumeSource,
  field: string,
  isVolume: boolean,
): FieldError[] {
  const { volumeName = '', volumeNamespace = '', secretRef } = source;
  const label = (name: string, of: string): FieldError[] =>
    name === '' ? [] : invalidEach(`${field}.${of}`, name, dns1123Label(name));
  return [
    ...label(volumeName, 'volumeName'),
    ...label(volumeNamespace, 'volumeNamespace'),
    ...validateSecret(secretRef, `${field}.secretRef`, isVolume),
  ];
}

function validateEndpointsNamespace(namespace: string | undefined, field: string): FieldError[] {
  if (namespace === undefined) return [];
  if (namespace !== '') return invalidEach(field, namespace, dns1123Label(namespace));
  return [invalid(field, namespace, 'if the endpointnamespace is set, it must be a valid namespace name')];
}

/** Options of drivers: those of Kubernetes are its own to set. */
function validateOptions({ options = {} }: Partial<core.FlexVolumeSource>, field: string): FieldError[] {
  const taken = Object.keys(options).filter((name) => /\.(?:kubernetes|k8s)\.io$/i.test(`.${name.split('/')[0]}`));
  const rule = 'kubernetes.io and k8s.io namespaces are reserved';
  return taken.map((name) => invalid(`${field}[${name}]`, name, rule));
}

const QUALIFIED_NAMES: ReadonlyMap<string, RegExp> = new Map([
  ['iqn', /iqn\.\d{4}-\d{2}\.[a-zA-Z0-9\-.]+:[^,;*&$|\s]+$/],
  ['eui', /^eui.[a-zA-Z0-9]{16}$/],
  ['naa', /^naa.[a-zA-Z0-9]{32}$/],
]);
const LONGEST_TARGET = 64;
const TARGET_TEXT =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

function validateIscsi(
  source: Partial<core.ISCSIPersistentVolumeSource>,
  { field, volumeName }: SourceHolder,
): FieldError[] {
  const { targetPortal = '', iqn = '', lun = 0, initiatorName, secretRef } = source;
  const errors: FieldError[] = [];
  if (
    initiatorName !== undefined &&
    `${volumeName ?? ''}:${targetPortal}`.length > LONGEST_TARGET &&
    volumeName !== undefined
  ) {
    errors.push(invalid(`${field}.targetportal`, targetPortal, TARGET_TEXT));
  }
  if (iqn !== '' && QUALIFIED_NAMES.get(iqn.slice(0, 3))?.test(iqn) !== true) {
    const isUnknown = !QUALIFIED_NAMES.has(iqn.slice(0, 3)) && volumeName === undefined;
    errors.push(
      invalid(`${field}.iqn`, iqn, `must be valid format${isUnknown ? ' starting with iqn, eui, or naa' : ''}`),
    );
  }
  if (lun < 0 || lun > MOST_LUN)
    errors.push(invalid(`${field}.lun`, lun, `must be between 0 and ${MOST_LUN}, inclusive`));
  const isAuthenticated = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  if (isAuthenticated && secretRef === undefined) errors.push(required(`${field}.secretRef`));
  errors.push(...validateSecret(secretRef, `${field}.secretRef`, false));
  if (initiatorName !== undefined && QUALIFIED_NAMES.get(initiatorName.slice(0, 3))?.test(initiatorName) !== true) {
    errors.push(invalid(`${field}.initiatorname`, initiatorName, 'must be valid format'));
  }
  return errors;
}

function validateDriver({ driver = '' }: { readonly driver?: string }, field: string): readonly FieldError[] {
  return [
    ...(driver === '' ? [required(field)] : []),
    ...(driver.length > LONGEST_DRIVER ? [tooLong(field, LONGEST_DRIVER)] : []),
    ...invalidEach(field, driver, dns1123Subdomain(driver.toLowerCase())),
  ];
}

function validateFibreChannel({ targetWWNs = [], wwids = [], lun }: core.FCVolumeSource, field: string): FieldError[] {
  const own = `${field}.targetWWNs`;
  if (targetWWNs.length === 0) {
    return wwids.length > 0 ? [] : [required(own, 'must specify either targetWWNs or wwids, but not both')];
  }
  const errors =
    wwids.length > 0 ? [invalid(own, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously')] : [];
  if (lun === undefined) return [...errors, required(`${field}.lun`, 'lun is required if targetWWNs is specified')];
  if (lun >= 0 && lun <= MOST_LUN) return errors;
  return [...errors, invalid(`${field}.lun`, lun, `must be between 0 and ${MOST_LUN}, inclusive`)];
}

function validateQuobyte(source: Partial<core.QuobyteVolumeSource>, field: string): FieldError[] {
  return [...validateRegistry(source, field), ...((source.volume ?? '') === '' ? [required(`${field}.volume`)] : [])];
}

function validateRegistry(
  { registry = '', tenant = '' }: Partial<core.QuobyteVolumeSource>,
  field: string,
): FieldError[] {
  const own = `${field}.registry`;
  if (registry === '') return [required(own, REGISTRY_TEXT)];
  if (tenant.length > LONGEST_TENANT) return [required(`${field}.tenant`, TENANT_TEXT)];
  const wrong = registry.split(',').filter((pair) => !/^(?:\[[^\]]*\]|[^:]*):[^:]*$/.test(pair));
  return wrong.map(() => invalid(own, registry, REGISTRY_TEXT));
}

function validateFlocker(
  { datasetName = '', datasetUUID = '' }: core.FlockerVolumeSource,
  field: string,
): FieldError[] {
  if (datasetName === '') {
    return datasetUUID === '' ? [required(field, 'one of datasetName and datasetUUID is required')] : [];
  }
  const own = `${field}.datasetName`;
  return [
    ...(datasetUUID === ''
      ? []
      : [invalid(field, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')]),
    ...(datasetName.includes('/') ? [invalid(own, datasetName, "must not contain '/'")] : []),
  ];
}

function validateAzureDisk(source: Partial<core.AzureDiskVolumeSource>, field: string): FieldError[] {
  const { diskURI = '', kind, cachingMode } = source;
  const oneOf = (value: string | undefined, name: string, allowed: readonly string[]): FieldError[] =>
    value === undefined || allowed.includes(value) ? [] : [notSupported(`${field}.${name}`, value, allowed)];
  const [start, form] = kind === 'Managed' ? ['/subscriptions/', MANAGED_URI] : ['https://', BLOB_URI];
  const isPlaced = kind === undefined || diskURI.startsWith(start);
  return [
    ...oneOf(cachingMode, 'cachingMode', CACHING_MODES),
    ...oneOf(kind, 'kind', DISK_KINDS),
    ...(isPlaced ? [] : [notSupported(`${field}.diskURI`, diskURI, [form])]),
  ];
}
