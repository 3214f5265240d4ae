/** The storage objects as the API server stores them: volumes, claims, classes, and what CSI drivers report. */
import type * as core from 'kubernetes-types/core/v1.js';
import type * as storage from 'kubernetes-types/storage/v1.js';
import type { Stored } from './kube-object.js';

type StoredWith<T, Spec, Status> = Omit<Stored<T>, 'spec' | 'status'> & {
  readonly spec: Readonly<Spec>;
  readonly status: Readonly<Status>;
};

/** A piece of storage of the cluster. */
export type PersistentVolume = StoredWith<
  core.PersistentVolume,
  core.PersistentVolumeSpec,
  core.PersistentVolumeStatus
>;
/** A user's request for a volume. */
export type PersistentVolumeClaim = StoredWith<
  core.PersistentVolumeClaim,
  core.PersistentVolumeClaimSpec,
  Omit<core.PersistentVolumeClaimStatus, 'conditions'> & { readonly conditions?: ClaimCondition[] }
>;
/** A condition of a claim with a growing volume; it is never probed. */
export type ClaimCondition = Omit<core.PersistentVolumeClaimCondition, 'lastProbeTime'> & {
  readonly lastProbeTime?: string | null;
};
/** A kind of storage, and its provisioner. */
export type StorageClass = Stored<storage.StorageClass>;
/** What the CSI drivers of a node say of it. */
export type CSINode = Stored<storage.CSINode>;
/** What a CSI driver can do. */
export type CSIDriver = Stored<storage.CSIDriver>;
/** How much a CSI driver can still provide, in some part of the cluster. */
export type CSIStorageCapacity = Stored<storage.CSIStorageCapacity>;
/** The intent to attach a volume to a node. */
export type VolumeAttachment = Stored<storage.VolumeAttachment>;

/** The storage kinds by name. */
export interface StorageKindMap {
  PersistentVolume: PersistentVolume;
  PersistentVolumeClaim: PersistentVolumeClaim;
  StorageClass: StorageClass;
  CSINode: CSINode;
  CSIDriver: CSIDriver;
  CSIStorageCapacity: CSIStorageCapacity;
  VolumeAttachment: VolumeAttachment;
}

/** The name of a storage kind. */
export type StorageKind = keyof StorageKindMap;
