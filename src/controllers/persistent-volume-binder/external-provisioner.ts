/**
 * Makes volumes for claims of a class with a provisioner, and removes them when they are released: what the
 * external-provisioner of each CSI driver does in a cluster, in set times and without ever failing. It never
 * binds. Mirrors kubernetes-csi/external-provisioner (v5) over sig-storage-lib-external-provisioner.
 */
import { isApiError } from '../../api/errors/api-error.js';
import { dns1123Subdomain } from '../../api/values/names.js';
import { keyOf, type core, type Draft, type StringMap } from '../../api/objects/objects.js';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../api/objects/storage-objects.js';
import {
  BIND_COMPLETED,
  claimClass,
  claimReference,
  PROVISIONED_BY,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
} from '../../api/volumes/volume-rules.js';
import type { Lister } from '../../bus/bus-types.js';
import { defineController, type ControllerContext } from '../runtime/controller-definition.js';
import { RetryError } from '../runtime/retry-error.js';
import { removeFinalizer } from './protection-finalizer.js';
import { sidecarLimit } from '../runtime/sidecar-limit.js';

/** Keeps a volume that is to be removed with its claim until the storage behind it is. */
const FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';
/** Default of the sidecar's --worker-threads. */
const CONCURRENT_SYNCS = 100;
const RETRY_DELAYS = { baseDelayMs: 1000, maxDelayMs: 300_000 };

interface State {
  readonly claims: Lister<'PersistentVolumeClaim'>;
  readonly volumes: Lister<'PersistentVolume'>;
  readonly classes: Lister<'StorageClass'>;
  readonly nodes: Lister<'Node'>;
  readonly csiNodes: Lister<'CSINode'>;
  readonly attachments: Lister<'VolumeAttachment'>;
  /** When the driver will have done it, by the key of the work. */
  readonly dueMs: Map<string, number>;
}

/** Attachments by the names of their volumes. */
const BY_VOLUME = {
  volume: ({ spec }: { readonly spec: { readonly source: { readonly persistentVolumeName?: string } } }) => [
    spec.source.persistentVolumeName ?? '',
  ],
};

/** See the file header. */
export const externalProvisioner = defineController<State>({
  name: 'external-provisioner',
  concurrentSyncs: CONCURRENT_SYNCS,
  retryDelays: RETRY_DELAYS,
  clientLimit: sidecarLimit,
  setup(context) {
    const { queue } = context;
    const dueMs = new Map<string, number>();
    const forget = (key: string): void => {
      dueMs.delete(key);
      queue.cancel(key);
      queue.drop(key);
    };
    const claimSeen = (claim: PersistentVolumeClaim): void => {
      if (isWanting(claim) && !isInVain(context, claim)) queue.add(`provision ${keyOf(claim)}`);
    };
    const volumeSeen = (volume: PersistentVolume): void => {
      if (isToBeRemoved(volume)) queue.add(`remove ${volume.metadata.name}`);
    };
    return {
      claims: context.watch('PersistentVolumeClaim', {
        onAdd: claimSeen,
        onUpdate: (_previous, claim) => claimSeen(claim),
        onDelete: (claim) => forget(`provision ${keyOf(claim)}`),
      }),
      volumes: context.watch('PersistentVolume', {
        onAdd: volumeSeen,
        onUpdate: (_previous, volume) => volumeSeen(volume),
        onDelete: ({ metadata }) => forget(`remove ${metadata.name}`),
      }),
      classes: context.informer('StorageClass'),
      nodes: context.informer('Node'),
      csiNodes: context.informer('CSINode'),
      attachments: context.informer('VolumeAttachment', BY_VOLUME),
      dueMs,
    };
  },
  reconcile(context, key, state) {
    const space = key.indexOf(' ');
    const object = key.slice(space + 1);
    return key.startsWith('provision') ? provision(context, key, object, state) : remove(context, key, object, state);
  },
});

/** A provisioner was asked for a volume, and it is not there. */
function isWanting({ metadata, spec }: PersistentVolumeClaim): boolean {
  const { annotations, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined || annotations?.[STORAGE_PROVISIONER] === undefined) return false;
  return annotations[BIND_COMPLETED] === undefined && (spec.volumeName ?? '') === '';
}

/** Nobody runs its driver. */
function isInVain({ settings }: ControllerContext, { metadata }: PersistentVolumeClaim): boolean {
  return settings.absentProvisioners.includes(metadata.annotations?.[STORAGE_PROVISIONER] ?? '');
}

/** A volume that was made here has lost its claim, and is to go with it. */
function isToBeRemoved({ metadata, spec, status }: PersistentVolume): boolean {
  if (metadata.annotations?.[PROVISIONED_BY] === undefined || status.phase !== 'Released') return false;
  const isGoing = metadata.deletionTimestamp !== undefined;
  return spec.persistentVolumeReclaimPolicy === 'Delete' && (!isGoing || isHeld(metadata));
}

function isHeld({ finalizers }: { readonly finalizers?: readonly string[] | undefined }): boolean {
  return finalizers?.includes(FINALIZER) === true;
}

/** `true` once the driver has had its time. */
function hasTaken({ kernel, queue }: ControllerContext, { dueMs }: State, key: string, durationMs: number): boolean {
  const nowMs = kernel.clock.now();
  const due = dueMs.get(key) ?? nowMs + durationMs;
  dueMs.set(key, due);
  if (due > nowMs) {
    queue.addAfter(key, due - nowMs);
    return false;
  }
  dueMs.delete(key);
  return true;
}

async function provision(context: ControllerContext, key: string, claimKey: string, state: State): Promise<void> {
  const claim = state.claims.getByKey(claimKey);
  if (claim === undefined || !isWanting(claim)) return;
  const name = `pvc-${claim.metadata.uid}`;
  const storageClass = state.classes.getByKey(claimClass(claim));
  if (storageClass === undefined || state.volumes.getByKey(name) !== undefined) return;
  const nodeName = claim.metadata.annotations?.[SELECTED_NODE];
  if (nodeName === undefined && storageClass.volumeBindingMode === 'WaitForFirstConsumer') return;
  if (!state.dueMs.has(key)) {
    const text = `External provisioner is provisioning volume for claim "${claimKey}"`;
    context.recorder.record(claim, 'Normal', 'Provisioning', text);
  }
  if (!hasTaken(context, state, key, context.settings.volumeProvisionMs)) return;
  const node = nodeName === undefined ? undefined : state.nodes.getByKey(nodeName);
  if (nodeName !== undefined && node === undefined) return giveBack(context, claim);
  const affinity = node === undefined ? undefined : affinityOf(state, storageClass.provisioner, node.metadata);
  try {
    await context.api.create('PersistentVolume', volumeFor(claim, name, storageClass, affinity));
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
  context.recorder.record(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${name}`);
}

/** The node is gone: the scheduler must choose again. */
async function giveBack({ api }: ControllerContext, { metadata }: PersistentVolumeClaim): Promise<void> {
  const { namespace, name, resourceVersion } = metadata;
  await api.change(
    'PersistentVolumeClaim',
    { namespace, name },
    (claim) => {
      const { [SELECTED_NODE]: _node, ...annotations } = claim.metadata.annotations ?? {};
      return { ...claim, metadata: { ...claim.metadata, annotations } };
    },
    { preconditions: { resourceVersion } },
  );
}

interface NamedLabels {
  readonly name: string;
  readonly labels?: StringMap | undefined;
}

/** From where the volume can be reached: what the driver tells nodes apart by, on the selected node. */
function affinityOf(
  { csiNodes }: State,
  driver: string,
  { name, labels }: NamedLabels,
): core.VolumeNodeAffinity | undefined {
  const keys = csiNodes.getByKey(name)?.spec.drivers.find((each) => each.name === driver)?.topologyKeys ?? [];
  const matchExpressions = keys.flatMap((key) => {
    const label = labels?.[key];
    return label === undefined ? [] : [{ key, operator: 'In', values: [label] }];
  });
  return matchExpressions.length === 0 ? undefined : { required: { nodeSelectorTerms: [{ matchExpressions }] } };
}

function volumeFor(
  claim: PersistentVolumeClaim,
  name: string,
  { metadata, provisioner, reclaimPolicy = 'Delete', mountOptions }: StorageClass,
  nodeAffinity: core.VolumeNodeAffinity | undefined,
): Draft {
  const { accessModes, volumeMode, resources, volumeAttributesClassName } = claim.spec;
  return {
    metadata: {
      name,
      annotations: { [PROVISIONED_BY]: provisioner },
      ...(reclaimPolicy === 'Delete' ? { finalizers: [FINALIZER] } : {}),
    },
    spec: {
      accessModes,
      capacity: { storage: resources?.requests?.['storage'] ?? '0' },
      claimRef: claimReference(claim),
      ...volumeSource(provisioner, name),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: metadata.name,
      ...(volumeMode === undefined ? {} : { volumeMode }),
      ...(mountOptions === undefined ? {} : { mountOptions }),
      ...(nodeAffinity === undefined ? {} : { nodeAffinity }),
      ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
    },
  };
}

/** A provisioner with no CSI driver's name, such as `k8s.io/minikube-hostpath`, makes directories on nodes. */
function volumeSource(provisioner: string, name: string): Pick<core.PersistentVolumeSpec, 'csi' | 'hostPath'> {
  if (dns1123Subdomain(provisioner).length === 0) return { csi: { driver: provisioner, volumeHandle: name } };
  return { hostPath: { path: `/var/lib/provisioner/${name}` } };
}

/** Removes what is behind a volume, then the volume; one that is attached must wait. */
async function remove(context: ControllerContext, key: string, name: string, state: State): Promise<void> {
  const volume = state.volumes.getByKey(name);
  if (volume === undefined || !isToBeRemoved(volume)) return;
  for (const { spec } of state.attachments.byIndex('volume', name)) {
    const text = `persistentvolume ${name} is still attached to node ${spec.nodeName}`;
    context.recorder.record(volume, 'Warning', 'VolumeFailedDelete', text);
    throw new RetryError(text);
  }
  if (!hasTaken(context, state, key, context.settings.volumeDeleteMs)) return;
  try {
    if (volume.metadata.deletionTimestamp === undefined) await context.api.delete('PersistentVolume', { name });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
  if (isHeld(volume.metadata)) await removeFinalizer(context, 'PersistentVolume', { name }, FINALIZER);
}
