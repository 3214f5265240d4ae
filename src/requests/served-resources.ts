/**
 * Which resources are served, in which groups, with which verbs and subresources: what discovery tells and requests
 * are held against. Facts of pkg/controlplane and the REST storage of each group (v1.34).
 */
import { createHash } from 'node:crypto';
import type { CustomKind, CustomVersion } from '../api/custom/custom-kind.js';
import { kindRegistry } from '../api/kinds/registry.js';
import { OWN_GROUP } from '../api/objects/plain-kinds.js';
import type { Kind } from '../api/objects/objects.js';
import { SCALABLE_KINDS } from '../apiserver/requests/scale.js';
import { isOptionalVersion } from '../api/kinds/optional-kinds.js';
import { MUTATING_POLICY_FORMS } from '../api/kinds/version-forms.js';
import { compareVersions } from './custom/kube-aware-versions.js';
import type { OtherForm } from './forms/other-form.js';

/** An endpoint below an object. */
export interface ServedSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** Of what it answers with, where that is another kind. */
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
}

/** A resource of a group version. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly ServedSubresource[];
  /** Whether its objects are worked out when they are read. */
  readonly isComputed?: boolean;
  /** Under which its objects are kept; absent for what is only answered, such as reviews. */
  readonly stored: Kind | undefined;
  readonly storageVersionHash: string | undefined;
  /** Of the type of its objects, where it does not follow from the names. */
  readonly typeKey?: string;
  /** Of a kind that a definition has brought. */
  readonly custom?: { readonly kind: CustomKind; readonly version: CustomVersion };
  /** How it shows its objects, where they are kept in another form. */
  readonly form?: OtherForm;
}

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const OBJECT_VERBS = ['get', 'patch', 'update'];
const STREAM_VERBS = ['create', 'get'];
/** As discovery tells them; a proxy takes other methods, too. */
const PROXY_VERBS = ['create', 'delete', 'get', 'patch', 'update'];
/** The endpoint of what can be scaled. */
export const SCALE = { name: 'scale', verbs: OBJECT_VERBS, kind: 'Scale', group: 'autoscaling', version: 'v1' };

/** Endpoints besides `status` and `scale`, by kind. */
const OWN_SUBRESOURCES: Readonly<Partial<Record<string, readonly ServedSubresource[]>>> = {
  Namespace: [{ name: 'finalize', verbs: ['update'] }],
  Node: [{ name: 'proxy', verbs: PROXY_VERBS, kind: 'NodeProxyOptions' }],
  Service: [{ name: 'proxy', verbs: PROXY_VERBS, kind: 'ServiceProxyOptions' }],
  Pod: [
    { name: 'attach', verbs: STREAM_VERBS, kind: 'PodAttachOptions' },
    { name: 'binding', verbs: ['create'], kind: 'Binding' },
    { name: 'ephemeralcontainers', verbs: OBJECT_VERBS },
    { name: 'eviction', verbs: ['create'], kind: 'Eviction', group: 'policy', version: 'v1' },
    { name: 'exec', verbs: STREAM_VERBS, kind: 'PodExecOptions' },
    { name: 'log', verbs: ['get'] },
    { name: 'portforward', verbs: STREAM_VERBS, kind: 'PodPortForwardOptions' },
    { name: 'proxy', verbs: PROXY_VERBS, kind: 'PodProxyOptions' },
    { name: 'resize', verbs: OBJECT_VERBS },
  ],
  CertificateSigningRequest: [{ name: 'approval', verbs: OBJECT_VERBS }],
  ServiceAccount: [
    { name: 'token', verbs: ['create'], kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1' },
  ],
};

/** Verbs that a kind lacks. */
const LACKING: Readonly<Partial<Record<string, string>>> = { Namespace: 'deletecollection' };

/** Kinds of `kubectl get all`, and others that are listed by a word. */
const CATEGORIES: Readonly<Partial<Record<string, readonly string[]>>> = {
  APIService: ['api-extensions'],
  CronJob: ['all'],
  CustomResourceDefinition: ['api-extensions'],
  DaemonSet: ['all'],
  Deployment: ['all'],
  HorizontalPodAutoscaler: ['all'],
  Job: ['all'],
  MutatingAdmissionPolicy: ['api-extensions'],
  MutatingAdmissionPolicyBinding: ['api-extensions'],
  MutatingWebhookConfiguration: ['api-extensions'],
  Pod: ['all'],
  ReplicaSet: ['all'],
  ReplicationController: ['all'],
  Service: ['all'],
  StatefulSet: ['all'],
  ValidatingAdmissionPolicy: ['api-extensions'],
  ValidatingAdmissionPolicyBinding: ['api-extensions'],
  ValidatingWebhookConfiguration: ['api-extensions'],
};

const AUTHENTICATION = 'authentication.k8s.io';
const AUTHORIZATION = 'authorization.k8s.io';

/** Resources that answer a question or do something, and keep nothing. */
const ACTIONS: readonly ServedResource[] = [
  action('', 'bindings', 'Binding', true),
  {
    ...action('', 'componentstatuses', 'ComponentStatus', false),
    shortNames: ['cs'],
    verbs: ['get', 'list'],
  },
  action(AUTHENTICATION, 'selfsubjectreviews', 'SelfSubjectReview', false),
  action(AUTHENTICATION, 'tokenreviews', 'TokenReview', false),
  action(AUTHORIZATION, 'localsubjectaccessreviews', 'LocalSubjectAccessReview', true),
  action(AUTHORIZATION, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', false),
  action(AUTHORIZATION, 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', false),
  action(AUTHORIZATION, 'subjectaccessreviews', 'SubjectAccessReview', false),
];

/** Of what metrics-server tells. */
const USAGE_GROUP = 'metrics.k8s.io';

/** Resources whose objects are worked out when they are read, and are never written. */
const COMPUTED: readonly ServedResource[] = [
  readOnly(USAGE_GROUP, 'v1beta1', 'nodes', 'NodeMetrics', false),
  readOnly(USAGE_GROUP, 'v1beta1', 'pods', 'PodMetrics', true),
  { ...readOnly(OWN_GROUP, 'v1alpha1', 'explanations', 'Explanation', true), verbs: ['get', 'list', 'watch'] },
  { ...readOnly(OWN_GROUP, 'v1alpha1', 'invariants', 'Invariant', false), verbs: ['get', 'list', 'watch'] },
];

function readOnly(group: string, version: string, plural: string, kind: string, isNamespaced: boolean): ServedResource {
  const verbs = ['get', 'list'];
  return { ...action(group, plural, kind, isNamespaced), version, singular: '', verbs, isComputed: true };
}

function action(group: string, plural: string, kind: string, isNamespaced: boolean): ServedResource {
  return {
    group,
    version: 'v1',
    plural,
    singular: kind.toLowerCase(),
    kind,
    isNamespaced,
    shortNames: [],
    categories: [],
    verbs: ['create'],
    subresources: [],
    stored: undefined,
    storageVersionHash: undefined,
  };
}

/** Of kinds that a 1.34 keeps in an older version than it serves. */
const STORAGE_VERSIONS: Partial<Readonly<Record<Kind, string>>> = {
  CustomResourceDefinition: 'v1beta1',
  DeviceClass: 'v1beta2',
  MutatingAdmissionPolicy: 'v1alpha1',
  MutatingAdmissionPolicyBinding: 'v1alpha1',
  ResourceClaim: 'v1beta2',
  ResourceClaimTemplate: 'v1beta2',
  ResourceSlice: 'v1beta2',
  VolumeAttributesClass: 'v1beta1',
};

function ofKind(kind: Kind): ServedResource {
  const { group, version, plural, singular, isNamespaced, shortNames, hasStatus } = kindRegistry[kind];
  const subresources = [
    ...(OWN_SUBRESOURCES[kind] ?? []),
    ...((SCALABLE_KINDS as readonly Kind[]).includes(kind) ? [SCALE] : []),
    ...(hasStatus ? [{ name: 'status', verbs: OBJECT_VERBS }] : []),
  ];
  return {
    group,
    version,
    plural,
    singular,
    kind,
    isNamespaced,
    shortNames,
    categories: CATEGORIES[kind] ?? [],
    verbs: ALL_VERBS.filter((verb) => verb !== LACKING[kind]),
    subresources: subresources.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    stored: kind,
    storageVersionHash: storageVersionHash(group, STORAGE_VERSIONS[kind] ?? version, kind),
  };
}

/** Mirrors apiserver/pkg/endpoints/discovery/storageversionhash.go. */
export function storageVersionHash(group: string, version: string, kind: string): string {
  const hash = createHash('sha256').update(`${group}/${version}/${kind}`).digest();
  return hash.subarray(0, HASH_BYTES).toString('base64');
}
const HASH_BYTES = 8;

const SERVED: readonly ServedResource[] = [
  ...ACTIONS,
  ...COMPUTED,
  ...(Object.keys(kindRegistry) as Kind[]).map(ofKind),
  // Kept in one form and shown in another, too.
  { ...ofKind('Event'), group: 'events.k8s.io' },
  { ...ofKind('HorizontalPodAutoscaler'), version: 'v1' },
  ...MUTATING_POLICY_FORMS.map(({ kind, version }) => ({ ...ofKind(kind), version })),
];

/** Groups in the order in which discovery names them: a bare name means the first group that has it. */
const GROUP_ORDER: readonly string[] = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'resource.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  USAGE_GROUP,
  OWN_GROUP,
];

/** A version of a group, with its resources by name. */
export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly ServedResource[];
  /** Of a version that a server behind a service serves: what that has told. */
  readonly remote?: RemoteVersion;
}

/** What is known of a version that another server serves. */
export interface RemoteVersion {
  readonly isStale: boolean;
  /** As aggregated discovery has them. */
  readonly resources: readonly object[];
}

/** A group, with its versions, the preferred one first. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

/** The resources of a version, by name. */
export function resourcesIn(resources: readonly ServedResource[], version: string): readonly ServedResource[] {
  return resources.filter((each) => each.version === version).toSorted((a, b) => (a.plural < b.plural ? -1 : 1));
}

/** What a server serves. */
export interface Served {
  /** In the order of discovery. */
  readonly groups: readonly ServedGroup[];
  /** The resource of a path; undefined when the group version does not have it. */
  resource(group: string, version: string, plural: string): ServedResource | undefined;
  /** Whether there is the group version at all. */
  hasGroupVersion(group: string, version: string): boolean;
}

function servedOf(resources: readonly ServedResource[]): Served {
  const groups = GROUP_ORDER.flatMap((name): readonly ServedGroup[] => {
    const own = resources.filter(({ group }) => group === name);
    const versions = [...new Set(own.map(({ version }) => version))].toSorted(compareVersions);
    if (versions.length === 0) return [];
    return [{ name, versions: versions.map((version) => ({ version, resources: resourcesIn(own, version) })) }];
  });
  const byPath = new Map(resources.map((each) => [pathKey(each.group, each.version, each.plural), each]));
  const groupVersions = new Set(resources.map(({ group, version }) => `${group}/${version}`));
  return {
    groups,
    resource: (group, version, plural) => byPath.get(pathKey(group, version, plural)),
    hasGroupVersion: (group, version) => groupVersions.has(`${group}/${version}`),
  };
}

function pathKey(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}

const known = new Map<string, Served>();

/**
 * What a server serves without any definition of custom resources; the same for the same parameters.
 *
 * @param hasMetricsServer - whether the use of pods and nodes is told
 * @param versions - that are served beyond those of every server
 */
export function servedBuiltIn(hasMetricsServer: boolean, versions: readonly string[]): Served {
  const key = `${hasMetricsServer} ${versions.join(' ')}`;
  let served = known.get(key);
  if (served === undefined) {
    const isServed = ({ group, version }: ServedResource): boolean =>
      (hasMetricsServer || group !== USAGE_GROUP) &&
      (!isOptionalVersion(group, version) || versions.includes(`${group}/${version}`));
    known.set(key, (served = servedOf(SERVED.filter(isServed))));
  }
  return served;
}

/** What every server serves beside which a metrics-server runs. */
export const BUILT_IN: Served = servedBuiltIn(true, []);
