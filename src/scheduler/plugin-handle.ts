/**
 * What the plugins of a profile reach the cluster with: the informers' caches, and the few requests
 * that plugins make. Which kinds a scheduler watches stands here.
 */
import { parseKey, type AnyObject, type Draft, type Kind } from '../api/objects/objects.js';
import { VOLUMES_BY_USE } from '../api/volumes/volume-rules.js';
import type { Client, InformerFactory } from '../bus/bus-types.js';
import type { Clock } from '../kernel/engine/clock.js';
import type { Snapshot } from './framework/interface.js';
import type { CreatePreemptor } from './framework/preemption/preemptor.js';
import type { WaitingPods } from './framework/waiting-pods.js';
import type { PreemptingHandle } from './plugins/default-preemption.js';
import type { DeviceHandle } from './plugins/dynamic-resources/claim-tracker.js';
import type { VolumeHandle } from './plugins/volumes/volume-listers.js';

/** Kinds that may make a pod schedulable by a change, besides pods and nodes. */
export const STORAGE_KINDS = [
  'PersistentVolume',
  'PersistentVolumeClaim',
  'StorageClass',
  'CSINode',
  'CSIDriver',
  'CSIStorageCapacity',
  'VolumeAttachment',
] as const satisfies readonly Kind[];

/** {@link STORAGE_KINDS} for devices. */
export const DEVICE_KINDS = ['ResourceClaim', 'ResourceSlice', 'DeviceClass'] as const satisfies readonly Kind[];

/** Every kind that plugins look at. */
const WATCHED_KINDS: readonly Kind[] = [
  'Pod',
  'Node',
  'Namespace',
  'Service',
  'ReplicaSet',
  'StatefulSet',
  'ReplicationController',
  'PodDisruptionBudget',
  ...STORAGE_KINDS,
  ...DEVICE_KINDS,
];

/** What of a connection plugins look through. */
export interface PluginConnection {
  readonly client: Client;
  readonly informers: Pick<InformerFactory, 'informer'>;
}

/** What a handle is made of. */
export interface PluginHandleParts {
  readonly clock: Clock;
  readonly connection: PluginConnection;
  readonly snapshot: Snapshot;
  readonly waitingPods: WaitingPods;
  readonly createPreemptor: CreatePreemptor;
}

/** Asks for the informers of all kinds that plugins look at; they must be started afterwards. */
export function watchForPlugins({ informers }: PluginConnection): void {
  for (const kind of WATCHED_KINDS) informers.informer(kind);
  informers.informer('PersistentVolume', VOLUMES_BY_USE);
}

function isWatched(kind: string): kind is Kind {
  return (WATCHED_KINDS as readonly string[]).includes(kind);
}

/** What a scheduler offers to the plugins of a profile. */
export function createPluginHandle(parts: PluginHandleParts): PreemptingHandle & VolumeHandle & DeviceHandle {
  const { clock, connection, snapshot, waitingPods, createPreemptor } = parts;
  const { client, informers } = connection;
  return {
    clock,
    snapshot,
    bind: ({ namespace, name, uid, nodeName }, answer) => {
      client.bind({ metadata: { namespace, name, uid }, target: { kind: 'Node', name: nodeName } }, answer);
    },
    waitingPod: (uid) => waitingPods.get(uid),
    createPreemptor,
    objects: (kind): Iterable<AnyObject> => (isWatched(kind) ? informers.informer(kind).list() : []),
    object: (kind, key) => (isWatched(kind) ? informers.informer(kind).getByKey(key) : undefined),
    indexed: (kind, index, value) => (isWatched(kind) ? informers.informer(kind).byIndex(index, value) : []),
    onChange: (kind, listener) => {
      if (!isWatched(kind)) return;
      informers.informer(kind).addHandler({
        onAdd: (object) => listener(undefined, object),
        onUpdate: listener,
        onDelete: (object) => listener(object, undefined),
      });
    },
    update: (kind, object, answer) => client.update(kind as Kind, object as unknown as Draft, undefined, answer),
    updateStatus: (kind, object, answer) => client.update(kind as Kind, object as unknown as Draft, 'status', answer),
    fetch: (kind, key, answer) => client.get(kind as Kind, parseKey(key), answer),
    patchStatus: (kind, { metadata: { namespace, name } }, body, answer) =>
      client.patch(
        kind as Kind,
        { name, ...(namespace === undefined ? {} : { namespace }) },
        { type: 'strategic', body },
        'status',
        answer,
      ),
  };
}
