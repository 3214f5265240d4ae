/**
 * How the strategy of each kind looks at an updated object: in which order, and how often, a refused update names what
 * is wrong (pkg/registry and pkg/apis/…/validation, v1.34; counted on a 1.34.2).
 */
import type { FieldError } from '../../objects/resource-kind.js';
import type { MetaErrors } from './object-meta.js';

/**
 * One look: at metadata as that of a new object or as it changes; at the rest as if the object were new, as of one of
 * which something is stored, or at what may not change.
 */
export type UpdateLook = 'metadata' | 'metadata-change' | 'new' | 'whole' | 'change';

/** Those of most kinds. */
export const USUAL_LOOKS: readonly UpdateLook[] = ['metadata-change', 'whole', 'change'];
const AS_NEW: readonly UpdateLook[] = ['metadata', 'whole', 'change'];
const NEW_THEN_CHANGE: readonly UpdateLook[] = ['metadata', 'whole', 'metadata-change', 'change'];
const CHANGE_THEN_NEW: readonly UpdateLook[] = ['metadata-change', 'change', 'metadata', 'whole'];
const WHOLE_TWICE: readonly UpdateLook[] = ['metadata', 'whole', 'metadata-change', 'whole'];
const NEW_TWICE: readonly UpdateLook[] = ['metadata', 'whole', 'metadata', 'whole', 'change'];
const NEW_TWICE_THEN_CHANGE: readonly UpdateLook[] = [
  'metadata',
  'whole',
  'metadata',
  'whole',
  'metadata-change',
  'change',
];

const LOOKS: Readonly<Record<string, readonly UpdateLook[]>> = {
  APIService: ['metadata-change', 'metadata', 'whole', 'change'],
  CertificateSigningRequest: NEW_THEN_CHANGE,
  ClusterRole: NEW_TWICE_THEN_CHANGE,
  ClusterRoleBinding: NEW_TWICE_THEN_CHANGE,
  ConfigMap: CHANGE_THEN_NEW,
  ControllerRevision: ['metadata-change', 'metadata', 'whole', 'change'],
  CSINode: NEW_TWICE,
  CSIStorageCapacity: NEW_THEN_CHANGE,
  DaemonSet: ['metadata-change', 'change', 'whole'],
  DeviceClass: ['metadata', 'new', 'metadata-change', 'whole'],
  EndpointSlice: AS_NEW,
  Endpoints: CHANGE_THEN_NEW,
  FlowSchema: AS_NEW,
  Ingress: CHANGE_THEN_NEW,
  IngressClass: CHANGE_THEN_NEW,
  IPAddress: NEW_THEN_CHANGE,
  Job: NEW_THEN_CHANGE,
  LimitRange: AS_NEW,
  MutatingAdmissionPolicy: AS_NEW,
  MutatingAdmissionPolicyBinding: AS_NEW,
  MutatingWebhookConfiguration: AS_NEW,
  Namespace: NEW_THEN_CHANGE,
  NetworkPolicy: WHOLE_TWICE,
  Node: NEW_THEN_CHANGE,
  PersistentVolume: NEW_TWICE,
  PersistentVolumeClaim: ['metadata', 'whole', 'metadata-change', 'metadata', 'whole', 'change'],
  Pod: ['metadata-change', 'metadata', 'whole', 'change'],
  PodDisruptionBudget: ['whole', 'change'],
  PriorityLevelConfiguration: AS_NEW,
  ReplicationController: WHOLE_TWICE,
  ResourceClaim: ['metadata', 'new', 'metadata-change', 'change', 'whole'],
  ResourceClaimTemplate: ['metadata', 'new', 'metadata-change', 'change', 'whole'],
  Role: NEW_TWICE_THEN_CHANGE,
  RoleBinding: NEW_TWICE_THEN_CHANGE,
  RuntimeClass: NEW_THEN_CHANGE,
  Secret: CHANGE_THEN_NEW,
  Service: CHANGE_THEN_NEW,
  ServiceAccount: CHANGE_THEN_NEW,
  StorageClass: NEW_THEN_CHANGE,
  ValidatingAdmissionPolicy: AS_NEW,
  ValidatingAdmissionPolicyBinding: AS_NEW,
  ValidatingWebhookConfiguration: AS_NEW,
  VolumeAttachment: NEW_TWICE,
  VolumeAttributesClass: ['metadata', 'whole', 'metadata-change', 'change', 'metadata', 'whole'],
};

/** The looks at objects of a kind, one after another. */
export function updateLooks(kind: string): readonly UpdateLook[] {
  return LOOKS[kind] ?? USUAL_LOOKS;
}

/** How often a part of metadata that may not change is named: by what all kinds have in common, and by the looks. */
export function changesTold(looks: readonly UpdateLook[]): number {
  return 1 + looks.filter((look) => look === 'metadata-change').length;
}

/** What is found in each look at something else than metadata. */
export type Found = Readonly<Record<'new' | 'whole' | 'change', readonly FieldError[]>>;

/**
 * @param kept - parts of metadata that may not change
 * @returns all errors in the order in which they are told
 */
export function inOrderOfLooks(
  looks: readonly UpdateLook[],
  { segment, base, client, names, qualified }: MetaErrors,
  kept: readonly FieldError[],
  found: Found,
): readonly FieldError[] {
  // Before any strategy, what all kinds have in common looks at metadata as it is, and as it changes.
  return [segment, client, names, kept, client]
    .concat(
      looks.flatMap((look) => {
        if (look === 'metadata') return [base, client, names, qualified];
        return look === 'metadata-change' ? [kept, client, qualified] : [found[look]];
      }),
    )
    .flat();
}
