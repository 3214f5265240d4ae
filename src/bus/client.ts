/**
 * Requests over a wire: each goes out once the client's limit lets it, is applied to the API server when it arrives
 * there, and its answer, if there is a callback for it, travels back. Refusals (ApiError) are answers; any other
 * error is a bug of the program and stops the run. Retrying is left to the caller. Mirrors client-go's typed clients.
 */
import { ApiError } from '../api/errors/api-error.js';
import type { GroupKind } from '../api/kinds/group-kind.js';
import type { Draft, Kind, KindMap, ObjectName } from '../api/objects/objects.js';
import type { RecordedEvent } from '../api/objects/recorded-event.js';
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
  Scale,
  Selection,
  Subresource,
} from '../apiserver/store/server-types.js';
import { componentUser } from '../apiserver/admission/chain/component-user.js';
import { scalableKind } from '../apiserver/requests/scale.js';
import { AdmissionPending, RequestAttempts } from '../apiserver/store/request-context.js';
import {
  LinkDownError,
  type AnswerOf,
  type BesideSubject,
  type ChangeOptions,
  type Client,
  type Link,
  type PromisedClient,
  type SendingClient,
} from './bus-types.js';
import type { RequestFate, RequestVerb } from './disturbance.js';
import { createPromisedClient } from './promised-client.js';
import { TurnQueue, type Gate, type Throttled } from './throttle.js';
import { REQUEST_TIMEOUT_MS, type TimedMessage, type Wire } from './wire.js';

const OK = 200;
const CREATED = 201;

/** One request that waits for its token, travels, and then is its own answer. */
class Request<S, T> implements TimedMessage, Throttled {
  dueMs = 0;
  sentMs = 0;
  readonly #wire: Wire;
  readonly #verb: RequestVerb;
  readonly #kind: Kind;
  readonly #name: string | undefined;
  readonly #apply: (server: ApiServer, subject: S) => T;
  readonly #subject: S;
  readonly #answer: AnswerOf<T> | undefined;
  /** The namespace of a collection, the subresource of an object. */
  readonly #part: string | undefined;
  readonly #askedMs: number;
  #fate: RequestFate | undefined;
  #error: ApiError | undefined;
  /** Of a request that admission has wait. */
  #attempts: RequestAttempts | undefined;
  #value: T | undefined;

  constructor(
    wire: Wire,
    verb: RequestVerb,
    kind: Kind,
    name: string | undefined,
    apply: (server: ApiServer, subject: S) => T,
    subject: S,
    answer: AnswerOf<T> | undefined,
    readonly tokens = 1,
    part?: string,
  ) {
    this.#wire = wire;
    this.#verb = verb;
    this.#kind = kind;
    this.#name = name;
    this.#apply = apply;
    this.#subject = subject;
    this.#answer = answer;
    this.#part = part;
    this.#askedMs = wire.clock.now();
  }

  /** The time in which an answer must come begins when the request goes out. */
  go(): void {
    const wire = this.#wire;
    this.sentMs = wire.clock.now();
    this.#fate = wire.link.fateOf(this.#verb, this.#kind, this.#name);
    wire.send(this);
  }

  arrive(): void {
    if (this.#fate === 'lost') return this.lose();
    if (this.#fate instanceof ApiError) {
      this.#error = this.#fate;
      return this.#reply();
    }
    if (this.#isApplied()) this.#goBack();
  }

  /** Whether it is decided: a plugin of admission may have it wait, and then it is applied anew. */
  #isApplied(): boolean {
    const { server, link } = this.#wire;
    try {
      server.as(link.party, applied, this);
    } catch (error) {
      if (error instanceof AdmissionPending) {
        if (this.#attempts === undefined) {
          this.#attempts = new RequestAttempts();
          return this.#isApplied();
        }
        void error.settled.then(() => (this.#isApplied() ? this.#goBack() : undefined));
        return false;
      }
      if (!(error instanceof ApiError)) throw error;
      this.#error = error;
    }
    return true;
  }

  #goBack(): void {
    const fate = this.#fate;
    if (fate === undefined || fate === 'lost' || fate instanceof ApiError) return this.#reply();
    this.lose();
    if (fate !== 'unanswered') fate.onArrival();
  }

  /** What it asks for, at the API server's end. */
  apply(): void {
    const { server, link } = this.#wire;
    if (this.#attempts === undefined) {
      this.#value = this.#apply(server, this.#subject);
      return;
    }
    this.#attempts.begin();
    server.request = { user: componentUser(link.party), isDryRun: false, warn: ignored, attempts: this.#attempts };
    try {
      this.#value = this.#apply(server, this.#subject);
    } finally {
      server.request = undefined;
    }
  }

  deliver(): void {
    if (this.#error !== undefined) this.#wire.link.failedRequests += 1;
    this.#tell(this.#code);
    this.#answer?.(this.#error, this.#value);
  }

  lose(): void {
    if (this.#answer !== undefined) this.#wire.timeOut(this);
    else this.#tell(0);
  }

  #reply(): void {
    if (this.#answer !== undefined) this.#wire.sendBack(this);
    else this.#tell(this.#code);
  }

  fail(): void {
    const { link } = this.#wire;
    const { party } = link;
    link.failedRequests += 1;
    this.#tell(0);
    this.#answer?.(new LinkDownError(`a request of ${party} got no answer within ${REQUEST_TIMEOUT_MS} ms`), undefined);
  }

  get #code(): number {
    if (this.#error !== undefined) return this.#error.code;
    return this.#verb === 'create' ? CREATED : OK;
  }

  /** Tells those that listen to requests; scopes are as the API server's own metrics have them. */
  #tell(code: number): void {
    const { clock, link } = this.#wire;
    if (!link.requests.isListening) return;
    const atMs = clock.now();
    const isCollection = this.#verb === 'list' || this.#verb === 'deletecollection';
    const ofCollection = this.#part === undefined ? 'cluster' : 'namespace';
    link.requests.tell({
      atMs,
      party: link.party,
      verb: this.#verb,
      kind: this.#kind,
      scope: isCollection ? ofCollection : 'resource',
      subresource: isCollection ? undefined : this.#part,
      waitedMs: this.sentMs - this.#askedMs,
      tookMs: this.#answer === undefined ? undefined : atMs - this.sentMs,
      code,
    });
  }
}

/** Components heed no warnings. */
const ignored = (): void => undefined;
const applied = (request: { apply(): void }): void => request.apply();

/** Bindings are many, and many are under way at a time. */
const bind = (server: ApiServer, binding: Binding): KindMap['Pod'] => server.bind(binding);

/** And records are more than all other requests together. */
const record = (server: ApiServer, event: RecordedEvent): void => server.record(event);

/** See the file header. */
export class WireClient implements SendingClient {
  readonly #wire: Wire;
  readonly #gate: Gate;
  #turns: TurnQueue | undefined;
  #promised: PromisedClient | undefined;

  /** @param gate - where its requests wait; others may wait there, too */
  constructor(wire: Wire, gate: Gate) {
    this.#wire = wire;
    this.#gate = gate;
  }

  get link(): Link {
    return this.#wire.link;
  }

  get promised(): PromisedClient {
    this.#promised ??= createPromisedClient(this, this.#wire.clock);
    return this.#promised;
  }

  create<K extends Kind>(kind: K, draft: Draft, answer?: AnswerOf<KindMap[K]>): void {
    this.#send('create', kind, draft.metadata?.name, (server) => server.create(kind, draft), answer);
  }

  record(event: RecordedEvent): void {
    this.#gate.pass(new Request(this.#wire, 'create', 'Event', event.name, record, event, undefined));
  }

  get<K extends Kind>(kind: K, name: ObjectName, answer: AnswerOf<KindMap[K]>): void {
    this.#send('get', kind, name.name, (server) => server.get(kind, name), answer);
  }

  list<K extends Kind>(kind: K, options: ListOptions, answer: AnswerOf<ObjectList<K>>): void {
    this.#send('list', kind, undefined, (server) => server.list(kind, options), answer, 1, options.namespace);
  }

  update<K extends Kind>(kind: K, draft: Draft, subresource?: Subresource, answer?: AnswerOf<KindMap[K]>): void {
    const { name } = draft.metadata ?? {};
    this.#send('update', kind, name, (server) => server.update(kind, draft, subresource), answer, 1, subresource);
  }

  patch<K extends Kind>(
    kind: K,
    name: ObjectName,
    patch: Patch,
    subresource?: Subresource,
    answer?: AnswerOf<KindMap[K]>,
  ): void {
    this.#send(
      'patch',
      kind,
      name.name,
      (server) => server.patch(kind, name, patch, subresource),
      answer,
      1,
      subresource,
    );
  }

  change<K extends Kind>(
    kind: K,
    name: ObjectName,
    change: Change<K>,
    options?: ChangeOptions,
    answer?: AnswerOf<KindMap[K]>,
  ): void {
    const tokens = options?.isReadFirst === true ? 2 : 1;
    const apply = (server: ApiServer): KindMap[K] => server.change(kind, name, change, options);
    this.#send('patch', kind, name.name, apply, answer, tokens, options?.subresource);
  }

  delete<K extends Kind>(kind: K, name: ObjectName, options?: DeleteOptions, answer?: AnswerOf<KindMap[K]>): void {
    this.#send('delete', kind, name.name, (server) => server.delete(kind, name, options), answer);
  }

  deleteCollection<K extends Kind>(
    kind: K,
    selection: Selection,
    options?: DeleteOptions,
    answer?: AnswerOf<readonly KindMap[K][]>,
  ): void {
    this.#send(
      'deletecollection',
      kind,
      undefined,
      (server) => server.deleteCollection(kind, selection, options),
      answer,
      1,
      selection.namespace,
    );
  }

  bind(binding: Binding, answer?: AnswerOf<KindMap['Pod']>): void {
    const { name } = binding.metadata;
    this.#gate.pass(new Request(this.#wire, 'create', 'Pod', name, bind, binding, answer, 1, 'binding'));
  }

  evict(eviction: Eviction, answer?: AnswerOf<void>): void {
    const { name } = eviction.metadata;
    this.#send('create', 'Pod', name, (server) => server.evict(eviction), answer, 1, 'eviction');
  }

  finalizeNamespace(name: string, answer?: AnswerOf<void>): void {
    this.#send('update', 'Namespace', name, (server) => server.finalizeNamespace(name), answer, 1, 'finalize');
  }

  getScale(target: GroupKind, name: ObjectName, answer: AnswerOf<Scale>): void {
    const apply = (server: ApiServer): Scale => server.getScale(scalableKind(target, server.customKinds), name);
    this.#send('get', target.kind as Kind, name.name, apply, answer, 1, 'scale');
  }

  setScale(
    target: GroupKind,
    name: ObjectName,
    replicas: number,
    preconditions: Preconditions | undefined,
    answer: AnswerOf<Scale>,
  ): void {
    const apply = (server: ApiServer): Scale =>
      server.setScale(scalableKind(target, server.customKinds), name, replicas, preconditions);
    this.#send('update', target.kind as Kind, name.name, apply, answer, 1, 'scale');
  }

  readBeside<T>({ kind, namespace, name }: BesideSubject, read: () => T, answer: AnswerOf<T>): void {
    const verb = name === undefined ? 'list' : 'get';
    this.#send(verb, kind as Kind, name, read, answer, 1, name === undefined ? namespace : undefined);
  }

  get inTurn(): Client {
    this.#turns ??= new TurnQueue(this.#gate);
    return new WireClient(this.#wire, this.#turns);
  }

  whenOut(then: () => void): void {
    this.#gate.pass({ dueMs: 0, tokens: 0, go: then });
  }

  forget(): void {
    this.#turns?.forget();
    this.#gate.forget();
  }

  #send<T>(
    verb: RequestVerb,
    kind: Kind,
    name: string | undefined,
    apply: (server: ApiServer) => T,
    answer: AnswerOf<T> | undefined,
    tokens?: number,
    part?: string,
  ): void {
    this.#gate.pass(new Request(this.#wire, verb, kind, name, apply, undefined, answer, tokens, part));
  }
}
