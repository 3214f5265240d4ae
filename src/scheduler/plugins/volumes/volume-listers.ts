/**
 * What the volume plugins read and write. They know objects by the handle's informers only.
 */
import { keyOf, nameKey, type KubeObject, type Node, type Pod } from '../../../api/objects/objects.js';
import type {
  CSIDriver,
  CSINode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  StorageKind,
  StorageKindMap,
} from '../../../api/objects/storage-objects.js';
import { usesOf } from '../../../api/volumes/volume-rules.js';
import type { FrameworkHandle } from '../../framework/interface.js';

/** Told what an object was, and what it is: one of both is absent when it has come or gone. */
export type ChangeListener = (before: KubeObject | undefined, after: KubeObject | undefined) => void;

/** What the volume plugins need of the framework besides {@link FrameworkHandle}. */
export interface VolumeHandle extends FrameworkHandle {
  /** One object by its key; without it the plugins walk over all objects of the kind. */
  object?(kind: string, key: string): KubeObject | undefined;
  /** Objects of a kind under one value of an index of its informer; without it the plugins walk over all. */
  indexed?(kind: string, index: string, value: string): Iterable<KubeObject>;
  /**
   * Tells of each object of a kind that comes, changes or goes from now on, once {@link VolumeHandle.object}
   * shows it; without it the plugins keep nothing of the kind from attempt to attempt.
   */
  onChange?(kind: string, listener: ChangeListener): void;
  /** Replaces an object at the API server, as a PUT with its resourceVersion. Needed to bind volumes. */
  update?(
    kind: string,
    object: KubeObject,
    answer: (error: Error | undefined, stored: KubeObject | undefined) => void,
  ): void;
}

/** Kinds of which single objects are asked for. */
interface FindableKinds extends StorageKindMap {
  Node: Node;
  Pod: Pod;
}

/** Typed access to the objects of the handle. */
export class VolumeListers {
  readonly #handle: VolumeHandle;

  constructor(handle: VolumeHandle) {
    this.#handle = handle;
  }

  claim(namespace: string, name: string): PersistentVolumeClaim | undefined {
    return this.find('PersistentVolumeClaim', nameKey(namespace, name));
  }

  volume(name: string): PersistentVolume | undefined {
    return this.find('PersistentVolume', name);
  }

  storageClass(name: string): StorageClass | undefined {
    return name === '' ? undefined : this.find('StorageClass', name);
  }

  csiNode(nodeName: string): CSINode | undefined {
    return this.find('CSINode', nodeName);
  }

  csiDriver(name: string): CSIDriver | undefined {
    return this.find('CSIDriver', name);
  }

  /** Volumes among which are all that a claim could have. Quick where the informer has VOLUMES_BY_USE. */
  volumesFor(claim: PersistentVolumeClaim): Iterable<PersistentVolume> {
    const handle = this.#handle;
    if (handle.indexed === undefined) return this.list('PersistentVolume');
    const found: PersistentVolume[] = [];
    for (const use of usesOf(claim)) {
      for (const volume of handle.indexed('PersistentVolume', 'use', use)) found.push(volume as PersistentVolume);
    }
    return found;
  }

  /** All objects of a kind. */
  list<K extends StorageKind>(kind: K): Iterable<StorageKindMap[K]> {
    return this.#handle.objects(kind) as Iterable<StorageKindMap[K]>;
  }

  /** One object by its key. */
  find<K extends keyof FindableKinds>(kind: K, key: string): FindableKinds[K] | undefined {
    const handle = this.#handle;
    if (handle.object !== undefined) return handle.object(kind, key) as FindableKinds[K] | undefined;
    for (const object of handle.objects(kind)) if (keyOf(object) === key) return object as FindableKinds[K];
    return undefined;
  }
}
