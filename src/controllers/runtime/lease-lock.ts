import type { Subscription } from 'rxjs';
import type { Lease } from '../../api/objects/objects.js';
import { LinkDownError, type AnswerOf, type Client } from '../../bus/bus-types.js';
import type { Clock, Timer } from '../../kernel/engine/clock.js';

/** Namespace of the leases of the control plane. */
export const LOCK_NAMESPACE = 'kube-system';

/** What a lease says of its holder. */
export type LeaseRecord = NonNullable<Lease['spec']>;

/**
 * A lease as a lock: one request at a time, each given up after a while, and updates only of the version
 * that was seen last. What a cut link swallowed is sent again when the link heals, as TCP does. Mirrors client-go v1.34 tools/leaderelection/resourcelock LeaseLock.
 */
export class LeaseLock {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #timeoutMs: number;
  #lease: Lease | undefined;
  #timer: Timer | undefined;
  #link: Subscription | undefined;
  /** Number of the latest request: answers to earlier ones are dropped. */
  #request = 0;

  /** @param timeoutMs - after which a request without an answer has failed */
  constructor(client: Client, clock: Clock, name: string, timeoutMs: number) {
    this.#client = client;
    this.#clock = clock;
    this.#name = name;
    this.#timeoutMs = timeoutMs;
  }

  /** The lease as it was last read or written. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  read(answer: AnswerOf<Lease>): void {
    const name = { namespace: LOCK_NAMESPACE, name: this.#name };
    this.#ask((heard) => this.#client.get('Lease', name, heard), answer);
  }

  create(spec: LeaseRecord, answer: AnswerOf<Lease>): void {
    const draft = { metadata: { namespace: LOCK_NAMESPACE, name: this.#name }, spec };
    this.#ask((heard) => this.#client.create('Lease', draft, heard), answer);
  }

  /** Writes over the version of {@link lease}. */
  update(lease: Lease, spec: LeaseRecord, answer: AnswerOf<Lease>): void {
    this.#ask((heard) => this.#client.update('Lease', { ...lease, spec }, undefined, heard), answer);
  }

  /** The answer of the request under way is not wanted any more. */
  forget(): void {
    this.#request += 1;
    if (this.#timer !== undefined) this.#clock.cancel(this.#timer);
    this.#timer = undefined;
    this.#link?.unsubscribe();
    this.#link = undefined;
  }

  #ask(send: (answer: AnswerOf<Lease>) => void, answer: AnswerOf<Lease>): void {
    this.forget();
    const request = this.#request;
    const end: AnswerOf<Lease> = (error, lease) => {
      if (request !== this.#request) return;
      this.forget();
      if (lease !== undefined) this.#lease = lease;
      answer(error, lease);
    };
    const late = `the lease ${this.#name} gave no answer within ${this.#timeoutMs} ms`;
    this.#timer = this.#clock.schedule(this.#timeoutMs, () => end(new LinkDownError(late), undefined));
    this.#link = this.#client.link.changes$.subscribe((isUp) => {
      if (isUp) send(end);
    });
    send(end);
  }
}
