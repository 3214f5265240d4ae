/** What requests from outside cost the containers that serve them. */
import type { Container, ResourceList } from '../../api/objects/objects.js';
import { cpuMillis } from '../../api/values/quantity.js';
import type { PodRecords } from './container-record.js';

/** Knows which requests were served where. */
export interface RequestWork {
  /**
   * CPU time that a container spent on requests between two moments, milliseconds of one core.
   *
   * @param uid - of its pod
   */
  spentMs(uid: string, container: string, fromMs: number, toMs: number): number;
  /**
   * What a container has done since a moment like all others of its service, and goes on doing until something is told
   * of it; `none` = it has nothing to do with requests; `undefined` = it is not like others.
   *
   * @param uid - of its pod
   */
  sharedWork(uid: string, container: string, sinceMs: number): SharedWork | 'none' | undefined;
}

/** Requests that many containers serve alike. */
export interface SharedWork {
  readonly requests: ServedRequests;
  /** CPU time of one request, milliseconds of one core. */
  readonly cpuMs: number;
}

/** How many requests each of several endpoints has served. */
export interface ServedRequests {
  /** @param toMs - at the latest the present */
  servedBetween(fromMs: number, toMs: number): number;
}

/** A running container that requests cost something. */
export interface RequestServer {
  readonly container: string;
  /** Since when its present run goes. */
  readonly runningMs: number;
  /** CPU time of one request, milliseconds of one core, > 0. */
  readonly cpuMs: number;
  /** What it has for requests: millicores, 1 or more. */
  readonly capacityMillis: number;
  /** Requests that it holds at most; Infinity = as many as come. */
  readonly queue: number;
}

const LEAST_MILLIS = 1;
/** Requests that would wait for longer are given up where a script names no number. */
const LONGEST_WAIT_MS = 30_000;
const MILLIS_PER_CORE = 1000;

/**
 * Those of a pod that run now. A container has its limit of CPU for requests, or what its machine has for pods, less
 * the most that it uses by itself.
 */
export function requestServers({ app, init }: PodRecords, allocatable: ResourceList): readonly RequestServer[] {
  return [...app, ...init].flatMap(({ spec, slot, script: { requestCost, cpuMillis: own } }) => {
    const { current, isRunning } = slot;
    if (requestCost === undefined || current === undefined || !isRunning) return [];
    const most = Math.max(0, ...(own?.points ?? []).map(([, amount]) => amount));
    const capacityMillis = Math.max(LEAST_MILLIS, limitOf(spec, allocatable) - most);
    const { cpuMs, queue = (capacityMillis / MILLIS_PER_CORE / cpuMs) * LONGEST_WAIT_MS } = requestCost;
    return [{ container: spec.name, runningMs: current.runningMs, cpuMs, capacityMillis, queue }];
  });
}

function limitOf({ resources }: Container, allocatable: ResourceList): number {
  return cpuMillis(resources?.limits?.['cpu'] ?? allocatable['cpu'] ?? 0);
}
