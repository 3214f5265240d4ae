/**
 * Makes volumes for claims whose class has a provisioner, and removes them again: what CSI drivers'
 * own controllers do in a cluster, after a fixed while and without ever failing.
 */
import { isApiError } from '../../api/api-error.js';
import { keyOf, type core, type Draft, type StringMap } from '../../api/objects.js';
import type { PersistentVolumeClaim, StorageClass } from '../../api/storage-objects.js';
import {
  BIND_COMPLETED,
  claimClass,
  claimReference,
  NO_PROVISIONER,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
  withAnnotation,
} from '../../api/volume-rules.js';
import { putClaim, putClaimStatus, type Binder } from './bind.js';

/** Simulated milliseconds that making or removing a volume takes. */
export const PROVISIONER_DELAY_MS = 100;

const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner';
const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';

/** Asks for a volume. */
export async function requestVolume(
  binder: Binder,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  className: string,
): Promise<void> {
  const { recorder } = binder.context;
  if (storageClass === undefined) {
    const text = `storageclass.storage.k8s.io "${className}" not found`;
    recorder.record(claim, 'Warning', 'ProvisioningFailed', text);
    return;
  }
  const { provisioner } = storageClass;
  if (provisioner === NO_PROVISIONER) {
    recorder.record(claim, 'Warning', 'ProvisioningFailed', `no volume plugin matched name: ${provisioner}`);
    return;
  }
  const metadata = withAnnotation(
    withAnnotation(claim.metadata, BETA_STORAGE_PROVISIONER, provisioner),
    STORAGE_PROVISIONER,
    provisioner,
  );
  const marked = metadata === claim.metadata ? claim : await putClaim(binder, claim, { ...claim, metadata });
  await putClaimStatus(binder, marked, { phase: 'Pending' });
  recorder.record(
    claim,
    'Normal',
    'ExternalProvisioning',
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
  );
  binder.memory.addAfter('provision', keyOf(claim), PROVISIONER_DELAY_MS);
}

/** Makes the volume that was asked for, if it is still wanted. */
export async function provision(binder: Binder, key: string): Promise<void> {
  const { memory, context } = binder;
  const claim = memory.claims.get(key);
  if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return;
  const { annotations } = claim.metadata;
  if (annotations?.[BIND_COMPLETED] !== undefined || (claim.spec.volumeName ?? '') !== '') return;
  const storageClass = memory.classes.get(claimClass(claim));
  if (storageClass === undefined) return;
  const nodeName = annotations?.[SELECTED_NODE];
  if (nodeName === undefined && storageClass.volumeBindingMode === 'WaitForFirstConsumer') return;
  const node = nodeName === undefined ? undefined : memory.node(nodeName);
  if (nodeName !== undefined && node === undefined) {
    await giveBack(binder, claim);
    return;
  }
  const topology = node === undefined ? undefined : topologyOf(binder, storageClass.provisioner, node.metadata);
  try {
    await context.api.create('PersistentVolume', volumeFor(claim, storageClass, topology));
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}

/** The node is gone: the scheduler must choose again. */
async function giveBack(binder: Binder, claim: PersistentVolumeClaim): Promise<void> {
  const { [SELECTED_NODE]: _node, ...annotations } = claim.metadata.annotations ?? {};
  await putClaim(binder, claim, { ...claim, metadata: { ...claim.metadata, annotations } });
}

interface NamedLabels {
  readonly name: string;
  readonly labels?: StringMap;
}

/** From where the volume can be reached: what the driver tells nodes apart by, on the selected node. */
function topologyOf(
  { memory }: Binder,
  driver: string,
  { name, labels }: NamedLabels,
): core.VolumeNodeAffinity | undefined {
  const keys = memory.csiNodes.get(name)?.spec.drivers.find((each) => each.name === driver)?.topologyKeys ?? [];
  const matchExpressions = keys.flatMap((key) => {
    const label = labels?.[key];
    return label === undefined ? [] : [{ key, operator: 'In', values: [label] }];
  });
  return matchExpressions.length === 0 ? undefined : { required: { nodeSelectorTerms: [{ matchExpressions }] } };
}

function volumeFor(
  claim: PersistentVolumeClaim,
  { metadata, provisioner, reclaimPolicy = 'Delete', mountOptions }: StorageClass,
  nodeAffinity: core.VolumeNodeAffinity | undefined,
): Draft {
  const { accessModes, volumeMode, resources, volumeAttributesClassName } = claim.spec;
  const name = `pvc-${claim.metadata.uid}`;
  return {
    metadata: { name, annotations: { [PROVISIONED_BY]: provisioner } },
    spec: {
      accessModes,
      capacity: { storage: resources?.requests?.['storage'] ?? '0' },
      claimRef: claimReference(claim),
      csi: { driver: provisioner, volumeHandle: name },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: metadata.name,
      ...(volumeMode === undefined ? {} : { volumeMode }),
      ...(mountOptions === undefined ? {} : { mountOptions }),
      ...(nodeAffinity === undefined ? {} : { nodeAffinity }),
      ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
    },
  };
}

/** Removes a volume that was released, if it still is. */
export async function removeVolume({ context, memory }: Binder, name: string): Promise<void> {
  const volume = memory.volumes.get(name);
  if (volume === undefined || volume.status.phase !== 'Released') return;
  try {
    await context.api.delete('PersistentVolume', { name });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}
