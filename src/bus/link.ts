/**
 * The connection between one component and the API server as the network sees it: latency, and
 * whether anything gets through. It outlives the component's process: a kubelet that restarts behind
 * a cut link is still cut off. What travels is on the wires (wire.ts); a link never looks into it.
 */
import { type Observable, Subject } from 'rxjs';
import { assert } from '../kernel/assert.js';
import type { Kind } from '../api/objects/objects.js';
import type { RandomStream } from '../kernel/random.js';
import type { Latency, Link, LinkDirection, LinkUser } from './bus-types.js';
import {
  delayAmong,
  fateAmong,
  lagAmong,
  latencyAmong,
  type Disturbance,
  type RequestFate,
  type RequestVerb,
  type WatchLag,
} from './disturbance.js';
import { RequestWatch } from './request-watch.js';

/** Bounds of the one-way latency, in milliseconds, that a link draws for itself once. */
const DEFAULT_LATENCY_MS = { min: 1, max: 5 } as const;

const NOTHING: readonly never[] = [];

/** How a link is, as far as changes of it are announced. */
interface Condition {
  readonly isUp: boolean;
  readonly isSteady: boolean;
  readonly isCalm: boolean;
}

/** See the file header. Everything but the state is made when it is first needed: there are thousands. */
export class PartyLink implements Link {
  readonly party: string;
  /** What hears of the requests that go over it. */
  readonly requests: RequestWatch;
  lostMessages = 0;
  failedRequests = 0;
  readonly #openStream: () => RandomStream;
  #latency: Latency | undefined;
  #random: RandomStream | undefined;
  #passesOut = true;
  #passesIn = true;
  #users: readonly LinkUser[] = [];
  #disturbances: readonly Disturbance[] = NOTHING;
  #changes: Subject<boolean> | undefined;
  #steadiness: Subject<boolean> | undefined;
  #calm: Subject<boolean> | undefined;

  /**
   * @param latency - absent: fixed, drawn uniformly from 1..5 ms
   * @param openStream - opens the link's random stream; called at most once
   */
  constructor(
    party: string,
    latency: Latency | undefined,
    openStream: () => RandomStream,
    requests = new RequestWatch(),
  ) {
    this.party = party;
    this.requests = requests;
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
    return this.#passesOut && this.#passesIn;
  }

  get changes$(): Observable<boolean> {
    this.#changes ??= new Subject();
    return this.#changes.asObservable();
  }

  get isSteady(): boolean {
    return this.isUp && !this.#disturbances.some(({ fateOf }) => fateOf !== undefined);
  }

  get steadiness$(): Observable<boolean> {
    this.#steadiness ??= new Subject();
    return this.#steadiness.asObservable();
  }

  get isCalm(): boolean {
    return this.isUp && this.#disturbances.length === 0;
  }

  get calm$(): Observable<boolean> {
    this.#calm ??= new Subject();
    return this.#calm.asObservable();
  }

  passes(direction: LinkDirection): boolean {
    return direction === 'out' ? this.#passesOut : this.#passesIn;
  }

  cut(direction?: LinkDirection): void {
    const before = this.#condition();
    const isOutCut = this.#passesOut && direction !== 'in';
    const isInCut = this.#passesIn && direction !== 'out';
    if (!isOutCut && !isInCut) return;
    if (isOutCut) this.#passesOut = false;
    if (isInCut) this.#passesIn = false;
    for (const user of this.#users) user.breakOff(isOutCut, isInCut);
    this.#changes?.next(false);
    this.#tellSince(before);
  }

  restore(direction?: LinkDirection): void {
    const passing = [direction !== 'in' && !this.#passesOut, direction !== 'out' && !this.#passesIn];
    if (!passing.includes(true)) return;
    const before = this.#condition();
    if (direction !== 'in') this.#passesOut = true;
    if (direction !== 'out') this.#passesIn = true;
    if (!this.isUp) return this.#changes?.next(false);
    for (const user of this.#users) user.resume();
    this.#changes?.next(true);
    this.#tellSince(before);
  }

  disturb(disturbance: Disturbance): () => void {
    const before = this.#condition();
    this.#disturbances = [...this.#disturbances, disturbance];
    this.#tellSince(before);
    return () => {
      const disturbed = this.#condition();
      this.#disturbances = this.#disturbances.filter((other) => other !== disturbance);
      if (disturbance.lagOf !== undefined) for (const user of this.#users) user.hurry?.();
      this.#tellSince(disturbed);
    };
  }

  /** What becomes of a request that is sent now; `undefined` = it gets through. */
  fateOf(verb: RequestVerb, kind: Kind, name: string | undefined): RequestFate | undefined {
    return this.#disturbances.length === 0 ? undefined : fateAmong(this.#disturbances, { verb, kind, name });
  }

  /** How watch events of a kind lag now; `undefined` = they do not. */
  lagOf(kind: Kind): WatchLag | undefined {
    return this.#disturbances.length === 0 ? undefined : lagAmong(this.#disturbances, kind);
  }

  /** Milliseconds that the next message needs: a whole number, at least 0. */
  drawLatencyMs(): number {
    const latency = this.#disturbances.length === 0 ? this.latency : (latencyAmong(this.#disturbances) ?? this.latency);
    let latencyMs = typeof latency === 'number' ? latency : latency(this.#stream());
    if (this.#disturbances.length > 0) latencyMs += delayAmong(this.#disturbances);
    return latencyMs > 0 ? Math.ceil(latencyMs) : 0;
  }

  /** Adds a user that is told of cuts and restorations, in order of joining. */
  join(user: LinkUser): void {
    this.#users = this.#users.concat(user);
  }

  /** Takes it away again. */
  leave(user: LinkUser): void {
    this.#users = this.#users.filter((other) => other !== user);
  }

  /** Ends {@link changes$} and {@link steadiness$}. */
  dispose(): void {
    this.#changes?.complete();
    this.#changes = undefined;
    this.#steadiness?.complete();
    this.#steadiness = undefined;
    this.#calm?.complete();
    this.#calm = undefined;
  }

  #condition(): Condition {
    return { isUp: this.isUp, isSteady: this.isSteady, isCalm: this.isCalm };
  }

  #tellSince(before: Condition): void {
    if (this.isSteady !== before.isSteady) this.#steadiness?.next(this.isSteady);
    if (this.isCalm !== before.isCalm) this.#calm?.next(this.isCalm);
  }

  #stream(): RandomStream {
    this.#random ??= this.#openStream();
    return this.#random;
  }
}
