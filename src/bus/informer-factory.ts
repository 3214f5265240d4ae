import type { Kind, KindMap } from '../api/objects/objects.js';
import type { CacheReading, Indexers, Informer, InformerFactory } from './bus-types.js';
import { WireInformer } from './informer.js';
import type { Wire } from './wire.js';

/** Shared informers over one wire; mirrors client-go's SharedInformerFactory. */
export class WireInformerFactory implements InformerFactory {
  readonly #wire: Wire;
  readonly #informers = new Map<Kind, { [K in Kind]: WireInformer<K> }[Kind]>();

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  informer<K extends Kind>(kind: K, indexers?: Indexers<K>): Informer<K> {
    const known = this.#informers.get(kind) as WireInformer<K> | undefined;
    if (known === undefined) {
      const informer = new WireInformer(this.#wire, kind, {}, indexers);
      this.#informers.set(kind, informer as unknown as WireInformer<keyof KindMap & 'Pod'>);
      return informer;
    }
    if (indexers !== undefined) known.addIndexers(indexers);
    return known;
  }

  /** What each cache shows. */
  get readings(): readonly CacheReading[] {
    return [...this.#informers.values()].map(({ reading }) => reading);
  }

  start(): void {
    for (const informer of this.#informers.values()) informer.start();
  }

  stop(): void {
    for (const informer of this.#informers.values()) informer.stop();
  }

  whenSynced(task: () => void): void {
    const unsynced = [...this.#informers.values()].filter(({ hasSynced }) => !hasSynced);
    let missing = unsynced.length;
    if (missing === 0) return task();
    for (const informer of unsynced) {
      informer.whenSynced(() => {
        missing -= 1;
        if (missing === 0) task();
      });
    }
  }
}
