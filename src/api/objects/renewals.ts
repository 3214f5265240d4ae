/**
 * Rewritings of an object at regular times, such as those of a healthy node's lease: stated once, and
 * computed from then on where the object is read. Plain data, and pure rules over it.
 */

/** The object is renewed at `firstMs` and every `periodMs` after it, until it is told otherwise. */
export interface Renewals {
  /** Milliseconds of simulated time. */
  readonly firstMs: number;
  /** Milliseconds, more than 0. */
  readonly periodMs: number;
  /** The party that renews it, stamped by the party's own clock; absent = by a clock that is right. */
  readonly party?: string;
}

/** Time of the last renewal up to `atMs`, ms; `undefined` when there was none yet. */
export function lastRenewalMs({ firstMs, periodMs }: Renewals, atMs: number): number | undefined {
  if (atMs < firstMs) return undefined;
  return atMs - ((atMs - firstMs) % periodMs);
}

/** The same, stamped by a party's own clock. */
export function renewedBy(party: string, renewals: Renewals | undefined): Renewals | undefined {
  return renewals === undefined ? undefined : { ...renewals, party };
}
