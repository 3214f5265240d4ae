/**
 * What a server says of an object that it takes all the same: fields that are deprecated, without effect, or stand
 * twice. Mirrors the strategies' WarningsOnCreate and WarningsOnUpdate (pkg/registry, v1.34).
 */
import { dns1123Label } from '../../api/values/names.js';
import { list, part, text, type Fields } from '../tables/cells.js';
import { deprecatedLabel, podWarnings } from './pod-warnings.js';
import { formatWarnings } from './format-warnings.js';
import { keyPairWarnings } from './key-pair-warnings.js';
import { fractionalBytes } from './fractional-bytes.js';

/** @param before - as it was; absent for a creation */
export function objectWarnings(kind: string, object: object, before?: object): readonly string[] {
  const rule = Object.hasOwn(RULES, kind) ? RULES[kind] : undefined;
  // Kinds that definitions have brought are called with their group.
  if (rule === undefined) return kind.includes('.') ? finalizerWarnings(object, before) : [];
  return rule(object as Fields, before as Fields | undefined);
}

/** Finalizers of custom resources may have any name. */
function finalizerWarnings(object: object, before?: object): readonly string[] {
  const old = new Set(finalizersOf(before));
  const plain = finalizersOf(object).filter((name) => !name.includes('/') && !STANDARD_FINALIZERS.has(name));
  const added = new Set(plain.filter((name) => !old.has(name)).toSorted());
  return [...added].map((name) => `metadata.finalizers: ${JSON.stringify(name)}: ${QUALIFIED}`);
}

function finalizersOf(object: object = {}): readonly string[] {
  const { metadata } = object as { readonly metadata?: { readonly finalizers?: readonly string[] } };
  return metadata?.finalizers ?? [];
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion']);
const QUALIFIED = 'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers';

type Rule = (object: Fields, before: Fields | undefined) => readonly string[];

const RULES: Readonly<Record<string, Rule>> = {
  CustomResourceDefinition: formatWarnings,
  Pod: (pod, before) =>
    before === undefined ? [...hostnameWarning(pod, "the Pod's hostname"), ...podWarnings('', pod)] : [],
  Deployment: templated('spec.template'),
  ReplicaSet: templated('spec.template'),
  ReplicationController: templated('spec.template'),
  Job: templated('spec.template'),
  CronJob: (object, before) => [
    ...templated('spec.jobTemplate.spec.template')(object, before),
    ...(before !== undefined && text(part(object, 'spec')['schedule']).includes('TZ') ? [ZONE_IN_SCHEDULE] : []),
  ],
  DaemonSet: templated('spec.template', { namesPods: false }),
  StatefulSet: (object, before) => [
    ...templated('spec.template', { namesPods: false })(object, before),
    ...list(object, 'spec', 'volumeClaimTemplates').flatMap((claim, index) => {
      const place = `spec.volumeClaimTemplates[${index}]${before === undefined ? '' : '.Spec'}`;
      return claimWarnings(place, part(claim, 'spec'));
    }),
    ...(Number(part(object, 'spec')['revisionHistoryLimit']) < 0 ? [ALL_REVISIONS] : []),
  ],
  PodTemplate: (object, before) => (before === undefined ? podWarnings('template', part(object, 'template')) : []),
  Secret: keyPairWarnings,
  Service: serviceWarnings,
  PersistentVolumeClaim: (object) => [
    ...annotationWarning(object, 'volume.beta.kubernetes.io/storage-class', BETA_CLASS),
    ...claimWarnings('spec', part(object, 'spec')),
  ],
  PersistentVolume: volumeWarnings,
  Node: nodeWarnings,
  Ingress: (object, before) =>
    before === undefined && part(object, 'spec')['ingressClassName'] === undefined && hasIngressClass(object)
      ? [`annotation "${INGRESS_CLASS}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  EndpointSlice: (slice, before) =>
    before === undefined && slice['addressType'] === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [],
  RuntimeClass: (object) =>
    Object.keys(part(object, 'scheduling', 'nodeSelector')).flatMap((key) => {
      const why = deprecatedLabel(key);
      return why === undefined ? [] : [`scheduling.nodeSelector: ${why}`];
    }),
};

const ZONE_IN_SCHEDULE =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
const ALL_REVISIONS =
  'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
const BETA_CLASS = 'deprecated since v1.8; use "storageClassName" attribute instead';
const INGRESS_CLASS = 'kubernetes.io/ingress.class';

function hasIngressClass(object: Fields): boolean {
  return part(object, 'metadata', 'annotations')[INGRESS_CLASS] !== undefined;
}

/** Of what makes pods: its name, when it is made, and its template, when that may have changed. */
function templated(place: string, { namesPods = true } = {}): Rule {
  return (object, before) => {
    const isOld = before !== undefined && generationOf(object) === generationOf(before);
    const named = namesPods && before === undefined ? hostnameWarning(object, 'Pod names and hostnames') : [];
    return isOld ? [] : [...named, ...podWarnings(place, part(object, ...place.split('.')))];
  };
}

function generationOf(object: Fields): unknown {
  return part(object, 'metadata')['generation'];
}

function hostnameWarning(object: Fields, where: string): readonly string[] {
  const faults = dns1123Label(text(part(object, 'metadata')['name']));
  if (faults.length === 0) return [];
  const why = 'which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: this is used in ${where}, ${why}: [${faults.join(' ')}]`];
}

function annotationWarning(object: Fields, key: string, why: string): readonly string[] {
  return part(object, 'metadata', 'annotations')[key] === undefined ? [] : [`metadata.annotations[${key}]: ${why}`];
}

function nodeWarnings(node: Fields): readonly string[] {
  const { configSource, externalID } = part(node, 'spec');
  return [
    ...(configSource === undefined ? [] : ['spec.configSource: the feature is no longer supported']),
    ...(text(externalID) === '' ? [] : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
  ];
}

function claimWarnings(place: string, spec: Fields): readonly string[] {
  return (['requests', 'limits'] as const).flatMap((what) =>
    fractionalBytes(`${place}.resources.${what}`, part(spec, 'resources', what), ['storage']),
  );
}

function serviceWarnings(service: Fields): readonly string[] {
  const spec = part(service, 'spec');
  const type = text(spec['type']);
  const hasExternalIps = list(service, 'spec', 'externalIPs').length > 0;
  const isHeadless = type === 'ClusterIP' && spec['clusterIP'] === 'None';
  const ignored = [
    isHeadless && text(spec['loadBalancerIP']) !== '' && 'spec.loadBalancerIP is ignored for headless services',
    isHeadless && hasExternalIps && 'spec.externalIPs is ignored for headless services',
    isHeadless && spec['sessionAffinity'] !== 'None' && 'spec.SessionAffinity is ignored for headless services',
    type === 'ExternalName' && hasExternalIps && 'spec.externalIPs is ignored when spec.type is "ExternalName"',
    type !== 'ExternalName' &&
      text(spec['externalName']) !== '' &&
      'spec.externalName is ignored when spec.type is not "ExternalName"',
  ];
  const hints = part(service, 'metadata', 'annotations')['service.kubernetes.io/topology-aware-hints'];
  const old =
    'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead';
  return [...(hints === undefined ? [] : [old]), ...ignored.filter((each) => each !== false)];
}

const VOLUME_ANNOTATIONS: Readonly<Record<string, string>> = {
  'volume.beta.kubernetes.io/storage-class': BETA_CLASS,
  'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
};
const OLD_VOLUMES: Readonly<Record<string, string>> = {
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};

function volumeWarnings(volume: Fields): readonly string[] {
  const spec = part(volume, 'spec');
  const recycle =
    'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
  return [
    ...Object.entries(VOLUME_ANNOTATIONS).flatMap(([key, why]) => annotationWarning(volume, key, why)),
    ...(spec['persistentVolumeReclaimPolicy'] === 'Recycle' ? [`spec.persistentVolumeReclaimPolicy: ${recycle}`] : []),
    ...Object.entries(OLD_VOLUMES).flatMap(([source, why]) => {
      const shown = source === 'storageos' ? 'storageOS' : source;
      return spec[source] === undefined ? [] : [`spec.${shown}: ${why}`];
    }),
  ];
}
