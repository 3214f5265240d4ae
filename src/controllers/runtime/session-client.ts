import type { GroupKind } from '../../api/kinds/group-kind.js';
import type { Draft, Kind, KindMap, ObjectName } from '../../api/objects/objects.js';
import type { RecordedEvent } from '../../api/objects/recorded-event.js';
import type {
  ListOptions,
  ObjectList,
  Patch,
  Selection,
  DeleteOptions,
  Eviction,
  Binding,
  Change,
  Preconditions,
  Scale,
  Subresource,
} from '../../apiserver/store/server-types.js';
import type {
  AnswerOf,
  BesideSubject,
  ChangeOptions,
  Client,
  Link,
  PromisedClient,
  SendingClient,
} from '../../bus/bus-types.js';
import { createPromisedClient } from '../../bus/promised-client.js';
import type { Clock } from '../../kernel/engine/clock.js';
import type { Strands } from '../../kernel/engine/strands.js';

/**
 * A client that dies with its owner: once closed it sends nothing, and answers that arrive later are
 * not delivered, so that code waiting for one simply never goes on.
 */
export class SessionClient implements Client {
  readonly promised: PromisedClient;
  readonly #client: SendingClient;
  readonly #onWrite: () => void;
  readonly #strands: Strands | undefined;
  #isClosed = false;

  /**
   * @param client - of this session alone
   * @param onWrite - called right after each request that may change something was given to the client
   * @param strands - the code that sends the requests: a strand waits for each answer
   */
  constructor(client: SendingClient, clock: Clock, onWrite: () => void, strands: Strands | undefined) {
    this.#client = client;
    this.#onWrite = onWrite;
    this.#strands = strands;
    this.promised = createPromisedClient(this, clock);
  }

  get link(): Link {
    return this.#client.link;
  }

  /** Ends the session. */
  close(): void {
    this.#isClosed = true;
    this.#client.forget();
  }

  create<K extends Kind>(kind: K, draft: Draft, answer?: AnswerOf<KindMap[K]>): void {
    if (this.#isClosed) return;
    this.#client.create(kind, draft, this.#guard(answer));
    this.#onWrite();
  }

  record(event: RecordedEvent): void {
    if (this.#isClosed) return;
    this.#client.record(event);
    this.#onWrite();
  }

  get<K extends Kind>(kind: K, name: ObjectName, answer: AnswerOf<KindMap[K]>): void {
    if (!this.#isClosed) this.#client.get(kind, name, this.#guardSure(answer));
  }

  list<K extends Kind>(kind: K, options: ListOptions, answer: AnswerOf<ObjectList<K>>): void {
    if (!this.#isClosed) this.#client.list(kind, options, this.#guardSure(answer));
  }

  update<K extends Kind>(kind: K, draft: Draft, subresource?: Subresource, answer?: AnswerOf<KindMap[K]>): void {
    if (this.#isClosed) return;
    this.#client.update(kind, draft, subresource, this.#guard(answer));
    this.#onWrite();
  }

  patch<K extends Kind>(
    kind: K,
    name: ObjectName,
    patch: Patch,
    subresource?: Subresource,
    answer?: AnswerOf<KindMap[K]>,
  ): void {
    if (this.#isClosed) return;
    this.#client.patch(kind, name, patch, subresource, this.#guard(answer));
    this.#onWrite();
  }

  change<K extends Kind>(
    kind: K,
    name: ObjectName,
    change: Change<K>,
    options?: ChangeOptions,
    answer?: AnswerOf<KindMap[K]>,
  ): void {
    if (this.#isClosed) return;
    this.#client.change(kind, name, change, options, this.#guard(answer));
    this.#onWrite();
  }

  delete<K extends Kind>(kind: K, name: ObjectName, options?: DeleteOptions, answer?: AnswerOf<KindMap[K]>): void {
    if (this.#isClosed) return;
    this.#client.delete(kind, name, options, this.#guard(answer));
    this.#onWrite();
  }

  deleteCollection<K extends Kind>(
    kind: K,
    selection: Selection,
    options?: DeleteOptions,
    answer?: AnswerOf<readonly KindMap[K][]>,
  ): void {
    if (this.#isClosed) return;
    this.#client.deleteCollection(kind, selection, options, this.#guard(answer));
    this.#onWrite();
  }

  bind(binding: Binding, answer?: AnswerOf<KindMap['Pod']>): void {
    if (this.#isClosed) return;
    this.#client.bind(binding, this.#guard(answer));
    this.#onWrite();
  }

  evict(eviction: Eviction, answer?: AnswerOf<void>): void {
    if (this.#isClosed) return;
    this.#client.evict(eviction, this.#guard(answer));
    this.#onWrite();
  }

  finalizeNamespace(name: string, answer?: AnswerOf<void>): void {
    if (this.#isClosed) return;
    this.#client.finalizeNamespace(name, this.#guard(answer));
    this.#onWrite();
  }

  getScale(target: GroupKind, name: ObjectName, answer: AnswerOf<Scale>): void {
    if (!this.#isClosed) this.#client.getScale(target, name, this.#guardSure(answer));
  }

  setScale(
    target: GroupKind,
    name: ObjectName,
    replicas: number,
    preconditions: Preconditions | undefined,
    answer: AnswerOf<Scale>,
  ): void {
    if (this.#isClosed) return;
    this.#client.setScale(target, name, replicas, preconditions, this.#guardSure(answer));
    this.#onWrite();
  }

  readBeside<T>(subject: BesideSubject, read: () => T, answer: AnswerOf<T>): void {
    if (!this.#isClosed) this.#client.readBeside(subject, read, this.#guardSure(answer));
  }

  #guard<T>(answer: AnswerOf<T> | undefined): AnswerOf<T> | undefined {
    return answer === undefined ? undefined : this.#guardSure(answer);
  }

  #guardSure<T>(answer: AnswerOf<T>): AnswerOf<T> {
    const wait = this.#strands?.wait();
    if (wait === undefined) {
      return (error, value) => {
        if (!this.#isClosed) answer(error, value);
      };
    }
    return (error, value) => wait.over(() => (this.#isClosed ? undefined : answer(error, value)));
  }
}
