/** Milliseconds between the first two deletions of failed pods of one node; doubles with each further one. */
const INITIAL_MS = 1000;
const MAX_MS = 15 * 60_000;
/** An entry that was not used for longer than this begins anew. */
const EXPIRES_AFTER_MS = 2 * MAX_MS;
/** With more entries than this, expired ones are looked for. */
const SWEEP_ABOVE = 1024;

interface Entry {
  delayMs: number;
  sinceMs: number;
}

/**
 * Keeps a daemon set from fighting a kubelet that rejects its pods: failed pods of one node are deleted
 * ever more rarely. Mirrors client-go v1.34 flowcontrol.Backoff, without a timer of its own.
 */
export class FailedPodBackOff {
  readonly #entries = new Map<string, Entry>();
  #sweepAbove = SWEEP_ABOVE;

  /** The present delay of a key that has to wait; `undefined` when it may go on. */
  delayOf(key: string, nowMs: number): number | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || isExpired(entry, nowMs)) return undefined;
    return nowMs - entry.sinceMs < entry.delayMs ? entry.delayMs : undefined;
  }

  /** Notes that a key went on. */
  next(key: string, nowMs: number): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined && !isExpired(entry, nowMs)) {
      entry.delayMs = Math.min(2 * entry.delayMs, MAX_MS);
      entry.sinceMs = nowMs;
      return;
    }
    this.#entries.set(key, { delayMs: INITIAL_MS, sinceMs: nowMs });
    if (this.#entries.size > this.#sweepAbove) this.#sweep(nowMs);
  }

  #sweep(nowMs: number): void {
    for (const [key, entry] of this.#entries) if (isExpired(entry, nowMs)) this.#entries.delete(key);
    this.#sweepAbove = Math.max(SWEEP_ABOVE, 2 * this.#entries.size);
  }
}

function isExpired({ sinceMs }: Entry, nowMs: number): boolean {
  return nowMs - sinceMs > EXPIRES_AFTER_MS;
}
