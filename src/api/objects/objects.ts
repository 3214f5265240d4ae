/**
 * The Kubernetes objects as the API server stores them: names, uid and version are always there,
 * everything is read-only and may be shared between objects. Types come from `kubernetes-types`,
 * with the few 1.34 fields that it lacks.
 */
import type * as apps from 'kubernetes-types/apps/v1.js';
import type * as coordination from 'kubernetes-types/coordination/v1.js';
import type * as core from 'kubernetes-types/core/v1.js';
import type * as discovery from 'kubernetes-types/discovery/v1.js';
import type * as meta from 'kubernetes-types/meta/v1.js';
import type * as scheduling from 'kubernetes-types/scheduling/v1.js';
import type { ObjectMeta, PodSpec, PodTemplateSpec, Stored } from './kube-object.js';
import type { ConfigKindMap } from './config-objects.js';
import type { CronJob, Job } from './batch-objects.js';
import type { DeviceKindMap } from './device-objects.js';
import type { PlainKindMap } from './plain-kinds.js';
import type { StorageKindMap } from './storage-objects.js';
import type {
  ControllerRevision,
  DaemonSet,
  PodDisruptionBudget,
  ReplicationController,
  StatefulSet,
} from './workload-objects.js';

export type { core, apps, discovery, meta };
export type { CronJob, Job } from './batch-objects.js';
export type { ControllerRevision, DaemonSet, ReplicationController, StatefulSet } from './workload-objects.js';
export type {
  KubeObject,
  ObjectMeta,
  OwnerReference,
  PodSpec,
  PodTemplateSpec,
  ResourceList,
  StringMap,
} from './kube-object.js';

export type Container = core.Container;
export type ContainerStatus = core.ContainerStatus;
export type Toleration = core.Toleration;
export type Taint = core.Taint;
export type LabelSelector = meta.LabelSelector;

/** A condition of a pod. */
export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastProbeTime?: string | null;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export type PodStatus = Readonly<Omit<core.PodStatus, 'conditions' | 'phase'>> & {
  readonly phase: PodPhase;
  readonly conditions?: readonly PodCondition[];
  readonly observedGeneration?: number;
};

export type Pod = Omit<Stored<core.Pod>, 'spec' | 'status'> & { readonly spec: PodSpec; readonly status: PodStatus };
export type Node = Omit<Stored<core.Node>, 'spec' | 'status'> & {
  readonly spec: Readonly<core.NodeSpec>;
  readonly status: Readonly<core.NodeStatus>;
};
export type Namespace = Stored<core.Namespace>;
export type Service = Stored<core.Service> & { readonly spec: Readonly<core.ServiceSpec> };
export type EndpointSlice = Stored<discovery.EndpointSlice>;
export type Endpoints = Stored<core.Endpoints>;
/** The Kubernetes `Event` object, called a record here: a *watch event* is something else. */
export type EventRecord = Stored<core.Event>;
export type Lease = Stored<coordination.Lease>;
export type PriorityClass = Stored<scheduling.PriorityClass>;

type Workload<T, Spec, Status> = Omit<Stored<T>, 'spec' | 'status'> & {
  readonly spec: Readonly<Omit<Spec, 'template'>> & { readonly template: PodTemplateSpec };
  readonly status: Readonly<Status>;
};
export type ReplicaSet = Workload<apps.ReplicaSet, apps.ReplicaSetSpec, apps.ReplicaSetStatus>;
export type Deployment = Workload<apps.Deployment, apps.DeploymentSpec, apps.DeploymentStatus>;

/** Every kind that the API server keeps, by its name. Later kinds are added here and described in kinds/. */
export interface KindMap extends StorageKindMap, ConfigKindMap, DeviceKindMap, PlainKindMap {
  Pod: Pod;
  Node: Node;
  Namespace: Namespace;
  Service: Service;
  EndpointSlice: EndpointSlice;
  Endpoints: Endpoints;
  Event: EventRecord;
  Lease: Lease;
  PriorityClass: PriorityClass;
  ReplicaSet: ReplicaSet;
  Deployment: Deployment;
  StatefulSet: StatefulSet;
  ControllerRevision: ControllerRevision;
  DaemonSet: DaemonSet;
  ReplicationController: ReplicationController;
  Job: Job;
  CronJob: CronJob;
  PodDisruptionBudget: PodDisruptionBudget;
}

/** The name of a kind that the API server keeps. */
export type Kind = keyof KindMap;

/** Any object that the API server keeps. */
export type AnyObject = KindMap[Kind];

/** Metadata as a client writes it: the server fills in the rest. */
export type DraftMeta = Partial<ObjectMeta>;

/** An object as a client submits it; the server checks that the rest is there. */
export interface Draft {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: DraftMeta;
  readonly [field: string]: unknown;
}

/** An object of kind K as typed code submits it. */
export type DraftOf<K extends Kind> = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: DraftMeta;
} & Partial<Omit<KindMap[K], 'apiVersion' | 'kind' | 'metadata'>>;

/** Names one object within its kind. */
export interface ObjectName {
  /** Absent or empty for cluster-scoped kinds. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** `namespace/name`, or the bare name of a cluster-scoped object: the key of caches and work queues. */
export function keyOf(object: { readonly metadata: ObjectName }): string {
  return nameKey(object.metadata.namespace, object.metadata.name);
}

/** The key that was made last: an event's handlers ask for the same one in turn, and its hash goes with the text. */
let lastName = '';
let lastNamespace = '';
let lastKey = '/';

/** {@link keyOf} out of its two parts. */
export function nameKey(namespace: string | undefined, name: string): string {
  if (namespace === undefined || namespace === '') return name;
  if (name !== lastName || namespace !== lastNamespace) {
    lastName = name;
    lastNamespace = namespace;
    lastKey = `${namespace}/${name}`;
  }
  return lastKey;
}

/** Splits a key back into its parts. */
export function parseKey(key: string): ObjectName {
  const slash = key.indexOf('/');
  return slash === -1 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
