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
const MOST_LUN = 255;
const REGISTRY_TEXT = 'must be a host:port pair or multiple pairs separated by commas';
const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';

/** What is wrong with the source of a type. @param volume - the field of the volume */
export function validateStorageSource(source: object, type: string, volume: string): FieldError[] {
  const field = `${volume}.${SHOWN[type] ?? type}`;
  const lacking = (REQUIRED[type] ?? []).filter((name) => isEmpty((source as Source)[name]));
  return [...lacking.map((name) => required(`${field}.${name}`)), ...validateForm(source, type, field)];
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** What a type asks for besides. */
function validateForm(source: object, type: string, field: string): readonly FieldError[] {
  switch (type) {
    case 'csi':
      return validateDriver(source, `${field}.driver`);
    case 'fc':
      return validateFibreChannel(source, field);
    case 'quobyte':
      return validateQuobyte(source, field);
    case 'flocker':
      return validateFlocker(source, field);
    case 'azureDisk':
      return validateDiskUri(source, `${field}.diskURI`);
    case 'storageos': {
      const { volumeName = '' } = source as core.StorageOSVolumeSource;
      return volumeName === '' ? [] : invalidEach(`${field}.volumeName`, volumeName, dns1123Label(volumeName));
    }
    default:
      return [];
  }
}

function validateDriver({ driver = '' }: Partial<core.CSIVolumeSource>, field: string): readonly FieldError[] {
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

function validateQuobyte(
  { registry = '', volume = '' }: Partial<core.QuobyteVolumeSource>,
  field: string,
): FieldError[] {
  const own = `${field}.registry`;
  const wrong = registry === '' ? [] : registry.split(',').filter((pair) => !/^(?:\[[^\]]*\]|[^:]*):[^:]*$/.test(pair));
  return [
    ...(registry === '' ? [required(own, REGISTRY_TEXT)] : wrong.map(() => invalid(own, registry, REGISTRY_TEXT))),
    ...(volume === '' ? [required(`${field}.volume`)] : []),
  ];
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

function validateDiskUri(
  { diskURI = '', kind = 'Shared' }: Partial<core.AzureDiskVolumeSource>,
  field: string,
): FieldError[] {
  const [start, form] = kind === 'Managed' ? ['/subscriptions/', MANAGED_URI] : ['https://', BLOB_URI];
  return diskURI.startsWith(start) ? [] : [notSupported(field, diskURI, [form])];
}
