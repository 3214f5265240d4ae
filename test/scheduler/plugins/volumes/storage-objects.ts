/** Short forms of storage objects for tests. */
import type { core, KubeObject, OwnerReference, StringMap } from '../../../../src/api/objects/objects.js';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from '../../../../src/api/objects/storage-objects.js';

export interface MetaParts {
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: readonly OwnerReference[];
}

const COMPLETED = { 'pv.kubernetes.io/bind-completed': 'yes' };

function meta(kind: string, name: string, namespace: string | undefined, parts: MetaParts): KubeObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: `${kind}-${name}`,
      resourceVersion: '1',
      creationTimestamp: '2030-01-01T00:00:00Z',
      ...parts,
    },
  };
}

/** An available volume of 10Gi and class `wait`. */
export function volume(
  name: string,
  spec: Partial<core.PersistentVolumeSpec> = {},
  parts: MetaParts = {},
): PersistentVolume {
  return {
    ...meta('PersistentVolume', name, undefined, parts),
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'wait',
      csi: { driver: 'csi.example.com', volumeHandle: name },
      ...spec,
    },
    status: { phase: 'Available' },
  };
}

/** Reachable from nodes with one of these values of a label. */
export function onlyIn(key: string, ...values: string[]): core.VolumeNodeAffinity {
  return { required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }] } };
}

/** A claim of 5Gi and class `wait` without a volume. */
export function claim(
  name: string,
  spec: Partial<core.PersistentVolumeClaimSpec> = {},
  parts: MetaParts = {},
): PersistentVolumeClaim {
  return {
    ...meta('PersistentVolumeClaim', name, 'default', parts),
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '5Gi' } },
      storageClassName: 'wait',
      ...spec,
    },
    status: { phase: 'Pending' },
  };
}

/** A claim that has its volume. */
export function boundClaim(
  name: string,
  volumeName: string,
  spec: Partial<core.PersistentVolumeClaimSpec> = {},
): PersistentVolumeClaim {
  return { ...claim(name, { volumeName, ...spec }, { annotations: COMPLETED }), status: { phase: 'Bound' } };
}

/** A class that waits for the first consumer. */
export function storageClass(name = 'wait', parts: Partial<StorageClass> = {}): StorageClass {
  return {
    ...meta('StorageClass', name, undefined, {}),
    provisioner: 'csi.example.com',
    volumeBindingMode: 'WaitForFirstConsumer',
    ...parts,
  };
}

/** The drivers of a node with how many volumes they take; `undefined` = they do not tell. */
export function csiNode(
  name: string,
  limits: Readonly<Record<string, number | undefined>>,
  annotations?: StringMap,
): CSINode {
  const drivers = Object.entries(limits).map(([driver, count]) => ({
    name: driver,
    nodeID: name,
    ...(count === undefined ? {} : { allocatable: { count } }),
  }));
  return { ...meta('CSINode', name, undefined, annotations === undefined ? {} : { annotations }), spec: { drivers } };
}

export function csiDriver(name: string, storageCapacity?: boolean): CSIDriver {
  return { ...meta('CSIDriver', name, undefined, {}), spec: storageCapacity === undefined ? {} : { storageCapacity } };
}

export function csiCapacity(
  name: string,
  parts: Partial<Pick<CSIStorageCapacity, 'capacity' | 'maximumVolumeSize' | 'nodeTopology' | 'storageClassName'>>,
): CSIStorageCapacity {
  return { ...meta('CSIStorageCapacity', name, 'default', {}), storageClassName: 'wait', ...parts };
}

export function attachment(
  name: string,
  nodeName: string,
  volumeName: string,
  attacher = 'csi.example.com',
): VolumeAttachment {
  return {
    ...meta('VolumeAttachment', name, undefined, {}),
    spec: { attacher, nodeName, source: { persistentVolumeName: volumeName } },
  };
}

/** Volumes of a pod that stand for claims. */
export function claimed(...names: readonly string[]): core.Volume[] {
  return names.map((claimName, index) => ({ name: `v${index}`, persistentVolumeClaim: { claimName } }));
}

/** A generic ephemeral volume: its claim is made for the pod. */
export function ephemeral(name: string): core.Volume {
  return { name, ephemeral: { volumeClaimTemplate: { spec: {} } } };
}
