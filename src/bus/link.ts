/**
 * The connection between one component and the API server as the network sees it: latency, and
 * whether anything gets through. It outlives the component's process: a kubelet that restarts behind
 * a cut link is still cut off. What travels is on the wires (wire.ts); a link never looks into it.
 */
import { type Observable, Subject } from 'rxjs';
import { assert } from '../kernel/assert.js';
import type { RandomStream } from '../kernel/random.js';
import type { Latency, Link } from './bus-types.js';

/** Bounds of the one-way latency, in milliseconds, that a link draws for itself once. */
const DEFAULT_LATENCY_MS = { min: 1, max: 5 } as const;

/** Told of what happens to the link that it runs over. */
export interface LinkUser {
  breakOff(): void;
  resume(): void;
}

/** See the file header. Everything but the state is made when it is first needed: there are thousands. */
export class PartyLink implements Link {
  readonly party: string;
  readonly #openStream: () => RandomStream;
  #latency: Latency | undefined;
  #random: RandomStream | undefined;
  #isUp = true;
  #users: readonly LinkUser[] = [];
  #changes: Subject<boolean> | undefined;

  /**
   * @param latency - absent: fixed, drawn uniformly from 1..5 ms
   * @param openStream - opens the link's random stream; called at most once
   */
  constructor(party: string, latency: Latency | undefined, openStream: () => RandomStream) {
    this.party = party;
    this.#openStream = openStream;
    if (latency !== undefined) this.latency = latency;
  }

  get latency(): Latency {
    this.#latency ??= this.#stream().int(DEFAULT_LATENCY_MS.min, DEFAULT_LATENCY_MS.max);
    return this.#latency;
  }

  set latency(latency: Latency) {
    assert(
      typeof latency === 'function' || (latency >= 0 && latency < Infinity),
      `latency of link ${this.party} must be a finite number of ms >= 0, got ${String(latency)}`,
    );
    this.#latency = latency;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get changes$(): Observable<boolean> {
    this.#changes ??= new Subject();
    return this.#changes.asObservable();
  }

  cut(): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    for (const user of this.#users) user.breakOff();
    this.#changes?.next(false);
  }

  restore(): void {
    if (this.#isUp) return;
    this.#isUp = true;
    for (const user of this.#users) user.resume();
    this.#changes?.next(true);
  }

  /** Milliseconds that the next message needs: a whole number, at least 0. */
  drawLatencyMs(): number {
    const latency = this.latency;
    const latencyMs = typeof latency === 'number' ? latency : latency(this.#stream());
    return latencyMs > 0 ? Math.ceil(latencyMs) : 0;
  }

  /** Adds one who is told of cuts and restorations, in order of joining. */
  join(user: LinkUser): void {
    this.#users = [...this.#users, user];
  }

  /** Takes it away again. */
  leave(user: LinkUser): void {
    this.#users = this.#users.filter((other) => other !== user);
  }

  /** Ends {@link changes$}. */
  dispose(): void {
    this.#changes?.complete();
    this.#changes = undefined;
  }

  #stream(): RandomStream {
    this.#random ??= this.#openStream();
    return this.#random;
  }
}
