/**
 * Requests over a wire: each is applied to the API server when it arrives there, and its answer, if
 * anyone wants it, travels back. Refusals (ApiError) are answers; any other error is a bug of the
 * program and stops the run. Retrying is the caller's affair. Mirrors client-go's typed clients.
 */
import { ApiError } from '../api/api-error.js';
import type { Draft, Kind, KindMap, ObjectName } from '../api/objects.js';
import type {
  ApiServer,
  Binding,
  Change,
  DeleteOptions,
  Eviction,
  ListOptions,
  ObjectList,
  Patch,
  Preconditions,
  Selection,
  Subresource,
} from '../apiserver/server-types.js';
import { LinkDownError, type AnswerOf, type Client, type Link, type PromisedClient } from './bus-types.js';
import type { RequestFate, RequestTraits } from './disturbance.js';
import { createPromisedClient } from './promised-client.js';
import { REQUEST_TIMEOUT_MS, type TimedMessage, type Wire } from './wire.js';

/** One request, and then its own answer. */
class Request<T> implements TimedMessage {
  dueMs = 0;
  readonly sentMs: number;
  readonly #wire: Wire;
  readonly #apply: (server: ApiServer) => T;
  readonly #answer: AnswerOf<T> | undefined;
  readonly #fate: RequestFate | undefined;
  #error: ApiError | undefined;
  #value: T | undefined;

  constructor(
    wire: Wire,
    fate: RequestFate | undefined,
    apply: (server: ApiServer) => T,
    answer: AnswerOf<T> | undefined,
  ) {
    this.sentMs = wire.clock.now();
    this.#wire = wire;
    this.#fate = fate;
    this.#apply = apply;
    this.#answer = answer;
  }

  arrive(): void {
    if (this.#fate === 'lost') return this.lose();
    if (this.#fate instanceof ApiError) {
      this.#error = this.#fate;
      return this.#reply();
    }
    const { server, link } = this.#wire;
    server.writer = link.party;
    try {
      this.#value = this.#apply(server);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#error = error;
    } finally {
      server.writer = undefined;
    }
    if (this.#fate === 'unanswered') this.lose();
    else this.#reply();
  }

  deliver(): void {
    this.#answer?.(this.#error, this.#value);
  }

  lose(): void {
    if (this.#answer !== undefined) this.#wire.timeOut(this);
  }

  #reply(): void {
    if (this.#answer !== undefined) this.#wire.sendBack(this);
  }

  fail(): void {
    const { party } = this.#wire.link;
    this.#answer?.(new LinkDownError(`a request of ${party} got no answer within ${REQUEST_TIMEOUT_MS} ms`), undefined);
  }
}

/** Options of a change. */
export type ChangeOptions = {
  readonly subresource?: Subresource | undefined;
  readonly preconditions?: Preconditions | undefined;
};

/** See the file header. */
export class WireClient implements Client {
  readonly #wire: Wire;
  #promised: PromisedClient | undefined;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  get link(): Link {
    return this.#wire.link;
  }

  get promised(): PromisedClient {
    this.#promised ??= createPromisedClient(this, this.#wire.clock);
    return this.#promised;
  }

  create<K extends Kind>(kind: K, draft: Draft, answer?: AnswerOf<KindMap[K]>): void {
    this.#send({ verb: 'create', kind, name: draft.metadata?.name }, (server) => server.create(kind, draft), answer);
  }

  get<K extends Kind>(kind: K, name: ObjectName, answer: AnswerOf<KindMap[K]>): void {
    this.#send({ verb: 'get', kind, name: name.name }, (server) => server.get(kind, name), answer);
  }

  list<K extends Kind>(kind: K, options: ListOptions, answer: AnswerOf<ObjectList<K>>): void {
    this.#send({ verb: 'list', kind, name: undefined }, (server) => server.list(kind, options), answer);
  }

  update<K extends Kind>(kind: K, draft: Draft, subresource?: Subresource, answer?: AnswerOf<KindMap[K]>): void {
    this.#send(
      { verb: 'update', kind, name: draft.metadata?.name },
      (server) => server.update(kind, draft, subresource),
      answer,
    );
  }

  patch<K extends Kind>(
    kind: K,
    name: ObjectName,
    patch: Patch,
    subresource?: Subresource,
    answer?: AnswerOf<KindMap[K]>,
  ): void {
    this.#send(
      { verb: 'patch', kind, name: name.name },
      (server) => server.patch(kind, name, patch, subresource),
      answer,
    );
  }

  change<K extends Kind>(
    kind: K,
    name: ObjectName,
    change: Change<K>,
    options?: ChangeOptions,
    answer?: AnswerOf<KindMap[K]>,
  ): void {
    this.#send(
      { verb: 'patch', kind, name: name.name },
      (server) => server.change(kind, name, change, options),
      answer,
    );
  }

  delete<K extends Kind>(kind: K, name: ObjectName, options?: DeleteOptions, answer?: AnswerOf<KindMap[K]>): void {
    this.#send({ verb: 'delete', kind, name: name.name }, (server) => server.delete(kind, name, options), answer);
  }

  deleteCollection<K extends Kind>(
    kind: K,
    selection: Selection,
    options?: DeleteOptions,
    answer?: AnswerOf<readonly KindMap[K][]>,
  ): void {
    this.#send(
      { verb: 'deletecollection', kind, name: undefined },
      (server) => server.deleteCollection(kind, selection, options),
      answer,
    );
  }

  bind(binding: Binding, answer?: AnswerOf<KindMap['Pod']>): void {
    this.#send({ verb: 'create', kind: 'Pod', name: binding.metadata.name }, (server) => server.bind(binding), answer);
  }

  evict(eviction: Eviction, answer?: AnswerOf<void>): void {
    this.#send(
      { verb: 'create', kind: 'Pod', name: eviction.metadata.name },
      (server) => server.evict(eviction),
      answer,
    );
  }

  finalizeNamespace(name: string, answer?: AnswerOf<void>): void {
    this.#send({ verb: 'update', kind: 'Namespace', name }, (server) => server.finalizeNamespace(name), answer);
  }

  #send<T>(
    { verb, kind, name }: RequestTraits,
    apply: (server: ApiServer) => T,
    answer: AnswerOf<T> | undefined,
  ): void {
    const fate = this.#wire.link.fateOf(verb, kind, name);
    this.#wire.send(new Request(this.#wire, fate, apply, answer));
  }
}
