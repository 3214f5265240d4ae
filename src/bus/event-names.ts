import type { Clock } from '../kernel/engine/clock.js';
import type { IdSource } from '../kernel/ids.js';
import type { Timestamps } from '../kernel/timestamps.js';

const NANOS_PER_MS = 1_000_000n;
const LOW_BITS = 32n;
const LOW_MASK = 0xffff_ffffn;
const LOW_RANGE = 0x1_0000_0000;
/** Longest name that Kubernetes accepts. */
const LONGEST_NAME = 253;

/**
 * Names of Event objects as client-go makes them: the object's name, a dot, and the Unix time in
 * nanoseconds as hexadecimal. Simulated time has milliseconds, so the events of one millisecond count
 * up from there; one source for the whole cluster keeps names apart.
 */
export class EventNames {
  readonly #clock: Clock;
  readonly #ids: IdSource;
  readonly #epochMs: number;
  #nowMs = -1;
  #high = 0;
  #low = 0;

  constructor(clock: Clock, ids: IdSource, timestamps: Timestamps) {
    this.#clock = clock;
    this.#ids = ids;
    this.#epochMs = -timestamps.toMs('1970-01-01T00:00:00Z');
  }

  /** A new name for an event about the object `objectName`. */
  next(objectName: string): string {
    const nowMs = this.#clock.now();
    if (nowMs !== this.#nowMs) this.#begin(nowMs);
    const hex = this.#high.toString(16) + (LOW_RANGE + this.#low).toString(16).slice(1);
    this.#low += 1;
    if (this.#low === LOW_RANGE) {
      this.#low = 0;
      this.#high += 1;
    }
    const name = `${objectName}.${hex}`;
    return name.length > LONGEST_NAME ? this.#ids.uid() : name;
  }

  #begin(nowMs: number): void {
    const nanos = BigInt(this.#epochMs + nowMs) * NANOS_PER_MS;
    this.#nowMs = nowMs;
    this.#high = Number(nanos >> LOW_BITS);
    this.#low = Number(nanos & LOW_MASK);
  }
}
