/** What one pod does of the requests to one service. */
import type { RequestServer, SharedWork } from '../kubelet/containers/request-work.js';
import type { Cohorts } from './cohorts.js';
import { EndpointShare } from './endpoint-share.js';
import { KEPT_MS } from './service-traffic.js';

/** The present of a pod, as an endpoint of the service. */
export interface PodServiceState {
  /** Requests so far that its slowest container has answered. */
  readonly served: number;
  readonly inSystem: number;
  /** Milliseconds that a request waits before the containers begin with it, one after the other. */
  readonly delayMs: number;
  /** Of the time in which its busiest container works, 0..1. */
  readonly busy: number;
}

const MILLIS_PER_CORE = 1000;

/** See the file header. */
export class PodService {
  readonly pod: { readonly uid: string; readonly name: string; readonly node: string | undefined };
  #shares: EndpointShare[] = [];
  /** Of shares that are over: CPU time by container, of its last run among them. */
  readonly #settled = new Map<string, { readonly runningMs: number; readonly spentMs: number }>();
  #failed = 0;

  constructor(pod: PodService['pod']) {
    this.pod = pod;
  }

  /** Whether requests go to it. */
  get isEndpoint(): boolean {
    return this.#shares.some(({ isOpen }) => isOpen);
  }

  /** Whether requests cost it something. */
  get isServing(): boolean {
    return this.#shares.some(({ isOpen, server }) => isOpen && server !== undefined);
  }

  /** Requests go to it from now on. */
  join(servers: readonly RequestServer[], cohorts: Cohorts, nowMs: number): void {
    this.#settle(nowMs);
    const isSame = (share: EndpointShare): boolean =>
      servers.some(
        ({ container, runningMs }) => share.server?.container === container && share.server.runningMs === runningMs,
      );
    // A process that has ended took its requests with it.
    for (const share of this.#shares) if (!isSame(share)) this.#failed += share.leave(nowMs, true);
    const speeds = servers.length === 0 ? [undefined] : servers;
    for (const server of speeds) {
      const { perMs, queue } = speedOf(server);
      this.#shares.push(new EndpointShare(cohorts.join({ perMs, queue }, nowMs), server, nowMs));
    }
  }

  /** @param endsNow - its processes have ended as well */
  leave(nowMs: number, endsNow: boolean): void {
    for (const share of this.#shares) {
      if (share.isOpen || endsNow) this.#failed += share.leave(nowMs, endsNow);
    }
  }

  /** Whether its containers are others, or have other limits, than those that requests go to. */
  differs(servers: readonly RequestServer[]): boolean {
    const open = this.#shares.flatMap(({ isOpen, server }) => (isOpen && server !== undefined ? [server] : []));
    return (
      open.length !== servers.length ||
      open.some((each, index) => {
        const now = servers[index];
        return now?.runningMs !== each.runningMs || now.capacityMillis !== each.capacityMillis;
      })
    );
  }

  /** CPU time of a container for its requests between two moments, milliseconds of one core. */
  spentMs(container: string, fromMs: number, toMs: number): number {
    const settled = this.#settled.get(container);
    let spent = settled !== undefined && fromMs <= settled.runningMs ? settled.spentMs : 0;
    for (const share of this.#shares) {
      const { server } = share;
      if (server?.container === container) spent += (share.at(toMs).served - share.at(fromMs).served) * server.cpuMs;
    }
    return spent;
  }

  /** What a container does like all of its cohort since then; `undefined` = it does not. */
  sharedSince(container: string, sinceMs: number): SharedWork | undefined {
    const [share, ...others] = this.#shares.filter(({ server }) => server?.container === container);
    return others.length > 0 || this.#settled.has(container) ? undefined : share?.sharedSince(sinceMs);
  }

  /** Requests that failed in it: turned away, or lost with a process. */
  failed(atMs: number): number {
    return this.#shares.reduce((sum, share) => sum + share.at(atMs).refused, this.#failed);
  }

  state(atMs: number): PodServiceState {
    let [served, inSystem, delayMs, busy] = [Infinity, 0, 0, 0];
    for (const share of this.#shares) {
      if (!share.isOpen) continue;
      const state = share.at(atMs);
      served = Math.min(served, state.served);
      inSystem = Math.max(inSystem, state.inSystem);
      if (share.perMs === Infinity) continue;
      delayMs += state.inSystem / share.perMs;
      busy = Math.max(busy, state.inSystem / (1 + state.inSystem));
    }
    return { served: served === Infinity ? 0 : served, inSystem, delayMs, busy };
  }

  /** Puts aside what has been over for longer than is ever looked back. */
  #settle(nowMs: number): void {
    const sinceMs = nowMs - KEPT_MS;
    for (const share of this.#shares) {
      if (!share.isOver(sinceMs)) continue;
      const { served, refused } = share.at(nowMs);
      this.#failed += refused;
      const { server } = share;
      if (server === undefined) continue;
      const { container, runningMs, cpuMs } = server;
      const before = this.#settled.get(container);
      const spentMs = (before?.runningMs === runningMs ? before.spentMs : 0) + served * cpuMs;
      this.#settled.set(container, { runningMs, spentMs });
    }
    this.#shares = this.#shares.filter((share) => !share.isOver(sinceMs));
  }
}

function speedOf(server: RequestServer | undefined): { readonly perMs: number; readonly queue: number } {
  if (server === undefined) return { perMs: Infinity, queue: Infinity };
  return { perMs: server.capacityMillis / MILLIS_PER_CORE / server.cpuMs, queue: server.queue };
}
