/** What is said of pods and their templates (pkg/api/pod/warnings.go, v1.34). */
import { count, list, part, text, type Fields } from '../tables/cells.js';
import { fractionalBytes } from './fractional-bytes.js';
import { portWarnings, type PlacedContainer } from './port-warnings.js';

const LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};
/** By the field in JSON: how it is called, and why it is told of. */
const VOLUMES: Readonly<Record<string, readonly [shown: string, why: string]>> = {
  photonPersistentDisk: ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  gitRepo: ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  scaleIO: ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  flocker: ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  storageos: ['storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  quobyte: ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  glusterfs: ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  cephfs: ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  rbd: ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
};
const BYTES = ['memory', 'ephemeral-storage'] as const;
const MATCHES_NONE = 'a null labelSelector results in matching no pod';
const NO_PROFILE_FIELD = 'non-functional in v1.27+; use the "seccompProfile" field instead';

/** Why a label of nodes should not be used any more; undefined for any other. */
export function deprecatedLabel(key: string): string | undefined {
  return Object.hasOwn(LABELS, key) ? LABELS[key] : undefined;
}

/** @param place - of the template in its object; empty for a pod */
export function podWarnings(place: string, pod: Fields): readonly string[] {
  const at = place === '' ? 'spec' : `${place}.spec`;
  const spec = part(pod, 'spec');
  const annotations = part(pod, 'metadata', 'annotations');
  const where = place === '' ? 'metadata.annotations' : `${place}.metadata.annotations`;
  const containers = containersOf(spec, at);
  return [
    ...nodeWarnings(spec, at),
    ...Object.entries(ANNOTATIONS).flatMap(([key, why]) =>
      annotations[key] === undefined ? [] : [`${where}[${key}]: ${why}`],
    ),
    ...list(spec, 'volumes').flatMap((volume, index) => volumeWarnings(volume, `${at}.volumes[${index}]`)),
    ...twice(list(spec, 'hostAliases'), 'ip', `${at}.hostAliases`),
    ...twice(list(spec, 'imagePullSecrets'), 'name', `${at}.imagePullSecrets`),
    ...list(spec, 'imagePullSecrets').flatMap(({ name }, index) =>
      text(name) === '' ? [`${at}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...fractionalBytes(`${at}.overhead`, part(spec, 'overhead'), BYTES),
    ...(part(spec, 'securityContext')['seccompProfile'] === undefined && annotations[SECCOMP_POD] !== undefined
      ? [`${where}[${SECCOMP_POD}]: ${NO_PROFILE_FIELD}`]
      : []),
    ...containers.flatMap((each) => containerWarnings(each, annotations, where, place !== '')),
    ...portWarnings(containers),
    ...(count(spec['terminationGracePeriodSeconds']) < 0
      ? [`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...affinityWarnings(spec, at),
  ];
}

/** In upstream's order: those that begin, those that run, those for a look. */
function containersOf(spec: Fields, at: string): readonly PlacedContainer[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((name) =>
    list(spec, name).map((container, index) => ({ container, at: `${at}.${name}[${index}]` })),
  );
}

function nodeWarnings(spec: Fields, at: string): readonly string[] {
  const selected = Object.keys(part(spec, 'nodeSelector')).flatMap((key) => {
    const why = deprecatedLabel(key);
    return why === undefined ? [] : [`${at}.nodeSelector[${key}]: ${why}`];
  });
  const affinity = `${at}.affinity.nodeAffinity`;
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  const terms = [
    ...list(spec, 'affinity', 'nodeAffinity', required, 'nodeSelectorTerms').map(
      (term, index) => [term, `${affinity}.${required}.nodeSelectorTerms[${index}]`] as const,
    ),
    ...list(spec, 'affinity', 'nodeAffinity', preferred).map(
      (term, index) => [part(term, 'preference'), `${affinity}.${preferred}[${index}].preference`] as const,
    ),
  ];
  return [
    ...selected,
    ...terms.flatMap(([term, place]) =>
      list(term, 'matchExpressions').flatMap(({ key }, index) =>
        labelWarning(text(key), `${place}.matchExpressions[${index}].key`),
      ),
    ),
    ...list(spec, 'topologySpreadConstraints').flatMap(({ topologyKey, labelSelector }, index) => {
      const place = `${at}.topologySpreadConstraints[${index}]`;
      const unselected = labelSelector === undefined ? [`${place}.labelSelector: ${MATCHES_NONE}`] : [];
      return [...labelWarning(text(topologyKey), `${place}.topologyKey`), ...unselected];
    }),
  ];
}

function labelWarning(key: string, place: string): readonly string[] {
  const why = deprecatedLabel(key);
  return why === undefined ? [] : [`${place}: ${key} is ${why}`];
}

function volumeWarnings(volume: Fields, at: string): readonly string[] {
  const old = Object.entries(VOLUMES).flatMap(([field, [shown, why]]) =>
    volume[field] === undefined ? [] : [`${at}.${shown}: ${why}`],
  );
  const claim = part(volume, 'ephemeral', 'volumeClaimTemplate', 'spec', 'resources');
  const place = `${at}.ephemeral.volumeClaimTemplate.spec.resources`;
  return [
    ...old,
    ...fractionalBytes(`${place}.requests`, part(claim, 'requests'), ['storage']),
    ...fractionalBytes(`${place}.limits`, part(claim, 'limits'), ['storage']),
  ];
}

function twice(items: readonly Fields[], field: string, at: string): readonly string[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const value = text(item[field]);
    if (seen.has(value)) return [`${at}[${index}].${field}: duplicate ${field} ${JSON.stringify(value)}`];
    seen.add(value);
    return [];
  });
}

function containerWarnings(
  { container, at }: PlacedContainer,
  annotations: Fields,
  where: string,
  isTemplate: boolean,
): readonly string[] {
  const name = text(container['name']);
  const security = part(container, 'securityContext');
  const seccomp = SECCOMP_CONTAINER + name;
  const apparmor = APPARMOR + name;
  const resources = part(container, 'resources');
  return [
    ...(security['seccompProfile'] === undefined && annotations[seccomp] !== undefined
      ? [`${where}[${seccomp}]: ${NO_PROFILE_FIELD}`]
      : []),
    ...(isTemplate && security['appArmorProfile'] === undefined && annotations[apparmor] !== undefined
      ? [`${where}[${apparmor}]: deprecated since v1.30; use the "appArmorProfile" field instead`]
      : []),
    ...BYTES.flatMap((amount) =>
      ['limits', 'requests'].flatMap((what) =>
        fractionalBytes(`${at}.resources.${what}`, part(resources, what), [amount]),
      ),
    ),
    ...environmentWarnings(list(container, 'env'), at),
  ];
}

/** A variable that stands twice is meant only where the second one refers to the first. */
function environmentWarnings(variables: readonly Fields[], at: string): readonly string[] {
  const seen = new Set<string>();
  return variables.flatMap((variable, index) => {
    const name = text(variable['name']);
    const isFirst = !seen.has(name);
    seen.add(name);
    const value = text(variable['value']);
    const reference = `$(${name})`;
    const isMeant = variable['valueFrom'] === undefined && value !== reference && value.includes(reference);
    if (isFirst || isMeant) return [];
    const why = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    return [`${at}.env[${index}]: ${why}`];
  });
}

function affinityWarnings(spec: Fields, at: string): readonly string[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((side) => {
    const terms = (when: string): readonly Fields[] => list(spec, 'affinity', side, when);
    const required = 'requiredDuringSchedulingIgnoredDuringExecution';
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
    return [
      ...terms(required).flatMap(({ labelSelector }, index) =>
        labelSelector === undefined
          ? [`${at}.affinity.${side}.${required}[${index}].labelSelector: ${MATCHES_NONE}`]
          : [],
      ),
      ...terms(preferred).flatMap((term, index) =>
        part(term, 'podAffinityTerm')['labelSelector'] === undefined
          ? [`${at}.affinity.${side}.${preferred}[${index}].podAffinityTerm.labelSelector: ${MATCHES_NONE}`]
          : [],
      ),
    ];
  });
}
