/**
 * When a cache heard of its objects' last change, counting renewals that are told once and computed from
 * then on as if each had come as an event of its own: over the same link, with its latency, and not at all
 * while the watch is broken.
 */
import { keyOf, type Lease } from '../api/objects/objects.js';
import { lastRenewalMs, type Renewals } from '../api/objects/renewals.js';
import type { ObjectList, WatchEvent } from '../apiserver/store/server-types.js';
import { LateMap } from '../kernel/late-collections.js';

/** What a watch lets its owner hear. */
export interface Hearing {
  /** Milliseconds of the present. */
  readonly nowMs: number;
  /** One-way latency from the API server, ms. */
  readonly latencyMs: number;
  /** Since when the API server has been telling, by its time; `undefined` = it does not. */
  readonly openSinceMs: number | undefined;
  /** Server time up to which everything was heard before that. */
  readonly heardBeforeMs: number;
}

interface Entry {
  readonly renewals: Renewals | undefined;
  /** When the object came to be known as it was last written or told. */
  readonly heardMs: number;
  readonly renewTime: string | undefined;
}

/** See the file header. */
export class RenewalLedger {
  readonly #hearing: Hearing;
  readonly #entries = new LateMap<string, Entry>();
  /** When the objects were last heard of whose deletion is being told, ms. */
  readonly #gone = new LateMap<string, number>();

  constructor(hearing: Hearing) {
    this.#hearing = hearing;
  }

  /**
   * When the last renewal of an object was heard of, ms; also while its deletion is being told. `undefined` for an
   * object that is not known.
   */
  heardMs(key: string): number | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return this.#gone.get(key);
    const { nowMs, latencyMs, openSinceMs, heardBeforeMs } = this.#hearing;
    const toldUntilMs = nowMs - latencyMs;
    const isTold = openSinceMs !== undefined && toldUntilMs >= openSinceMs;
    return this.#heardUntil(entry, isTold ? toldUntilMs : heardBeforeMs);
  }

  /** Whether renewals of an object go on and are heard. */
  isRenewing(key: string): boolean {
    return this.#hearing.openSinceMs !== undefined && this.#entries.get(key)?.renewals !== undefined;
  }

  /** Since when every renewal of an object has been heard of, ms; `undefined` = it is not heard of. */
  heardSinceMs(key: string): number | undefined {
    const renewals = this.#entries.get(key)?.renewals;
    const { openSinceMs } = this.#hearing;
    return renewals === undefined || openSinceMs === undefined ? undefined : Math.max(renewals.firstMs, openSinceMs);
  }

  /** An event has arrived. */
  told(event: WatchEvent<'Lease'>): void {
    if (event.type === 'BOOKMARK') return;
    const key = keyOf(event.object);
    if (event.type === 'DELETED') return this.#leave(key, event.atMs);
    const { nowMs } = this.#hearing;
    const { renewTime } = event.object.spec ?? {};
    const before = this.#entries.get(key);
    const isSame = before !== undefined && (before.renewals !== undefined || before.renewTime === renewTime);
    const heardMs = isSame ? this.#heardUntil(before, event.atMs) : nowMs;
    this.#entries.set(key, { renewals: event.renewals, heardMs, renewTime });
  }

  /** Everything was listed anew; {@link Hearing.heardBeforeMs} is still that of before the list. */
  listed(items: readonly Lease[], renewals: ObjectList<'Lease'>['renewals']): void {
    const before = new Map(this.#entries);
    this.#entries.clear();
    for (const lease of items) {
      const key = keyOf(lease);
      const entry = { renewals: renewals?.get(key), heardMs: this.#hearing.nowMs, renewTime: lease.spec?.renewTime };
      const known = before.get(key);
      const knownMs = known === undefined ? undefined : this.#unchangedSince(known, entry);
      this.#entries.set(key, knownMs === undefined ? entry : { ...entry, heardMs: knownMs });
      before.delete(key);
    }
    for (const [key, entry] of before) this.#gone.set(key, this.#heardUntil(entry, this.#hearing.heardBeforeMs));
  }

  /** When an object was heard of that a list shows as it was known; `undefined` = it was renewed meanwhile. */
  #unchangedSince(known: Entry, { renewals, renewTime }: Entry): number | undefined {
    const { nowMs, latencyMs, heardBeforeMs } = this.#hearing;
    if (known.renewals === undefined || renewals === undefined) {
      const isSame = known.renewals === renewals && known.renewTime === renewTime;
      return isSame ? known.heardMs : undefined;
    }
    const isSame = known.renewals.firstMs === renewals.firstMs;
    const knownLastMs = lastRenewalMs(renewals, heardBeforeMs);
    if (!isSame || lastRenewalMs(renewals, nowMs - latencyMs) !== knownLastMs) return undefined;
    return this.#heardUntil(known, heardBeforeMs);
  }

  /** Deletions have been told. */
  forgetGone(): void {
    this.#gone.clear();
  }

  #leave(key: string, atMs: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#gone.set(key, this.#heardUntil(entry, atMs));
  }

  clear(): void {
    this.#gone.clear();
    this.#entries.clear();
  }

  /** Renewals during a break of the watch arrive when it is open again. */
  #heardUntil({ renewals, heardMs }: Entry, serverMs: number): number {
    const lastMs = renewals === undefined ? undefined : lastRenewalMs(renewals, serverMs);
    if (lastMs === undefined) return heardMs;
    const { latencyMs, openSinceMs = 0, heardBeforeMs } = this.#hearing;
    const toldMs = lastMs <= heardBeforeMs ? lastMs : Math.max(lastMs, openSinceMs);
    return Math.max(heardMs, toldMs + latencyMs);
  }
}
