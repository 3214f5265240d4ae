/**
 * Every kind that the API server keeps. A new kind is a type in objects.ts, a description beside this file, and a line
 * here; its fields are known from ../types. A kind on which nothing acts is an entry in ../objects/plain-kinds.ts.
 */
import type { Kind } from '../objects/objects.js';
import type { KindRegistry } from '../objects/resource-kind.js';
import { controllerRevisionKind } from './workload/controller-revision.js';
import { daemonSetKind } from './workload/daemon-set.js';
import { configMapKind } from './config/config-map.js';
import { deploymentKind } from './workload/deployment.js';
import { endpointSliceKind } from './network/endpoint-slice.js';
import { endpointsKind } from './network/endpoints.js';
import { eventKind } from './cluster/event.js';
import { deviceClassKind } from './devices/device-class.js';
import { resourceClaimKind, resourceClaimTemplateKind } from './devices/resource-claim.js';
import { resourceSliceKind } from './devices/resource-slice.js';
import { leaseKind } from './cluster/lease.js';
import { namespaceKind } from './cluster/namespace.js';
import { nodeKind } from './cluster/node.js';
import { podKind } from './pod/pod.js';
import { priorityClassKind } from './cluster/priority-class.js';
import { replicaSetKind } from './workload/replica-set.js';
import { plainKinds } from './plain/plain-kinds.js';
import { runtimeClassKind } from './cluster/runtime-class.js';
import { secretKind } from './config/secret.js';
import { serviceAccountKind } from './config/service-account.js';
import { serviceKind } from './network/service.js';
import { csiDriverKind } from './storage/csi-driver.js';
import { csiNodeKind } from './storage/csi-node.js';
import { csiStorageCapacityKind } from './storage/csi-storage-capacity.js';
import { persistentVolumeClaimKind } from './storage/persistent-volume-claim.js';
import { persistentVolumeKind } from './storage/persistent-volume.js';
import { cronJobKind } from './workload/cron-job.js';
import { jobKind } from './workload/job.js';
import { podDisruptionBudgetKind } from './workload/pod-disruption-budget.js';
import { replicationControllerKind } from './workload/replication-controller.js';
import { statefulSetKind } from './workload/stateful-set.js';
import { storageClassKind } from './storage/storage-class.js';
import { volumeAttachmentKind } from './storage/volume-attachment.js';

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
  DeviceClass: deviceClassKind,
  ResourceClaim: resourceClaimKind,
  ResourceClaimTemplate: resourceClaimTemplateKind,
  ResourceSlice: resourceSliceKind,
  ...plainKinds,
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
