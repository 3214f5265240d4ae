/**
 * Events that are yet to be written, as they come or one by one. The older recorder of client-go writes an event
 * when the one before it was answered (v1.34 tools/record/event.go): of all that a controller has to tell only one at
 * a time waits for a token of its client, and its other requests are not held up by the rest. Where a client writes
 * nothing but events, nothing but their order can be seen of that, and they are written as they come, as those of
 * events.k8s.io are (tools/events/event_broadcaster.go). While the link is cut, up to 1,000 wait.
 */
import type { LinkUser } from './link.js';
import type { Wire } from './wire.js';

/** Events that wait; client-go drops those that do not fit in its queue either. */
const LARGEST_BACKLOG = 1000;

/** Sends one event; `answered`, if an answer is wanted, is told when its outcome is known. */
export type EventWrite = (answered: (() => void) | undefined) => void;

/** See the file header. */
export class EventOutbox implements LinkUser {
  readonly #wire: Wire;
  readonly #isOneByOne: boolean;
  #backlog: EventWrite[] | undefined;
  #isWaitingForLink = false;
  /** The write that is under way, of those that go one by one. */
  #current: object | undefined;

  constructor(wire: Wire, isOneByOne: boolean) {
    this.#wire = wire;
    this.#isOneByOne = isOneByOne;
  }

  push(write: EventWrite): void {
    if (this.#wire.isDisposed) return;
    const isBehind = this.#backlog !== undefined && this.#backlog.length > 0;
    if (!isBehind && this.#current === undefined && this.#wire.link.passes('out')) return this.#send(write);
    this.#backlog ??= [];
    if (this.#backlog.length < LARGEST_BACKLOG) this.#backlog.push(write);
    this.#waitForLink();
  }

  /** @internal the link is up again */
  resume(): void {
    this.#isWaitingForLink = false;
    this.#wire.leave(this);
    this.#goOn();
  }

  /** @internal */
  breakOff(): void {
    /* requests notice it themselves */
  }

  /** The process has ended: what waits is lost. */
  forget(): void {
    if (this.#isWaitingForLink) this.#wire.leave(this);
    this.#isWaitingForLink = false;
    this.#backlog = undefined;
    this.#current = undefined;
  }

  #send(write: EventWrite): void {
    if (!this.#isOneByOne) return write(undefined);
    const current = {};
    this.#current = current;
    write(() => {
      if (this.#current !== current) return;
      this.#current = undefined;
      this.#goOn();
    });
  }

  #goOn(): void {
    while (this.#current === undefined && this.#wire.link.passes('out')) {
      const write = this.#backlog?.shift();
      if (write === undefined) break;
      this.#send(write);
    }
    this.#waitForLink();
  }

  #waitForLink(): void {
    const isIdle = this.#backlog === undefined || this.#backlog.length === 0;
    if (isIdle || this.#isWaitingForLink || this.#wire.link.passes('out')) return;
    this.#isWaitingForLink = true;
    this.#wire.join(this);
  }
}
