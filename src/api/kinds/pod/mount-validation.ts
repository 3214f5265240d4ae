/** Validation of what a container mounts, and of the block devices that it is given (pkg/apis/core/validation, v1.34). */
import { forbidden, invalid, notFound, notSupported, required } from '../../errors/field-errors.js';
import type { Container, core } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateBelow } from './volume-validation.js';

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIONS = ['Disabled', 'Enabled', 'IfPossible'];

type Names = ReadonlySet<string>;
type Mounting = Pick<Partial<Container>, 'volumeMounts' | 'volumeDevices' | 'securityContext'>;

/** @param volumes - names of the pod's volumes */
export function validateMounts(container: Mounting, volumes: Names, field: string): FieldError[] {
  const { volumeMounts = [], volumeDevices = [], securityContext } = container;
  const paths = new Set<string>();
  return volumeMounts.flatMap((mount: Partial<core.VolumeMount>, index) => {
    const { name = '', mountPath = '', subPath = '', subPathExpr = '', mountPropagation } = mount;
    const own = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${own}.name`));
    if (!volumes.has(name)) errors.push(notFound(`${own}.name`, name));
    if (mountPath === '') errors.push(required(`${own}.mountPath`));
    if (paths.has(mountPath)) errors.push(invalid(`${own}.mountPath`, mountPath, 'must be unique'));
    paths.add(mountPath);
    if (volumeDevices.some((device: Partial<core.VolumeDevice>) => (device.name ?? '') === name)) {
      errors.push(invalid(`${own}.name`, name, 'must not already exist in volumeDevices'));
    }
    if (volumeDevices.some(({ devicePath = '' }: Partial<core.VolumeDevice>) => devicePath === mountPath)) {
      errors.push(invalid(`${own}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'));
    }
    // Upstream leaves the number of the mount out from here on.
    errors.push(...validateBelow(subPath, `${field}.subPath`));
    if (subPathExpr !== '' && subPath !== '') {
      errors.push(invalid(`${own}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
    }
    errors.push(...validateBelow(subPathExpr, `${field}.subPathExpr`));
    if (mountPropagation !== undefined) {
      const isPrivileged = securityContext?.privileged === true;
      errors.push(...validatePropagation(mountPropagation, isPrivileged, `${field}.mountPropagation`));
    }
    errors.push(...validateRecursion(mount, `${field}.recursiveReadOnly`));
    return errors;
  });
}

function validatePropagation(mode: string, isPrivileged: boolean, field: string): FieldError[] {
  if (!PROPAGATIONS.includes(mode)) return [notSupported(field, mode, PROPAGATIONS)];
  if (mode !== 'Bidirectional' || isPrivileged) return [];
  return [forbidden(field, 'Bidirectional mount propagation is available only to privileged containers')];
}

function validateRecursion(mount: Partial<core.VolumeMount>, field: string): FieldError[] {
  const { recursiveReadOnly: mode, readOnly = false, mountPropagation = 'None' } = mount;
  if (mode === undefined || mode === 'Disabled') return [];
  if (!RECURSIONS.includes(mode)) return [notSupported(field, mode, RECURSIONS)];
  return [
    ...(readOnly ? [] : [forbidden(field, 'may only be specified when readOnly is true')]),
    ...(mountPropagation === 'None'
      ? []
      : [forbidden(field, 'may only be specified when mountPropagation is None or not specified')]),
  ];
}

/** @param volumes - names of the pod's volumes */
export function validateDevices(container: Mounting, volumes: Names, field: string): FieldError[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const [names, paths] = [new Set<string>(), new Set<string>()];
  return volumeDevices.flatMap(({ name = '', devicePath = '' }: Partial<core.VolumeDevice>, index) => {
    const own = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(`${own}.name`));
    if (names.has(name)) errors.push(invalid(`${own}.name`, name, 'must be unique'));
    if (!volumes.has(name)) errors.push(notFound(`${own}.name`, name));
    if (devicePath === '') errors.push(required(`${own}.devicePath`));
    if (paths.has(devicePath)) errors.push(invalid(`${own}.devicePath`, devicePath, 'must be unique'));
    if (devicePath.split('/').includes('..')) {
      errors.push(invalid(`${own}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    } else paths.add(devicePath);
    if (volumeMounts.some((mount: Partial<core.VolumeMount>) => (mount.name ?? '') === name)) {
      errors.push(invalid(`${own}.name`, name, 'must not already exist in volumeMounts'));
    }
    if (volumeMounts.some(({ mountPath = '' }: Partial<core.VolumeMount>) => mountPath === devicePath)) {
      errors.push(invalid(`${own}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'));
    }
    if (name !== '') names.add(name);
    return errors;
  });
}
