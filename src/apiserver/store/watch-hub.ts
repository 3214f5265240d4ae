/**
 * Live delivery of one kind's changes to its watches. A watch for one node's pods, one object, one name or one
 * namespace is found by a map lookup; only watches that are none of these are asked one by one. It
 * never delays and never drops: links do that.
 */
import { assert } from '../../kernel/assert.js';
import { keyOf, type Kind, type KindMap } from '../../api/objects/objects.js';
import type { WatchRoute, WatchSelection } from './selection.js';
import type { WatchEvent, WatchHandle } from './server-types.js';
import type { ChangeEvent } from './watch-log.js';

/** Reads the value under which watches of one node are found; undefined for kinds without one. */
export type NodeNameOf<K extends Kind> = ((object: KindMap[K]) => string) | undefined;

/** One open watch. */
export interface Subscriber<K extends Kind> {
  readonly selection: WatchSelection<K>;
  /** Changes up to this version are not told. */
  readonly afterVersion: number;
  readonly sink: (event: WatchEvent<K>) => void;
}

type Subscribers<K extends Kind> = ReadonlySet<Subscriber<K>>;

/** See the file header. */
export class WatchHub<K extends Kind> {
  readonly #nodeNameOf: NodeNameOf<K>;
  readonly #everywhere = new Set<Subscriber<K>>();
  readonly #byNamespace = new Map<string, Set<Subscriber<K>>>();
  readonly #byObject = new Map<string, Set<Subscriber<K>>>();
  readonly #byName = new Map<string, Set<Subscriber<K>>>();
  readonly #byNodeName = new Map<string, Set<Subscriber<K>>>();
  #isPublishing = false;

  constructor(nodeNameOf: NodeNameOf<K>) {
    this.#nodeNameOf = nodeNameOf;
  }

  /** Whether any watch is open. */
  get isHeard(): boolean {
    const { size } = this.#everywhere;
    return size + this.#byNamespace.size + this.#byObject.size + this.#byName.size + this.#byNodeName.size > 0;
  }

  /** Tells `subscriber` of every later change that concerns it, until it is closed. */
  subscribe(subscriber: Subscriber<K>): WatchHandle {
    const { route } = subscriber.selection;
    if (route.by === 'everywhere') {
      this.#everywhere.add(subscriber);
      return { close: () => void this.#everywhere.delete(subscriber) };
    }
    const routes = this.#routes(route.by);
    let found = routes.get(route.key);
    if (found === undefined) routes.set(route.key, (found = new Set()));
    found.add(subscriber);
    return { close: () => this.#leave(routes, route.key, subscriber) };
  }

  /** Tells every watch that the change concerns, in one fixed order. */
  publish(event: ChangeEvent<K>, previous: KindMap[K] | undefined): void {
    assert(!this.#isPublishing, `a watch sink wrote to the API server while ${event.kind} ${event.version} was told`);
    this.#isPublishing = true;
    try {
      const telling = new Telling(event, previous);
      const { namespace, name } = event.object.metadata;
      tellAll(this.#everywhere, telling);
      if (this.#byNamespace.size > 0 && namespace !== undefined) tellAll(this.#byNamespace.get(namespace), telling);
      if (this.#byObject.size > 0) tellAll(this.#byObject.get(keyOf(event.object)), telling);
      if (this.#byName.size > 0) tellAll(this.#byName.get(name), telling);
      if (this.#byNodeName.size > 0) this.#publishByNode(telling);
    } finally {
      this.#isPublishing = false;
    }
  }

  #publishByNode(telling: Telling<K>): void {
    const nodeNameOf = this.#nodeNameOf;
    if (nodeNameOf === undefined) return;
    const { event, previous } = telling;
    const nodeName = nodeNameOf(event.object);
    tellAll(this.#byNodeName.get(nodeName), telling);
    if (previous === undefined) return;
    const previousNodeName = nodeNameOf(previous);
    if (previousNodeName !== nodeName) tellAll(this.#byNodeName.get(previousNodeName), telling);
  }

  #leave(routes: Map<string, Set<Subscriber<K>>>, key: string, subscriber: Subscriber<K>): void {
    const found = routes.get(key);
    if (found?.delete(subscriber) === true && found.size === 0) routes.delete(key);
  }

  #routes(by: Exclude<WatchRoute['by'], 'everywhere'>): Map<string, Set<Subscriber<K>>> {
    switch (by) {
      case 'object':
        return this.#byObject;
      case 'namespace':
        return this.#byNamespace;
      case 'name':
        return this.#byName;
      case 'nodeName':
        return this.#byNodeName;
    }
  }
}

/** A change as seen through a selector: starting to match is ADDED, ceasing to match is DELETED. */
export class Telling<K extends Kind> {
  readonly event: ChangeEvent<K>;
  readonly previous: KindMap[K] | undefined;
  #added: ChangeEvent<K> | undefined;
  #deleted: ChangeEvent<K> | undefined;

  constructor(event: ChangeEvent<K>, previous: KindMap[K] | undefined) {
    this.event = event;
    this.previous = previous;
  }

  /** What a watch with that selection hears; undefined = nothing. */
  through({ matches }: WatchSelection<K>): ChangeEvent<K> | undefined {
    const { event, previous } = this;
    if (matches === undefined) return event;
    const didMatch = previous !== undefined && matches(previous);
    if (event.type === 'DELETED') return didMatch ? event : undefined;
    if (matches(event.object)) return didMatch || event.type === 'ADDED' ? event : this.#asAdded();
    return didMatch ? this.#asDeleted(previous) : undefined;
  }

  #asAdded(): ChangeEvent<K> {
    this.#added ??= { ...this.event, type: 'ADDED' };
    return this.#added;
  }

  /** The last state that matched, under the version of the change that ended it. */
  #asDeleted(previous: KindMap[K]): ChangeEvent<K> {
    const { resourceVersion } = this.event.object.metadata;
    this.#deleted ??= {
      ...this.event,
      type: 'DELETED',
      object: { ...previous, metadata: { ...previous.metadata, resourceVersion } },
    };
    return this.#deleted;
  }
}

function tellAll<K extends Kind>(subscribers: Subscribers<K> | undefined, telling: Telling<K>): void {
  if (subscribers === undefined) return;
  for (const subscriber of subscribers) {
    if (telling.event.version <= subscriber.afterVersion) continue;
    const heard = telling.through(subscriber.selection);
    if (heard !== undefined) subscriber.sink(heard);
  }
}
