/**
 * What a pod may say where it uses the namespaces of its node, and on which system it runs (`validateHostUsers`,
 * `ValidateHostSysctl`, `validateLinux` and `validateWindows` of pkg/apis/core/validation, v1.34).
 */
import { forbidden, invalid } from '../../errors/field-errors.js';
import type { Container, PodSpec } from '../../objects/objects.js';
import type { FieldError } from '../../objects/resource-kind.js';

const NOT_FOR_WINDOWS = 'cannot be set for a windows pod';
const NOT_FOR_LINUX = 'windows options cannot be set for a linux pod';
const NO_HOST_USERS = 'when `hostUsers` is false';
const OF_WINDOWS_POD: readonly string[] = [
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
];
const OF_WINDOWS_CONTAINER: readonly string[] = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];
const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

interface Placed {
  readonly container: Pick<Container, 'securityContext' | 'volumeDevices'>;
  readonly at: string;
}

function placedContainers(spec: PodSpec, field: string): readonly Placed[] {
  return LISTS.flatMap((list) =>
    (spec[list] ?? []).map((container, index): Placed => ({ container, at: `${field}.${list}[${index}]` })),
  );
}

/** What does not go with the system that a pod says it is for. */
export function validateSystem(spec: PodSpec, field: string): readonly FieldError[] {
  if (spec.os?.name === 'linux') return linuxErrors(spec, field);
  return spec.os?.name === 'windows' ? windowsErrors(spec, field) : [];
}

function linuxErrors(spec: PodSpec, field: string): readonly FieldError[] {
  const places = [{ container: spec, at: field }, ...placedContainers(spec, field)];
  return places.flatMap(({ container: { securityContext }, at }) =>
    securityContext?.windowsOptions === undefined
      ? []
      : [forbidden(`${at}.securityContext.windowsOptions`, NOT_FOR_LINUX)],
  );
}

function windowsErrors(spec: PodSpec, field: string): readonly FieldError[] {
  const { securityContext = {}, hostUsers, hostPID, hostIPC, shareProcessNamespace } = spec;
  const own: Readonly<Record<string, unknown>> = { ...securityContext };
  const ofPod: readonly (readonly [string, boolean])[] = [
    ['securityContext.appArmorProfile', own['appArmorProfile'] !== undefined],
    ['securityContext.seLinuxOptions', own['seLinuxOptions'] !== undefined],
    ['hostUsers', hostUsers !== undefined],
    ['hostPID', hostPID === true],
    ['hostIPC', hostIPC === true],
    ...OF_WINDOWS_POD.slice(0, 4).map((name) => [`securityContext.${name}`, own[name] !== undefined] as const),
    ['shareProcessNamespace', shareProcessNamespace !== undefined],
    ...OF_WINDOWS_POD.slice(4).map((name) => [`securityContext.${name}`, own[name] !== undefined] as const),
  ];
  return [
    ...ofPod.flatMap(([name, isSet]) => (isSet ? [forbidden(`${field}.${name}`, NOT_FOR_WINDOWS)] : [])),
    ...placedContainers(spec, field).flatMap(({ container, at }) => {
      const stated: Readonly<Record<string, unknown>> = { ...container.securityContext };
      const wrong = OF_WINDOWS_CONTAINER.filter((name) => stated[name] !== undefined);
      return wrong.map((name) => forbidden(`${at}.securityContext.${name}`, NOT_FOR_WINDOWS));
    }),
  ];
}

/** What does not go with the namespaces of the node, or without its users. */
export function validateNamespaces(spec: PodSpec, field: string): readonly FieldError[] {
  const { hostUsers = true, hostNetwork, hostPID, hostIPC } = spec;
  const places = placedContainers(spec, field);
  const unmasked = places.filter(({ container }) => container.securityContext?.procMount === 'Unmasked');
  const rule = '`hostUsers` must be false to use `Unmasked`';
  const errors = [
    ...(hostUsers ? unmasked.map(({ at }) => invalid(`${at}.securityContext.procMount`, 'Unmasked', rule)) : []),
    ...validateHostSysctls(spec, field),
  ];
  if (hostUsers) return errors;
  return [
    ...errors,
    ...(hostNetwork === true ? [forbidden(`${field}.hostNetwork`, NO_HOST_USERS)] : []),
    ...(hostPID === true ? [forbidden(`${field}.HostPID`, NO_HOST_USERS)] : []),
    ...(hostIPC === true ? [forbidden(`${field}.HostIPC`, NO_HOST_USERS)] : []),
    ...places.flatMap(({ container: { volumeDevices = [] }, at }) =>
      volumeDevices.length === 0 ? [] : [forbidden(`${at}.volumeDevices`, NO_HOST_USERS)],
    ),
  ];
}

/** Parameters of a namespace are the node's where the pod shares it. */
function validateHostSysctls({ securityContext, hostNetwork, hostIPC }: PodSpec, field: string): FieldError[] {
  if (hostNetwork !== true && hostIPC !== true) return [];
  return (securityContext?.sysctls ?? []).flatMap(({ name }, index) => {
    const namespace = namespaceOf(name);
    const sharing = hostNetwork === true && namespace === 'net' ? 'hostNetwork' : 'hostIPC';
    if (namespace === undefined || (sharing === 'hostIPC' && (hostIPC !== true || namespace !== 'ipc'))) return [];
    const place = `${field}.securityContext.sysctls[${index}].name`;
    return [invalid(place, name, `may not be specified when '${sharing}' is true`)];
  });
}

function namespaceOf(sysctl: string): 'net' | 'ipc' | undefined {
  const name = sysctl.replaceAll('/', '.');
  if (name.startsWith('net.')) return 'net';
  return name === 'kernel.sem' || /^(?:kernel\.(?:shm|msg)|fs\.mqueue\.)/.test(name) ? 'ipc' : undefined;
}
