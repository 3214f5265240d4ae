/**
 * The binder's caches and writes: caches that show its own writes at once, as the controller upstream
 * keeps its own, and writes that hold only if no other came between.
 */
import { keyOf, type Kind, type KindMap } from '../../api/objects/objects.js';
import type { Indexers, InformerHandler, Lister } from '../../bus/bus-types.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

/** Objects of one kind, as the informer knows them or as they were last written here, whichever is newer. */
export class StorageCache<K extends Kind> {
  readonly #lister: Lister<K>;
  readonly #written = new Map<string, KindMap[K]>();

  constructor(lister: Lister<K>) {
    this.#lister = lister;
  }

  get(key: string): KindMap[K] | undefined {
    const stored = this.#lister.getByKey(key);
    const written = this.#written.get(key);
    if (written === undefined) return stored;
    if (stored !== undefined && versionOf(stored) < versionOf(written)) return written;
    this.#written.delete(key);
    return stored;
  }

  list(): Iterable<KindMap[K]> {
    return this.#latestOf(this.#lister.list());
  }

  /** Objects that the informer has under one value of an index; what was written since may not belong there. */
  byIndex(index: string, value: string): Iterable<KindMap[K]> {
    return this.#latestOf(this.#lister.byIndex(index, value));
  }

  /** Remembers what was written until the informer shows it. */
  note(object: KindMap[K]): void {
    this.#written.set(keyOf(object), object);
  }

  *#latestOf(objects: Iterable<KindMap[K]>): Generator<KindMap[K], undefined> {
    for (const object of objects) {
      const latest = this.#written.size === 0 ? object : this.get(keyOf(object));
      if (latest !== undefined) yield latest;
    }
  }
}

function versionOf({ metadata }: { readonly metadata: { readonly resourceVersion: string } }): number {
  return Number(metadata.resourceVersion);
}

/** Hears of a kind's objects and keeps them. */
export function watchStorage<K extends Kind>(
  context: ControllerContext,
  kind: K,
  handler: InformerHandler<K> = {},
  indexers?: Indexers<K>,
): StorageCache<K> {
  return new StorageCache(context.watch(kind, handler, indexers));
}

/** What the store keeps in two halves. */
type Half = 'spec' | 'status';

/**
 * Writes metadata and spec, or the status, of an object as it stands in `next`, unless it was changed meanwhile.
 *
 * @throws ApiError 409 if it was
 */
export function writeStorage<K extends 'PersistentVolume' | 'PersistentVolumeClaim'>(
  { api }: ControllerContext,
  kind: K,
  next: KindMap[K],
  half: Half,
): Promise<KindMap[K]> {
  const { name, namespace, resourceVersion } = next.metadata;
  return api.change(
    kind,
    { name, namespace },
    (current) => (half === 'status' ? { ...current, status: next.status } : { ...next, status: current.status }),
    { subresource: half === 'status' ? 'status' : undefined, preconditions: { resourceVersion } },
  );
}
