import { keyOf, type AnyObject, type KubeObject } from '../../../src/api/objects/objects.js';
import type { PersistentVolume } from '../../../src/api/objects/storage-objects.js';
import { VOLUMES_BY_USE } from '../../../src/api/volumes/volume-rules.js';
import type { ChangeListener } from '../../../src/scheduler/plugins/volumes/volume-listers.js';

/** Every object of a cluster as informers would know it, by kind and key. */
export class ClusterObjects {
  readonly #byKind = new Map<string, Map<string, KubeObject>>();
  readonly #listeners = new Map<string, ChangeListener[]>();
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
    const previous = ofKind.get(keyOf(stored));
    ofKind.set(keyOf(stored), stored);
    for (const listener of this.#listeners.get(object.kind) ?? []) listener(previous, stored);
    return stored;
  }

  drop(kind: string, key: string): void {
    const previous = this.find(kind, key);
    if (previous === undefined) return;
    this.#byKind.get(kind)?.delete(key);
    for (const listener of this.#listeners.get(kind) ?? []) listener(previous, undefined);
  }

  /** Tells of each object of a kind that comes, changes or goes. */
  onChange(kind: string, listener: ChangeListener): void {
    this.#listeners.set(kind, [...(this.#listeners.get(kind) ?? []), listener]);
  }
}
