import { keyOf, type Kind } from '../api/objects/objects.js';
import type { ObjectEvent, WatchEvent } from '../apiserver/store/server-types.js';
import type { Clock, Timer } from '../kernel/engine/clock.js';
import type { WatchLag } from './disturbance.js';

/** What is kept of one object's changes that are told as one. */
interface Merged<K extends Kind> {
  readonly isNew: boolean;
  readonly last: ObjectEvent<K>;
}

/** Events of one watch that lag: told in their order, each at its time, or several as one. */
export class HeldEvents<K extends Kind> {
  readonly #clock: Clock;
  readonly #tell: (event: WatchEvent<K>, count: number) => void;
  #events: { readonly event: WatchEvent<K>; readonly dueMs: number }[] = [];
  #isMerging = false;
  #timer: Timer | undefined;

  /** @param tell - told an event, and for how many it stands */
  constructor(clock: Clock, tell: (event: WatchEvent<K>, count: number) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  hold(event: WatchEvent<K>, { lagMs, isMerging }: WatchLag): void {
    this.#isMerging = isMerging;
    const earliestMs = this.#events.at(-1)?.dueMs ?? this.#clock.now();
    this.#events.push({ event, dueMs: Math.max(earliestMs, event.atMs + lagMs) });
    this.#arm();
  }

  /** Tells everything now. */
  release(): void {
    const events = this.#events.map(({ event }) => event);
    this.drop();
    if (this.#isMerging) this.#tellMerged(events);
    else for (const event of events) this.#tell(event, 1);
  }

  /** Forgets everything. */
  drop(): void {
    this.#events = [];
    if (this.#timer !== undefined) this.#clock.cancel(this.#timer);
    this.#timer = undefined;
  }

  #arm(): void {
    const [first] = this.#events;
    if (this.#timer !== undefined || first === undefined || first.dueMs === Infinity) return;
    this.#timer = this.#clock.schedule(Math.max(0, first.dueMs - this.#clock.now()), () => this.#due());
  }

  /** What is merged is told together: everything that waits, once the first of it is due. */
  #due(): void {
    this.#timer = undefined;
    if (this.#isMerging) return this.release();
    const nowMs = this.#clock.now();
    while ((this.#events[0]?.dueMs ?? Infinity) <= nowMs) {
      const held = this.#events.shift();
      if (held !== undefined) this.#tell(held.event, 1);
    }
    this.#arm();
  }

  /** An object that came and went is never told; the bookmark says that nothing is missing. */
  #tellMerged(events: readonly WatchEvent<K>[]): void {
    const byKey = new Map<string, Merged<K>>();
    let version = 0;
    for (const event of events) {
      ({ version } = event);
      if (event.type === 'BOOKMARK') continue;
      const key = keyOf(event.object);
      const { isNew = event.type === 'ADDED' } = byKey.get(key) ?? {};
      byKey.delete(key);
      if (event.type !== 'DELETED' || !isNew) byKey.set(key, { isNew, last: event });
    }
    const [first] = events;
    if (first === undefined) return;
    for (const { last } of byKey.values()) this.#tell(last, 0);
    this.#tell({ type: 'BOOKMARK', kind: first.kind, version, atMs: this.#clock.now() }, events.length);
  }
}
