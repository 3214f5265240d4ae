/**
 * Kinds that are kept, checked for their fields and served, and on which no part of a cluster acts; on those of the own
 * group the controls do, and on autoscalers a controller. Adding one is one entry in this file; its fields are known from ../types, what it defaults and refuses beyond that stands in
 * ../kinds/plain. Facts of the strategies in pkg/registry (v1.34).
 */
import type { KubeObject } from './kube-object.js';

/** How such a kind differs from most. */
export interface PlainTraits {
  /** @defaultValue '' (core) */
  readonly group?: string;
  /** @defaultValue 'v1' */
  readonly version?: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  /** @defaultValue true */
  readonly isNamespaced?: boolean;
  readonly hasStatus?: boolean;
  /** Whether `metadata.generation` counts changes of the spec, or of everything but the metadata. */
  readonly generation?: 'spec' | 'content';
  readonly requiresVersionOnUpdate?: boolean;
  readonly createsOnUpdate?: boolean;
  readonly deleteReturnsObject?: boolean;
  /** Any name that is one segment of a path. @defaultValue false: a DNS-1123 subdomain */
  readonly hasFreeName?: boolean;
  /** Paths of texts that field selectors may name. */
  readonly selectable?: readonly string[];
}

const RBAC = { group: 'rbac.authorization.k8s.io', createsOnUpdate: true, hasFreeName: true } as const;
const ADMISSION = {
  group: 'admissionregistration.k8s.io',
  isNamespaced: false,
  generation: 'content',
  requiresVersionOnUpdate: true,
} as const;
const NETWORKING = 'networking.k8s.io';
const FLOW_CONTROL = {
  group: 'flowcontrol.apiserver.k8s.io',
  isNamespaced: false,
  hasStatus: true,
  generation: 'spec',
} as const;

/** The group of the kinds that Kubernetes does not have: the cluster's time, faults and nodes as objects. */
export const OWN_GROUP = 'kubeloom.dev';
const OWN = {
  group: OWN_GROUP,
  version: 'v1alpha1',
  isNamespaced: false,
  hasStatus: true,
  generation: 'spec',
} as const;

/** The kinds by name. */
export const PLAIN_KINDS = {
  LimitRange: { plural: 'limitranges', shortNames: ['limits'], createsOnUpdate: true },
  PodTemplate: { plural: 'podtemplates', generation: 'content', deleteReturnsObject: true },
  ResourceQuota: { plural: 'resourcequotas', shortNames: ['quota'], hasStatus: true, deleteReturnsObject: true },
  HorizontalPodAutoscaler: {
    group: 'autoscaling',
    version: 'v2',
    plural: 'horizontalpodautoscalers',
    shortNames: ['hpa'],
    hasStatus: true,
  },
  CertificateSigningRequest: {
    group: 'certificates.k8s.io',
    plural: 'certificatesigningrequests',
    shortNames: ['csr'],
    isNamespaced: false,
    hasStatus: true,
    hasFreeName: true,
    selectable: ['spec.signerName'],
  },
  IngressClass: {
    group: NETWORKING,
    plural: 'ingressclasses',
    isNamespaced: false,
    generation: 'spec',
  },
  Ingress: { group: NETWORKING, plural: 'ingresses', shortNames: ['ing'], hasStatus: true, generation: 'spec' },
  IPAddress: {
    group: NETWORKING,
    plural: 'ipaddresses',
    shortNames: ['ip'],
    isNamespaced: false,
    hasFreeName: true,
    selectable: ['spec.parentRef.name'],
  },
  NetworkPolicy: { group: NETWORKING, plural: 'networkpolicies', shortNames: ['netpol'], generation: 'spec' },
  ServiceCIDR: { group: NETWORKING, plural: 'servicecidrs', isNamespaced: false, hasStatus: true },
  ClusterRoleBinding: { ...RBAC, plural: 'clusterrolebindings', isNamespaced: false },
  ClusterRole: { ...RBAC, plural: 'clusterroles', isNamespaced: false },
  RoleBinding: { ...RBAC, plural: 'rolebindings' },
  Role: { ...RBAC, plural: 'roles' },
  VolumeAttributesClass: {
    group: 'storage.k8s.io',
    plural: 'volumeattributesclasses',
    shortNames: ['vac'],
    isNamespaced: false,
    deleteReturnsObject: true,
  },
  MutatingAdmissionPolicy: { ...ADMISSION, version: 'v1beta1', plural: 'mutatingadmissionpolicies' },
  MutatingAdmissionPolicyBinding: { ...ADMISSION, version: 'v1beta1', plural: 'mutatingadmissionpolicybindings' },
  MutatingWebhookConfiguration: { ...ADMISSION, plural: 'mutatingwebhookconfigurations' },
  ValidatingAdmissionPolicy: { ...ADMISSION, plural: 'validatingadmissionpolicies', hasStatus: true },
  ValidatingAdmissionPolicyBinding: { ...ADMISSION, plural: 'validatingadmissionpolicybindings' },
  ValidatingWebhookConfiguration: { ...ADMISSION, plural: 'validatingwebhookconfigurations' },
  CustomResourceDefinition: {
    group: 'apiextensions.k8s.io',
    plural: 'customresourcedefinitions',
    shortNames: ['crd', 'crds'],
    isNamespaced: false,
    hasStatus: true,
    generation: 'spec',
    requiresVersionOnUpdate: true,
  },
  APIService: {
    group: 'apiregistration.k8s.io',
    plural: 'apiservices',
    requiresVersionOnUpdate: true,
    isNamespaced: false,
    hasStatus: true,
    hasFreeName: true,
  },
  FlowSchema: { ...FLOW_CONTROL, plural: 'flowschemas' },
  PriorityLevelConfiguration: { ...FLOW_CONTROL, plural: 'prioritylevelconfigurations' },
  Clock: { ...OWN, plural: 'clocks' },
  Fault: { ...OWN, plural: 'faults' },
  NodePool: { ...OWN, plural: 'nodepools' },
  Load: { ...OWN, plural: 'loads', isNamespaced: true },
} as const satisfies Readonly<Record<string, PlainTraits>>;

/** The name of such a kind. */
export type PlainKind = keyof typeof PLAIN_KINDS;

/** An object of such a kind; its fields are looked into by name. */
export interface PlainObject extends KubeObject {
  readonly spec?: object;
  readonly status?: object;
}

/** These kinds by name. */
export type PlainKindMap = { readonly [K in PlainKind]: PlainObject };

/** Kinds that admission follows. */
const FOLLOWED: ReadonlySet<string> = new Set(['LimitRange', 'ResourceQuota']);

/** Whether a kind is kept and shown, and nothing acts on it. */
export function isPlainKind(kind: string): kind is PlainKind {
  if (!Object.hasOwn(PLAIN_KINDS, kind) || FOLLOWED.has(kind)) return false;
  const { group = '' }: PlainTraits = PLAIN_KINDS[kind as PlainKind];
  return group !== OWN_GROUP && kind !== 'HorizontalPodAutoscaler';
}
