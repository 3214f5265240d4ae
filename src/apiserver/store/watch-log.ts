/**
 * The history of one kind: a ring of its latest changes, from which watches resume and older states
 * are recomputed. Mirrors the apiserver's watch cache (staging/src/k8s.io/apiserver/pkg/storage/cacher),
 * except that the ring has one fixed capacity.
 */
import { keyOf, type Kind, type KindMap } from '../../api/objects/objects.js';
import { expired } from './api-errors.js';
import { KeptChange } from './kept-event.js';
import { NodeEvents } from './node-events.js';
import type { WatchEvent } from './server-types.js';

/** A change of an object, as it is logged and delivered. */
export type ChangeEvent<K extends Kind> = Extract<WatchEvent<K>, { readonly object: unknown }>;

/** See the file header. */
export class WatchLog<K extends Kind> {
  readonly #capacity: number;
  #events: ChangeEvent<K>[] = [];
  #previous: (KindMap[K] | undefined)[] = [];
  /** Nothing is known of changes up to this version. */
  #forgottenVersion = 0;
  /** Where the oldest entry is, once the ring is full. */
  #start = 0;
  #lastVersion = 0;
  /** Changes logged so far. */
  #logged = 0;
  readonly #nodeNameOf: ((object: KindMap[K]) => string) | undefined;
  /** Made by the first request for the changes of a node, and given up once a whole history went by without one. */
  #byNode: NodeEvents<K> | undefined;
  /** Changes that were logged when the changes of a node were asked for last. */
  #loggedWhenAsked = 0;

  /**
   * @param capacity - events kept, at least 1
   * @param nodeNameOf - for kinds of objects that are bound to nodes
   */
  constructor(capacity: number, nodeNameOf?: (object: KindMap[K]) => string) {
    this.#capacity = capacity;
    this.#nodeNameOf = nodeNameOf;
  }

  /** Version of the latest change; 0 when there was none. */
  get lastVersion(): number {
    return this.#lastVersion;
  }

  /** @param previous - the object before the change; absent for ADDED */
  append(event: ChangeEvent<K>, previous: KindMap[K] | undefined): void {
    this.#lastVersion = event.version;
    if (this.#byNode !== undefined) {
      if (this.#logged - this.#loggedWhenAsked > this.#capacity) this.#byNode = undefined;
      else this.#byNode.add(this.#logged, event.object, previous);
    }
    this.#logged += 1;
    if (this.#events.length < this.#capacity) {
      this.#events.push(event);
      this.#previous.push(previous);
      return;
    }
    const oldest = this.#events[this.#start];
    if (oldest !== undefined) this.#byNode?.dropOldest(oldest.object, this.#previous[this.#start]);
    this.#events[this.#start] = event;
    this.#previous[this.#start] = previous;
    this.#start = (this.#start + 1) % this.#capacity;
  }

  /** Forgets all changes up to a version, which is not older than the latest. */
  forget(version: number): void {
    this.#events = [];
    this.#previous = [];
    this.#start = 0;
    this.#logged = 0;
    this.#loggedWhenAsked = 0;
    this.#byNode?.clear();
    this.#forgottenVersion = version;
  }

  /** Version of the newest change that was made by then, or the oldest version that is known. */
  versionAt(ms: number): number {
    const index = this.#firstIndex(({ atMs }) => atMs > ms);
    const event = index === 0 ? undefined : this.#events[this.#slot(index - 1)];
    return event?.version ?? this.#floor();
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
      if (event !== undefined)
        tell(event instanceof KeptChange ? (event.told as ChangeEvent<K>) : event, this.#previousAt(at));
    }
  }

  /**
   * {@link replayAfter} for the objects of one node; `false` when this log does not know where objects are.
   *
   * @throws ApiError 410, as there
   */
  replayNodeAfter(
    version: number,
    node: string,
    tell: (event: ChangeEvent<K>, previous: KindMap[K] | undefined) => void,
  ): boolean {
    if (this.#nodeNameOf === undefined || node === '') return false;
    if (!this.reaches(version)) throw expired(`too old resource version: ${version} (${this.#floor()})`);
    this.#loggedWhenAsked = this.#logged;
    this.#byNode ??= this.#indexByNode(this.#nodeNameOf);
    for (const number of this.#byNode.of(node)) {
      const at = number % this.#capacity;
      const event = this.#events[at];
      if (event !== undefined && event.version > version) tell(event, this.#previous[at]);
    }
    return true;
  }

  #indexByNode(nodeNameOf: (object: KindMap[K]) => string): NodeEvents<K> {
    const byNode = new NodeEvents(nodeNameOf);
    const first = this.#logged - this.#events.length;
    for (let index = 0; index < this.#events.length; index += 1) {
      const at = this.#slot(index);
      const event = this.#events[at];
      if (event !== undefined) byNode.add(first + index, event.object, this.#previous[at]);
    }
    return byNode;
  }

  /** Turns the present objects (by key) into those of `version`, which must be within reach. */
  rewind(version: number, objects: Map<string, KindMap[K]>): void {
    const end = this.#indexAfter(version);
    for (let index = this.#events.length - 1; index >= end; index -= 1) {
      const at = this.#slot(index);
      const event = this.#events[at];
      if (event === undefined) continue;
      const previous = this.#previousAt(at);
      if (previous === undefined) objects.delete(keyOf(event.object));
      else objects.set(keyOf(previous), previous);
    }
  }

  /** The object before the change in that slot; a record that was dropped is made for it. */
  #previousAt(at: number): KindMap[K] | undefined {
    const event = this.#events[at];
    return event instanceof KeptChange ? (event.previous as KindMap[K] | undefined) : this.#previous[at];
  }

  /** The smallest version from which a watch may resume: that before the oldest event that is kept. */
  #floor(): number {
    if (this.#events.length < this.#capacity) return this.#forgottenVersion;
    const oldest = this.#events[this.#start];
    return oldest === undefined ? 0 : oldest.version - 1;
  }

  /** Position (0 = oldest) of the first event after `version`. */
  #indexAfter(version: number): number {
    return this.#firstIndex((event) => event.version > version);
  }

  /** Position of the first event that is late; versions and times rise, so halving finds it. */
  #firstIndex(isLate: (event: ChangeEvent<K>) => boolean): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const event = this.#events[this.#slot(middle)];
      if (event !== undefined && !isLate(event)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #slot(index: number): number {
    return (this.#start + index) % this.#events.length;
  }
}
