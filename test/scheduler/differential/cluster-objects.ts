import { keyOf, type AnyObject, type KubeObject } from '../../../src/api/objects.js';
import type { PersistentVolume } from '../../../src/api/storage-objects.js';
import { VOLUMES_BY_USE } from '../../../src/api/volume-rules.js';

/** Every object of a cluster as informers would know it, by kind and key. */
export class ClusterObjects {
  readonly #byKind = new Map<string, Map<string, KubeObject>>();
  #version = 1;

  /** The next resourceVersion. */
  nextVersion(): number {
    this.#version += 1;
    return this.#version;
  }

  list(kind: string): Iterable<AnyObject> {
    return (this.#byKind.get(kind)?.values() ?? []) as Iterable<AnyObject>;
  }

  find(kind: string, key: string): KubeObject | undefined {
    return this.#byKind.get(kind)?.get(key);
  }

  /** Volumes under one value of their index. */
  volumesBy(use: string): readonly KubeObject[] {
    const volumes = [...this.list('PersistentVolume')] as readonly PersistentVolume[];
    return volumes.filter((volume) => VOLUMES_BY_USE.use(volume).includes(use));
  }

  /** Stores an object under a new version. */
  put<T extends KubeObject>(object: T): T {
    const resourceVersion = String(this.nextVersion());
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion } };
    let ofKind = this.#byKind.get(object.kind);
    if (ofKind === undefined) {
      ofKind = new Map();
      this.#byKind.set(object.kind, ofKind);
    }
    ofKind.set(keyOf(stored), stored);
    return stored;
  }

  drop(kind: string, key: string): void {
    this.#byKind.get(kind)?.delete(key);
  }
}
