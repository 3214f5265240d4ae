/**
 * How often a refused update names what is wrong with metadata: what all kinds have in common looks at it as it is and
 * as it changes, and then each kind's strategy does either never, once or twice (counted on a 1.34.2; rest/update.go).
 */
import type { Kind } from '../../api/objects/objects.js';
import type { FieldError } from '../../api/objects/resource-kind.js';

/** How often a strategy looks at metadata: at its changes, and at the whole of it, as it does on creation. */
interface Passes {
  readonly changes: number;
  readonly wholes: number;
}

const USUAL: Passes = { changes: 1, wholes: 0 };
const NEITHER: Passes = { changes: 0, wholes: 0 };
const BOTH: Passes = { changes: 1, wholes: 1 };
const WHOLE: Passes = { changes: 0, wholes: 1 };
const TWICE: Passes = { changes: 0, wholes: 2 };
const ALL: Passes = { changes: 1, wholes: 2 };

const PASSES: Readonly<Record<string, Passes>> = {
  APIService: BOTH,
  CertificateSigningRequest: BOTH,
  ClusterRole: ALL,
  ClusterRoleBinding: ALL,
  ConfigMap: BOTH,
  ControllerRevision: BOTH,
  CSINode: TWICE,
  CSIStorageCapacity: BOTH,
  DeviceClass: BOTH,
  EndpointSlice: WHOLE,
  Endpoints: BOTH,
  FlowSchema: WHOLE,
  Ingress: BOTH,
  IngressClass: BOTH,
  IPAddress: BOTH,
  Job: BOTH,
  LimitRange: WHOLE,
  MutatingWebhookConfiguration: WHOLE,
  Namespace: BOTH,
  NetworkPolicy: BOTH,
  Node: BOTH,
  PersistentVolume: TWICE,
  PersistentVolumeClaim: ALL,
  Pod: BOTH,
  PodDisruptionBudget: NEITHER,
  PriorityLevelConfiguration: WHOLE,
  ReplicationController: BOTH,
  ResourceClaim: BOTH,
  ResourceClaimTemplate: BOTH,
  Role: ALL,
  RoleBinding: ALL,
  RuntimeClass: BOTH,
  Secret: BOTH,
  Service: BOTH,
  ServiceAccount: BOTH,
  StorageClass: BOTH,
  ValidatingAdmissionPolicy: WHOLE,
  ValidatingAdmissionPolicyBinding: WHOLE,
  ValidatingWebhookConfiguration: WHOLE,
  VolumeAttachment: TWICE,
  VolumeAttributesClass: ALL,
};

/** @param group - in which an object is asked for, where a kind has several */
function passesOf(kind: Kind, group: string | undefined): Passes {
  if (kind === 'Event') return group === 'events.k8s.io' ? USUAL : NEITHER;
  return PASSES[kind] ?? USUAL;
}

/** @returns the immutable part of metadata that was to be changed, as often as it is named */
export function keptAsOften(kind: Kind, errors: readonly FieldError[], group?: string): readonly FieldError[] {
  if (errors.length === 0) return errors;
  return repeated(errors, 1 + passesOf(kind, group).changes);
}

/**
 * @param errors - of an update, each once
 * @returns them in the order and as often as they are told
 */
export function asOften(kind: Kind, errors: readonly FieldError[], group?: string): readonly FieldError[] {
  if (!errors.some(({ field }) => field.startsWith('metadata.'))) return errors;
  const { changes, wholes } = passesOf(kind, group);
  const parts = { change: [], client: [], names: [], qualified: [], base: [], own: [] } as Record<Part, FieldError[]>;
  for (const error of errors) parts[partOf(error)].push(error);
  const { change, client, names, qualified, base, own } = parts;
  return [
    ...client,
    ...names,
    ...change,
    ...client,
    ...repeated([...change, ...client, ...qualified], changes),
    ...repeated([...base, ...client, ...names, ...qualified], wholes),
    ...own,
  ];
}

type Part = 'change' | 'client' | 'names' | 'qualified' | 'base' | 'own';

function partOf({ field, type }: FieldError): Part {
  if (/^metadata\.(?:labels|annotations|ownerReferences)\b/.test(field)) return 'client';
  if (field === 'metadata.finalizers') return type === 'FieldValueForbidden' ? 'change' : 'names';
  if (field.startsWith('metadata.finalizers[')) return 'qualified';
  if (field === 'metadata.generateName') return 'base';
  return /^metadata\.(?:uid|deletion\w+)$/.test(field) ? 'change' : 'own';
}

function repeated(errors: readonly FieldError[], times: number): readonly FieldError[] {
  return errors.length === 0 ? errors : Array.from({ length: times }, () => errors).flat();
}
