/**
 * What may go wrong with a link besides being cut: requests that are lost or refused, watch events that come
 * late or merged, lists that are old. Disturbances are laid on a link from outside, may overlap, and are told
 * of nothing that they do not need to decide. Stands for overloaded and lagging API servers and bad networks.
 */
import type { ApiError } from '../api/errors/api-error.js';
import type { Kind } from '../api/objects/objects.js';

/** What a request asks for, in the API's words: a binding and an eviction create a subresource of a pod. */
export type RequestVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** What a disturbance sees of a request. */
export interface RequestTraits {
  readonly verb: RequestVerb;
  readonly kind: Kind;
  /** Of the object; absent for collections, and for objects that get their name from the server. */
  readonly name: string | undefined;
}

/**
 * What becomes of a request: lost before it is applied, or its answer lost after that, or refused in its place.
 * `onArrival` is called when a request has arrived that will have no answer.
 */
export type RequestFate = 'lost' | 'unanswered' | { readonly onArrival: () => void } | ApiError;

/** How watch events of a kind are kept back. */
export interface WatchLag {
  /** Milliseconds from a change to the moment at which it is told; Infinity = it is not, as long as that lasts. */
  readonly lagMs: number;
  /** The moment of which lists show the state, ms, where that does not go on with the time. */
  readonly pinnedMs?: number;
  /** Changes of one object are told as one, as a list would show them. */
  readonly isMerging: boolean;
  /** Lists are as old as the events. */
  readonly isStale: boolean;
}

/** See the file header. */
export interface Disturbance {
  /** Decides on each request that is sent; `undefined` = nothing happens to it. */
  readonly fateOf?: (request: RequestTraits) => RequestFate | undefined;
  /** How watch events of a kind lag; `undefined` = they do not. */
  readonly lagOf?: (kind: Kind) => WatchLag | undefined;
  /** Draws the one-way latency of each message, ms, in place of the link's own. */
  readonly drawLatencyMs?: () => number;
  /** Draws what each message needs on top of that, ms. */
  readonly drawDelayMs?: () => number;
}

/** What a message needs on top of a link's own latency, ms. */
export function delayAmong(disturbances: readonly Disturbance[]): number {
  let delayMs = 0;
  for (const { drawDelayMs } of disturbances) if (drawDelayMs !== undefined) delayMs += drawDelayMs();
  return delayMs;
}

/** The first fate that any of them decides on; those behind it are not asked. */
export function fateAmong(disturbances: readonly Disturbance[], request: RequestTraits): RequestFate | undefined {
  for (const { fateOf } of disturbances) {
    const fate = fateOf?.(request);
    if (fate !== undefined) return fate;
  }
  return undefined;
}

/** The last way to draw a latency that any of them lays down. */
export function latencyAmong(disturbances: readonly Disturbance[]): (() => number) | undefined {
  return disturbances.findLast(({ drawLatencyMs }) => drawLatencyMs !== undefined)?.drawLatencyMs;
}

/** The longest lag of all of them together. */
export function lagAmong(disturbances: readonly Disturbance[], kind: Kind): WatchLag | undefined {
  let total: WatchLag | undefined;
  for (const { lagOf } of disturbances) {
    const lag = lagOf?.(kind);
    if (lag === undefined) continue;
    total = {
      lagMs: Math.max(total?.lagMs ?? 0, lag.lagMs),
      isMerging: lag.isMerging || total?.isMerging === true,
      isStale: lag.isStale || total?.isStale === true,
      ...pinned(total?.pinnedMs, lag.pinnedMs),
    };
  }
  return total;
}

function pinned(left: number | undefined, right: number | undefined): Pick<WatchLag, 'pinnedMs'> {
  if (left === undefined && right === undefined) return {};
  return { pinnedMs: Math.min(left ?? Infinity, right ?? Infinity) };
}
