/**
 * Live delivery of one kind's changes to its watches. A watch for one node's pods, one name or one
 * namespace is found by a map lookup; only watches that are none of these are asked one by one. It
 * never delays and never drops: links do that.
 */
import { assert } from '../kernel/assert.js';
import type { Kind, KindMap } from '../api/objects.js';
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

type Subscribers<K extends Kind> = readonly Subscriber<K>[];

/** See the file header. */
export class WatchHub<K extends Kind> {
  readonly #nodeNameOf: NodeNameOf<K>;
  #everywhere: Subscribers<K> = [];
  readonly #byNamespace = new Map<string, Subscribers<K>>();
  readonly #byName = new Map<string, Subscribers<K>>();
  readonly #byNodeName = new Map<string, Subscribers<K>>();
  #isPublishing = false;

  constructor(nodeNameOf: NodeNameOf<K>) {
    this.#nodeNameOf = nodeNameOf;
  }

  /** Tells `subscriber` of every later change that concerns it, until it is closed. */
  subscribe(subscriber: Subscriber<K>): WatchHandle {
    this.#change(subscriber.selection.route, (subscribers) => [...subscribers, subscriber]);
    return {
      close: () => {
        this.#change(subscriber.selection.route, (subscribers) => subscribers.filter((each) => each !== subscriber));
      },
    };
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

  #change(route: WatchRoute, edit: (subscribers: Subscribers<K>) => Subscribers<K>): void {
    if (route.by === 'everywhere') {
      this.#everywhere = edit(this.#everywhere);
      return;
    }
    const routes = this.#routes(route.by);
    const subscribers = edit(routes.get(route.key) ?? []);
    if (subscribers.length === 0) routes.delete(route.key);
    else routes.set(route.key, subscribers);
  }

  #routes(by: 'namespace' | 'name' | 'nodeName'): Map<string, Subscribers<K>> {
    switch (by) {
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
