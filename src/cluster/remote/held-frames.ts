import type { Kind } from '../../api/objects/objects.js';
import type { OuterLink } from '../../bus/bus-types.js';
import type { Clock, Timer } from '../../kernel/engine/clock.js';
import type { WatchFrame } from '../../requests/api-request.js';

interface Held {
  readonly frame: WatchFrame;
  readonly atMs: number;
  /** What the link itself needs for it. */
  readonly latencyMs: number;
}

/** What the frames travel over. */
export interface FrameWay {
  readonly clock: Clock;
  readonly link: OuterLink;
  readonly kind: Kind;
}

/**
 * The frames of one watch over a link that may lag: told in their order, at once as long as nothing disturbs the link.
 * Where changes are merged, all that waits is told once the first of it is due, each object as it is then.
 */
export class HeldFrames {
  readonly #way: FrameWay;
  readonly #tell: (frame: WatchFrame) => void;
  #held: Held[] = [];
  #timer: Timer | undefined;

  constructor(way: FrameWay, tell: (frame: WatchFrame) => void) {
    this.#way = way;
    this.#tell = tell;
  }

  take(frame: WatchFrame): void {
    const { link, clock } = this.#way;
    if (link.isCalm && this.#held.length === 0) return this.#tell(frame);
    const latencyMs = link.isCalm ? 0 : link.drawLatencyMs();
    this.#held.push({ frame, atMs: clock.now(), latencyMs });
    if (this.#timer === undefined) this.#pump();
  }

  /** A disturbance has gone: what it held is told, unless another one holds it. */
  hurry(): void {
    this.#pump();
  }

  close(): void {
    this.#held = [];
    this.#disarm();
  }

  #pump(): void {
    this.#disarm();
    const { link, clock, kind } = this.#way;
    const { lagMs, isMerging } = link.lagOf(kind) ?? { lagMs: 0, isMerging: false };
    for (;;) {
      const [first] = this.#held;
      if (first === undefined) return;
      const waitMs = first.atMs + Math.max(first.latencyMs, lagMs) - clock.now();
      if (waitMs > 0) {
        if (waitMs < Infinity) this.#timer = clock.schedule(waitMs, () => this.#pump());
        return;
      }
      const due = isMerging ? merged(this.#held.map(({ frame }) => frame)) : [first.frame];
      this.#held = isMerging ? [] : this.#held.slice(1);
      for (const frame of due) this.#tell(frame);
    }
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#way.clock.cancel(this.#timer);
    this.#timer = undefined;
  }
}

/** An object that came and went is never told. */
function merged(frames: readonly WatchFrame[]): readonly WatchFrame[] {
  const byKey = new Map<string, { readonly isNew: boolean; readonly last: WatchFrame }>();
  for (const frame of frames) {
    const { namespace = '', name = '' } = metadataOf(frame);
    const key = `${namespace}/${name}`;
    const { isNew = frame.type === 'ADDED' } = byKey.get(key) ?? {};
    byKey.delete(key);
    if (frame.type !== 'DELETED' || !isNew) byKey.set(key, { isNew, last: frame });
  }
  return [...byKey.values()].map(({ isNew, last }) => (isNew ? asNew(last) : last));
}

/** An object of which its reader has not heard yet. */
function asNew(frame: WatchFrame): WatchFrame {
  return {
    type: 'ADDED',
    get object() {
      return frame.object;
    },
  };
}

function metadataOf({ object }: WatchFrame): { readonly namespace?: string; readonly name?: string } {
  return (object as { readonly metadata?: { readonly namespace?: string; readonly name?: string } }).metadata ?? {};
}
