/**
 * The history of one kind: a ring of its latest changes, from which watches resume and older states
 * are recomputed. Mirrors the apiserver's watch cache (staging/src/k8s.io/apiserver/pkg/storage/cacher),
 * except that the ring has one fixed capacity.
 */
import { keyOf, type Kind, type KindMap } from '../api/objects.js';
import { expired } from './api-errors.js';
import type { WatchEvent } from './server-types.js';

/** A change of an object, as it is logged and delivered. */
export type ChangeEvent<K extends Kind> = Extract<WatchEvent<K>, { readonly object: unknown }>;

/** See the file header. */
export class WatchLog<K extends Kind> {
  readonly #capacity: number;
  readonly #events: ChangeEvent<K>[] = [];
  readonly #previous: (KindMap[K] | undefined)[] = [];
  /** Where the oldest entry is, once the ring is full. */
  #start = 0;
  #lastVersion = 0;

  /** @param capacity - events kept, at least 1 */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Version of the latest change; 0 when there was none. */
  get lastVersion(): number {
    return this.#lastVersion;
  }

  /** @param previous - the object before the change; absent for ADDED */
  append(event: ChangeEvent<K>, previous: KindMap[K] | undefined): void {
    this.#lastVersion = event.version;
    if (this.#events.length < this.#capacity) {
      this.#events.push(event);
      this.#previous.push(previous);
      return;
    }
    this.#events[this.#start] = event;
    this.#previous[this.#start] = previous;
    this.#start = (this.#start + 1) % this.#capacity;
  }

  /** Whether everything that happened after `version` is still known. */
  reaches(version: number): boolean {
    return version >= this.#floor();
  }

  /**
   * Tells of the changes after `version`, oldest first.
   *
   * @throws ApiError 410 `too old resource version: 5 (17)` when some of them are gone
   */
  replayAfter(version: number, tell: (event: ChangeEvent<K>, previous: KindMap[K] | undefined) => void): void {
    if (!this.reaches(version)) throw expired(`too old resource version: ${version} (${this.#floor()})`);
    for (let index = this.#indexAfter(version); index < this.#events.length; index += 1) {
      const at = this.#slot(index);
      const event = this.#events[at];
      if (event !== undefined) tell(event, this.#previous[at]);
    }
  }

  /** Turns the present objects (by key) into those of `version`, which must be within reach. */
  rewind(version: number, objects: Map<string, KindMap[K]>): void {
    const end = this.#indexAfter(version);
    for (let index = this.#events.length - 1; index >= end; index -= 1) {
      const at = this.#slot(index);
      const event = this.#events[at];
      if (event === undefined) continue;
      const previous = this.#previous[at];
      if (previous === undefined) objects.delete(keyOf(event.object));
      else objects.set(keyOf(previous), previous);
    }
  }

  /** The smallest version from which a watch may resume: that before the oldest event that is kept. */
  #floor(): number {
    if (this.#events.length < this.#capacity) return 0;
    const oldest = this.#events[this.#start];
    return oldest === undefined ? 0 : oldest.version - 1;
  }

  /** Position (0 = oldest) of the first event after `version`; versions rise, so halving finds it. */
  #indexAfter(version: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const event = this.#events[this.#slot(middle)];
      if (event !== undefined && event.version <= version) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #slot(index: number): number {
    return (this.#start + index) % this.#events.length;
  }
}
