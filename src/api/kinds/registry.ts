/**
 * Every kind that the API server keeps. A new kind is a type in objects.ts, a description beside this
 * file, its field types in field-types.ts, and a line here.
 */
import type { Kind } from '../objects.js';
import type { KindRegistry } from '../resource-kind.js';
import { controllerRevisionKind } from './controller-revision.js';
import { daemonSetKind } from './daemon-set.js';
import { configMapKind } from './config-map.js';
import { deploymentKind } from './deployment.js';
import { endpointSliceKind } from './endpoint-slice.js';
import { endpointsKind } from './endpoints.js';
import { eventKind } from './event.js';
import { leaseKind } from './lease.js';
import { namespaceKind } from './namespace.js';
import { nodeKind } from './node.js';
import { podKind } from './pod.js';
import { priorityClassKind } from './priority-class.js';
import { replicaSetKind } from './replica-set.js';
import { runtimeClassKind } from './runtime-class.js';
import { secretKind } from './secret.js';
import { serviceAccountKind } from './service-account.js';
import { serviceKind } from './service.js';
import { csiDriverKind } from './csi-driver.js';
import { csiNodeKind } from './csi-node.js';
import { csiStorageCapacityKind } from './csi-storage-capacity.js';
import { persistentVolumeClaimKind } from './persistent-volume-claim.js';
import { persistentVolumeKind } from './persistent-volume.js';
import { cronJobKind } from './cron-job.js';
import { jobKind } from './job.js';
import { podDisruptionBudgetKind } from './pod-disruption-budget.js';
import { replicationControllerKind } from './replication-controller.js';
import { statefulSetKind } from './stateful-set.js';
import { storageClassKind } from './storage-class.js';
import { volumeAttachmentKind } from './volume-attachment.js';

/** Descriptions by kind. */
export const kindRegistry: KindRegistry = {
  Pod: podKind,
  Node: nodeKind,
  Namespace: namespaceKind,
  Service: serviceKind,
  EndpointSlice: endpointSliceKind,
  Endpoints: endpointsKind,
  Event: eventKind,
  Lease: leaseKind,
  PriorityClass: priorityClassKind,
  ReplicaSet: replicaSetKind,
  Deployment: deploymentKind,
  StatefulSet: statefulSetKind,
  ControllerRevision: controllerRevisionKind,
  DaemonSet: daemonSetKind,
  ReplicationController: replicationControllerKind,
  Job: jobKind,
  CronJob: cronJobKind,
  PodDisruptionBudget: podDisruptionBudgetKind,
  PersistentVolume: persistentVolumeKind,
  PersistentVolumeClaim: persistentVolumeClaimKind,
  StorageClass: storageClassKind,
  CSINode: csiNodeKind,
  CSIDriver: csiDriverKind,
  CSIStorageCapacity: csiStorageCapacityKind,
  VolumeAttachment: volumeAttachmentKind,
  ConfigMap: configMapKind,
  Secret: secretKind,
  ServiceAccount: serviceAccountKind,
  RuntimeClass: runtimeClassKind,
};

const descriptions = Object.values(kindRegistry);

const kindsByVersion: ReadonlyMap<string, Kind> = new Map(
  descriptions.map(({ kind, group, version }) => [`${group === '' ? version : `${group}/${version}`}, ${kind}`, kind]),
);

const kindsByResource: ReadonlyMap<string, Kind> = new Map(
  descriptions.flatMap(({ kind, group, plural, singular, shortNames }) =>
    [plural, singular, ...shortNames, ...(group === '' ? [] : [`${plural}.${group}`])].map((name): [string, Kind] => [
      name,
      kind,
    ]),
  ),
);

/** The kind that objects with these two fields are of, such as `apps/v1` and `Deployment`; undefined if it is not kept. */
export function resolveKind(apiVersion: string, kind: string): Kind | undefined {
  return kindsByVersion.get(`${apiVersion}, ${kind}`);
}

/** The kind that a user means by `pods`, `pod`, `po`, `deployments.apps`, in any case; undefined if it is not kept. */
export function resolveResource(name: string): Kind | undefined {
  return kindsByResource.get(name.toLowerCase());
}
