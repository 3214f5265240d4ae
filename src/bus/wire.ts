/**
 * What one connection has on its way: requests towards the API server, answers and watch events back.
 * A cut of the link loses all of it; a disposed wire forgets all of it and carries nothing more.
 */
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { Clock } from '../kernel/engine/clock.js';
import type { RateLimit } from '../kernel/token-bucket.js';
import { Lane, type LaneItem } from './lane.js';
import type { LinkUser } from './bus-types.js';
import type { PartyLink } from './link.js';
import { Throttle } from './throttle.js';

/** Milliseconds after which a request fails when it, or its answer, was lost. */
export const REQUEST_TIMEOUT_MS = 10_000;

/** Something that travels over a wire. */
export interface Message extends LaneItem {
  /** Told at the API server's end. */
  arrive(): void;
  /** Told at the component's end. */
  deliver(): void;
  /** Told when a cut link swallowed it, on either way. */
  lose(): void;
}

/** A message that fails at its sender once the request timeout is over, if it was lost. */
export interface TimedMessage extends Message {
  readonly sentMs: number;
  fail(): void;
}

/** A stream over a wire. */
export interface WireUser extends LinkUser {
  /** The wire carries nothing more. */
  complete?(): void;
}

const arrive = (message: Message): void => message.arrive();
const deliver = (message: Message): void => message.deliver();
const fail = (message: TimedMessage): void => message.fail();

/** See the file header. */
export class Wire implements LinkUser {
  readonly link: PartyLink;
  readonly server: ApiServer;
  readonly clock: Clock;
  /** Where the requests of the connection's own client wait, and those of its informers. */
  readonly throttle: Throttle;
  #up: Lane<Message> | undefined;
  #down: Lane<Message> | undefined;
  #lost: Lane<TimedMessage> | undefined;
  #streams: Set<WireUser> | undefined;
  #isDisposed = false;

  constructor(link: PartyLink, server: ApiServer, clock: Clock, limit: RateLimit | undefined) {
    this.link = link;
    this.server = server;
    this.clock = clock;
    this.throttle = new Throttle(clock, limit);
    link.join(this);
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** Towards the API server. */
  send(message: Message): void {
    if (this.#isDisposed) return;
    if (!this.link.passes('out')) return this.#lose(message);
    this.#up ??= new Lane(this.clock, arrive);
    this.#up.push(message, this.clock.now() + this.link.drawLatencyMs());
  }

  /** From the API server. */
  sendBack(message: Message): void {
    if (this.#isDisposed) return;
    if (!this.link.passes('in')) return this.#lose(message);
    this.#down ??= new Lane(this.clock, deliver);
    this.#down.push(message, this.clock.now() + this.link.drawLatencyMs());
  }

  /** Lets a lost message fail when its time is over. */
  timeOut(message: TimedMessage): void {
    if (this.#isDisposed) return;
    this.#lost ??= new Lane(this.clock, fail);
    this.#lost.push(message, Math.max(this.clock.now(), message.sentMs + REQUEST_TIMEOUT_MS));
  }

  /** Adds a stream that is told of cuts and restorations until it leaves. */
  join(stream: WireUser): void {
    this.#streams ??= new Set();
    this.#streams.add(stream);
  }

  leave(stream: WireUser): void {
    this.#streams?.delete(stream);
  }

  /** The link was cut: streams stop, then what is under way is lost (answers were sent before requests). */
  breakOff(isOutCut: boolean, isInCut: boolean): void {
    for (const stream of this.#streams ?? []) stream.breakOff(isOutCut, isInCut);
    if (isInCut) for (const message of this.#down?.drain() ?? []) this.#lose(message);
    if (isOutCut) for (const message of this.#up?.drain() ?? []) this.#lose(message);
  }

  /** The link was restored. */
  resume(): void {
    for (const stream of this.#streams ?? []) stream.resume();
  }

  /** Events need not lag any longer. */
  hurry(): void {
    for (const stream of this.#streams ?? []) stream.hurry?.();
  }

  /** Forgets everything; the clock holds nothing of this wire afterwards. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.link.leave(this);
    this.throttle.forget();
    this.#up?.drain();
    this.#down?.drain();
    this.#lost?.drain();
    for (const stream of [...(this.#streams ?? [])]) stream.complete?.();
    this.#streams = undefined;
  }

  #lose(message: Message): void {
    this.link.lostMessages += 1;
    message.lose();
  }
}
