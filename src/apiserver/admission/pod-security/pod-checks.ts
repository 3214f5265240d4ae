/**
 * The rules of the Pod Security Standards by level and version, in the order in which upstream tells of them
 * (pod-security-admission/policy, v1.34).
 */
import type { Container, core, PodSpec, StringMap } from '../../../api/objects/objects.js';
import type { LevelVersion } from './pod-policy.js';

/** A rule that a pod breaks. */
export interface PolicyBreach {
  readonly reason: string;
  readonly detail: string;
}

/** What rules look at. */
interface CheckedPod {
  readonly spec: PodSpec;
  readonly annotations: StringMap;
  /** Init containers first, then the others, ephemeral ones last. */
  readonly containers: readonly Container[];
  /** The minor version by whose rules it is checked. */
  readonly version: number;
}

type Check = (pod: CheckedPod) => PolicyBreach | undefined;

/** The newest version that has brought a rule. */
const NEWEST = 34;
const FIRST = 0;

/** What a level does not allow of a pod; empty = it is allowed. */
export function breachesOf(
  { level, version }: LevelVersion,
  spec: PodSpec,
  annotations: StringMap = {},
): readonly PolicyBreach[] {
  if (level === 'privileged') return [];
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const pod: CheckedPod = {
    spec,
    annotations,
    containers: [...initContainers, ...containers, ...(ephemeralContainers as readonly Container[])],
    version: version === 'latest' ? NEWEST : Math.min(version, NEWEST),
  };
  const isRestricted = level === 'restricted';
  const applies = ({
    since = FIRST,
    until = NEWEST + 1,
    untilRestricted = until,
    isOfRestricted = false,
  }: Rule): boolean => {
    if (isOfRestricted && !isRestricted) return false;
    return pod.version >= since && pod.version < (isRestricted ? untilRestricted : until);
  };
  return RULES.flatMap((rule) => (applies(rule) ? (rule.check(pod) ?? []) : []));
}

/** `hostPort, privileged`. */
export function reasonsText(breaches: readonly PolicyBreach[]): string {
  return breaches.map(({ reason }) => reason).join(', ');
}

/** `hostPort (container "c" uses hostPort 80), privileged (…)`. */
export function detailsText(breaches: readonly PolicyBreach[]): string {
  return breaches.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}

interface Rule {
  readonly check: Check;
  /** The first minor version that has it. */
  readonly since?: number;
  /** The first that has it no more. */
  readonly until?: number;
  /** The first in which a rule of the level `restricted` stands in its place. */
  readonly untilRestricted?: number;
  readonly isOfRestricted?: boolean;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

function sortedSet(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}

function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/** `container "a"`, `containers "a", "b"`. */
function containersText(containers: readonly Container[]): string {
  return `${plural(containers.length, 'container')} ${quoted(containers.map(({ name }) => name))}`;
}

/** `pod and container "a"`. */
function settersText(isPod: boolean, containers: readonly Container[]): string {
  return [...(isPod ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])].join(' and ');
}

function isWindows({ spec, version }: CheckedPod): boolean {
  return version >= 25 && spec.os?.name === 'windows';
}

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const GOOD_PROFILES: readonly string[] = ['RuntimeDefault', 'Localhost'];

/** The type of a profile that is not one of the good ones. */
function badType(profile: { readonly type: string } | undefined): string[] {
  return profile === undefined || GOOD_PROFILES.includes(profile.type) ? [] : [profile.type];
}

const appArmorProfile: Check = ({ spec, containers, annotations }) => {
  const ofPod = badType(spec.securityContext?.appArmorProfile);
  const ofContainer = (each: Container): string[] => badType(each.securityContext?.appArmorProfile);
  const badContainers = containers.filter((each) => ofContainer(each).length > 0);
  const badAnnotations = Object.entries(annotations).filter(
    ([name, value]) =>
      name.startsWith(APP_ARMOR) && value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/'),
  );
  const values = [
    ...sortedSet([...ofPod, ...badContainers.flatMap(ofContainer)]),
    ...badAnnotations.map(([name, value]) => `${name}=${JSON.stringify(value)}`).sort(),
  ];
  if (values.length === 0) return undefined;
  const setters = [
    settersText(ofPod.length > 0, badContainers),
    ...(badAnnotations.length > 0 ? [plural(badAnnotations.length, 'annotation')] : []),
  ];
  return {
    reason: plural(values.length, 'forbidden AppArmor profile'),
    detail: `${setters.filter(Boolean).join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const DEFAULT_CAPABILITIES: readonly string[] = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
];

function addedBeyond(containers: readonly Container[], allowed: readonly string[]): string | undefined {
  const beyond = ({ securityContext }: Container): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((each) => !allowed.includes(each));
  const bad = containers.filter((each) => beyond(each).length > 0);
  if (bad.length === 0) return undefined;
  const names = quoted(sortedSet(bad.flatMap(beyond)));
  return `${containersText(bad)} must not include ${names} in securityContext.capabilities.add`;
}

const baselineCapabilities: Check = ({ containers }) => {
  const detail = addedBeyond(containers, DEFAULT_CAPABILITIES);
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail };
};

const restrictedCapabilities: Check = (pod) => {
  if (isWindows(pod)) return undefined;
  const { containers } = pod;
  const keeping = containers.filter(
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL') !== true,
  );
  const added = addedBeyond(containers, ['NET_BIND_SERVICE']);
  const details = [
    ...(keeping.length > 0 ? [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(added === undefined ? [] : [added]),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const hostNamespaces: Check = ({ spec }) => {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name] === true);
  return shared.length === 0
    ? undefined
    : { reason: 'host namespaces', detail: shared.map((name) => `${name}=true`).join(', ') };
};

const hostPathVolumes: Check = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  return bad.length === 0
    ? undefined
    : { reason: 'hostPath volumes', detail: `${plural(bad.length, 'volume')} ${quoted(bad)}` };
};

function hostPortsOf({ ports = [] }: Container): string[] {
  return ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]));
}

const hostPorts: Check = ({ containers }) => {
  const bad = containers.filter((each) => hostPortsOf(each).length > 0);
  if (bad.length === 0) return undefined;
  const ports = sortedSet(bad.flatMap(hostPortsOf));
  const uses = `${plural(bad.length, 'uses', 'use')} ${plural(ports.length, 'hostPort')}`;
  return { reason: 'hostPort', detail: `${containersText(bad)} ${uses} ${ports.join(', ')}` };
};

const hostProbes: Check = ({ containers }) => {
  type Handler = { readonly httpGet?: core.HTTPGetAction; readonly tcpSocket?: core.TCPSocketAction } | undefined;
  const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] => {
    const handlers: Handler[] = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
    const hosts = handlers.flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host]);
    return hosts.filter((host): host is string => host !== undefined && host !== '');
  };
  const bad = containers.filter((each) => hostsOf(each).length > 0);
  if (bad.length === 0) return undefined;
  const hosts = sortedSet(bad.flatMap(hostsOf));
  const names = sortedSet(bad.map(({ name }) => name));
  const uses = `${plural(names.length, 'uses', 'use')} ${plural(hosts.length, 'probe or lifecycle host')}`;
  const detail = `${plural(names.length, 'container')} ${quoted(names)} ${uses} ${quoted(hosts)}`;
  return { reason: 'probe or lifecycle host', detail };
};

const privileged: Check = ({ containers }) => {
  const bad = containers.filter(({ securityContext }) => securityContext?.privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: 'privileged', detail: `${containersText(bad)} must not set securityContext.privileged=true` };
};

const procMount: Check = ({ containers }) => {
  const bad = containers.filter(({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default');
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map(({ securityContext }) => securityContext?.procMount ?? ''));
  const detail = `${containersText(bad)} must not set securityContext.procMount to ${quoted(types)}`;
  return { reason: 'procMount', detail };
};

const SELINUX_TYPES: readonly string[] = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

const seLinuxOptions: Check = ({ spec, containers, version }) => {
  const allowed = version >= 31 ? [...SELINUX_TYPES, 'container_engine_t'] : SELINUX_TYPES;
  const isBad = ({ type = '', user = '', role = '' }: core.SELinuxOptions = {}): boolean =>
    !allowed.includes(type) || user !== '' || role !== '';
  const ofPod = spec.securityContext?.seLinuxOptions;
  const bad = containers.filter(({ securityContext }) => isBad(securityContext?.seLinuxOptions));
  const setters = settersText(isBad(ofPod), bad);
  if (setters === '') return undefined;
  const options = [ofPod, ...bad.map(({ securityContext }) => securityContext?.seLinuxOptions)];
  const types = sortedSet(options.map((each) => each?.type ?? '').filter((type) => !allowed.includes(type)));
  const data = [
    ...(types.length > 0 ? [`${plural(types.length, 'type')} ${quoted(types)}`] : []),
    ...(options.some((each) => (each?.user ?? '') !== '') ? ['user may not be set'] : []),
    ...(options.some((each) => (each?.role ?? '') !== '') ? ['role may not be set'] : []),
  ];
  const detail = `${setters} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`;
  return { reason: 'seLinuxOptions', detail };
};

const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_OF_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';

const seccompAnnotations: Check = ({ annotations, containers }) => {
  const names = [SECCOMP, ...containers.map(({ name }) => SECCOMP_OF_CONTAINER + name)];
  const bad = names.flatMap((name) => {
    const value = annotations[name];
    const isGood = value === undefined || ['runtime/default', 'docker/default'].includes(value);
    return isGood || value.startsWith('localhost/') ? [] : [`${name}=${JSON.stringify(value)}`];
  });
  if (bad.length === 0) return undefined;
  const detail = `forbidden ${plural(bad.length, 'annotation')} ${sortedSet(bad).join(', ')}`;
  return { reason: 'seccompProfile', detail };
};

const seccompProfile: Check = ({ spec, containers }) => {
  const ofPod = badType(spec.securityContext?.seccompProfile);
  const ofContainer = (each: Container): string[] => badType(each.securityContext?.seccompProfile);
  const badContainers = containers.filter((each) => ofContainer(each).length > 0);
  const setters = settersText(ofPod.length > 0, badContainers);
  if (setters === '') return undefined;
  const values = sortedSet([...ofPod, ...badContainers.flatMap(ofContainer)]);
  const detail = `${setters} must not set securityContext.seccompProfile.type to ${quoted(values)}`;
  return { reason: 'seccompProfile', detail };
};

const seccompProfileSet: Check = (pod) => {
  if (isWindows(pod)) return undefined;
  const explicit = seccompProfile(pod);
  const { spec, containers } = pod;
  if (explicit !== undefined || spec.securityContext?.seccompProfile !== undefined) return explicit;
  const lacking = containers.filter(({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (lacking.length === 0) return undefined;
  const must = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason: 'seccompProfile', detail: `pod or ${containersText(lacking)} ${must}` };
};

const SYSCTLS: readonly (readonly [since: number, names: readonly string[]])[] = [
  [
    0,
    [
      'kernel.shm_rmid_forced',
      'net.ipv4.ip_local_port_range',
      'net.ipv4.tcp_syncookies',
      'net.ipv4.ping_group_range',
      'net.ipv4.ip_unprivileged_port_start',
    ],
  ],
  [27, ['net.ipv4.ip_local_reserved_ports']],
  [
    29,
    [
      'net.ipv4.tcp_keepalive_time',
      'net.ipv4.tcp_fin_timeout',
      'net.ipv4.tcp_keepalive_intvl',
      'net.ipv4.tcp_keepalive_probes',
    ],
  ],
  [32, ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']],
];

const sysctls: Check = ({ spec, version }) => {
  const allowed = SYSCTLS.flatMap(([since, names]) => (version >= since ? names : []));
  const bad = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.includes(name));
  return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
};

function isHostProcess(context: { readonly windowsOptions?: core.WindowsSecurityContextOptions } | undefined): boolean {
  return context?.windowsOptions?.hostProcess === true;
}

const windowsHostProcess: Check = ({ spec, containers }) => {
  const bad = containers.filter(({ securityContext }) => isHostProcess(securityContext));
  const setters = settersText(isHostProcess(spec.securityContext), bad);
  if (setters === '') return undefined;
  return { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
};

const allowPrivilegeEscalation: Check = (pod) => {
  if (isWindows(pod)) return undefined;
  const bad = pod.containers.filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  const detail = `${containersText(bad)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: 'allowPrivilegeEscalation != false', detail };
};

const FREE_VOLUMES: readonly string[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

function volumeType(volume: core.Volume): string {
  return Object.keys(volume).find((name) => name !== 'name') ?? 'unknown';
}

const restrictedVolumes: Check = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => !FREE_VOLUMES.includes(volumeType(volume)));
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map(volumeType));
  const volumes = `${plural(bad.length, 'volume')} ${quoted(bad.map(({ name }) => name))}`;
  const uses = `${plural(bad.length, 'uses', 'use')} ${plural(types.length, 'restricted volume type')}`;
  return { reason: 'restricted volume types', detail: `${volumes} ${uses} ${quoted(types)}` };
};

const runAsNonRoot: Check = ({ spec, containers }) => {
  const reason = 'runAsNonRoot != true';
  const ofPod = spec.securityContext?.runAsNonRoot;
  const explicit = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === false);
  const setters = settersText(ofPod === false, explicit);
  if (setters !== '') return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  const lacking = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (ofPod === true || lacking.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(lacking)} must set securityContext.runAsNonRoot=true` };
};

const runAsUser: Check = ({ spec, containers }) => {
  const bad = containers.filter(({ securityContext }) => securityContext?.runAsUser === 0);
  const setters = settersText(spec.securityContext?.runAsUser === 0, bad);
  return setters === '' ? undefined : { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
};

/** Those of the level `baseline`, then those of `restricted`, each by upstream's names. */
const RULES: readonly Rule[] = [
  { check: appArmorProfile },
  { check: baselineCapabilities, untilRestricted: 22 },
  { check: hostNamespaces },
  { check: hostPathVolumes, untilRestricted: FIRST },
  { check: hostPorts },
  { check: hostProbes, since: 34 },
  { check: privileged },
  { check: procMount },
  { check: seLinuxOptions },
  { check: seccompAnnotations, until: 19 },
  { check: seccompProfile, since: 19, untilRestricted: 19 },
  { check: sysctls },
  { check: windowsHostProcess },
  { check: allowPrivilegeEscalation, since: 8, isOfRestricted: true },
  { check: restrictedCapabilities, since: 22, isOfRestricted: true },
  { check: restrictedVolumes, isOfRestricted: true },
  { check: runAsNonRoot, isOfRestricted: true },
  { check: runAsUser, since: 23, isOfRestricted: true },
  { check: seccompProfileSet, since: 19, isOfRestricted: true },
];
