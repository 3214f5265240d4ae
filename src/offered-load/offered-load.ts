/**
 * Requests that come to services from outside: each service's rate is spread over its endpoints, whose containers work
 * them off as fast as their CPU lets them. It has no timer and writes nothing: what the requests have cost is worked
 * out when they are asked for. It has no counterpart upstream.
 */
import type { EndpointSlice, Pod } from '../api/objects/objects.js';
import type { Lookout } from '../bus/bus-types.js';
import { listen } from '../bus/rx/listen.js';
import type { Clock } from '../kernel/engine/clock.js';
import type { RequestServer, RequestWork, SharedWork } from '../kubelet/containers/request-work.js';
import { Cohorts } from './cohorts.js';
import { PodService } from './pod-service.js';
import type { RateCurve } from './rate-curve.js';
import { ServiceEndpoints, type EndpointChange, type EndpointPod } from './service-endpoints.js';
import { ServiceTraffic } from './service-traffic.js';

/** A machine, as far as requests go. */
interface ServingMachine {
  /** The containers of a pod that requests cost something; `undefined` where no such pod runs. */
  requestServers(pod: { readonly namespace: string; readonly name: string }): readonly RequestServer[] | undefined;
}

/** What it stands on. */
export interface OfferedLoadParts {
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  readonly lookout: Lookout;
  machine(node: string): ServingMachine | undefined;
}

/** A service by its name. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** How the requests to a service fare, by its last whole second. */
export interface LoadState {
  /** Requests a second that are offered. */
  readonly rate: number;
  /** Pods that they go to. */
  readonly endpoints: number;
  /** Share of the time in which the mean endpoint works, 0..1; 1 while there is none. */
  readonly saturation: number;
  /** Milliseconds that a request waits before it is worked on, on average; Infinity while there is no endpoint. */
  readonly queueingDelayMs: number;
  /** Requests that wait or are worked on. */
  readonly waiting: number;
  /** Requests so far. */
  readonly offered: number;
  readonly answered: number;
  /** Those that found no endpoint, were turned away since too many waited, or were lost with a process. */
  readonly failed: number;
}

/** One service that requests come to. */
interface LoadedService {
  readonly traffic: ServiceTraffic;
  readonly cohorts: Cohorts;
  /** By uid. */
  readonly pods: Map<string, PodService>;
  /** Requests that failed in pods that are gone. */
  failed: number;
}

/** A pod's part in a service. */
interface Part {
  readonly service: LoadedService;
  readonly pod: PodService;
}

/** A kubelet that has just begun does not know its pods yet. */
const ASK_AGAIN_MS = 1000;
const SERVICE_LABEL = 'kubernetes.io/service-name';

/** See the file header. */
export class OfferedLoad implements RequestWork {
  readonly #means: OfferedLoadParts;
  readonly #services = new Map<string, LoadedService>();
  /** By a pod's uid. */
  readonly #parts = new Map<string, Part[]>();
  /** Told of pods to which requests come in another way than before, by uid. */
  onTurn: ((uid: string) => void) | undefined;
  /** Of all services, from the first load on. */
  #endpoints: Map<string, ServiceEndpoints> | undefined;

  constructor(means: OfferedLoadParts) {
    this.#means = means;
  }

  /**
   * From now on these requests come to a service, beside those of other names.
   *
   * @param sinceMs - simulated time at which the curve began
   */
  offer(name: string, service: ServiceName, curve: RateCurve, sinceMs: number): void {
    this.#listen();
    this.#loaded(service).traffic.setRate(name, { curve, sinceMs }, this.#nowMs);
  }

  /** The requests of that name come no more. */
  withdraw(name: string, service: ServiceName): void {
    this.#services.get(keyOf(service))?.traffic.setRate(name, undefined, this.#nowMs);
  }

  /** `undefined` for a service to which none ever came. */
  state(service: ServiceName): LoadState | undefined {
    const loaded = this.#services.get(keyOf(service));
    if (loaded === undefined) return undefined;
    const nowMs = this.#nowMs;
    const { traffic, pods } = loaded;
    traffic.advance(nowMs);
    let [waiting, delayMs, busy, failed] = [0, 0, 0, traffic.unheard + loaded.failed];
    for (const pod of pods.values()) {
      const state = pod.state(nowMs);
      waiting += state.inSystem;
      delayMs += state.delayMs;
      busy += state.busy;
      failed += pod.failed(nowMs);
    }
    const { offered, endpoints } = traffic;
    return {
      rate: traffic.rateAt(nowMs),
      endpoints,
      saturation: endpoints === 0 ? 1 : busy / endpoints,
      queueingDelayMs: endpoints === 0 ? Infinity : delayMs / endpoints,
      waiting,
      offered,
      answered: Math.max(0, offered - failed - waiting),
      failed,
    };
  }

  spentMs(uid: string, container: string, fromMs: number, toMs: number): number {
    const parts = this.#parts.get(uid);
    if (parts === undefined) return 0;
    let spent = 0;
    for (const { service, pod } of parts) {
      service.traffic.advance(this.#nowMs);
      spent += pod.spentMs(container, fromMs, toMs);
    }
    return spent;
  }

  sharedWork(uid: string, container: string, sinceMs: number): SharedWork | 'none' | undefined {
    const [part, ...others] = this.#parts.get(uid) ?? [];
    if (part === undefined) return 'none';
    return others.length > 0 ? undefined : part.pod.sharedSince(container, sinceMs);
  }

  get #nowMs(): number {
    return this.#means.clock.now();
  }

  #loaded(name: ServiceName): LoadedService {
    const key = keyOf(name);
    const known = this.#services.get(key);
    if (known !== undefined) return known;
    const traffic = new ServiceTraffic(this.#nowMs);
    const service = { traffic, cohorts: new Cohorts(traffic), pods: new Map<string, PodService>(), failed: 0 };
    this.#services.set(key, service);
    this.#change(service, { added: this.#endpoints?.get(key)?.all ?? [], removed: [] }, name.namespace);
    return service;
  }

  #listen(): void {
    if (this.#endpoints !== undefined) return;
    this.#endpoints = new Map();
    const { lookout } = this.#means;
    listen(lookout.watch('EndpointSlice'), ({ type, object }) => this.#noteSlice(object, type === 'DELETED'));
    listen(lookout.watch('Pod'), ({ type, object }) => {
      const parts = this.#parts.get(object.metadata.uid);
      if (parts !== undefined) this.#notePod(object, parts, type === 'DELETED');
    });
  }

  #noteSlice({ metadata, endpoints }: EndpointSlice, isGone: boolean): void {
    const { name, namespace = '', labels } = metadata;
    const service = labels?.[SERVICE_LABEL];
    if (service === undefined) return;
    const key = keyOf({ namespace, name: service });
    const known = this.#endpoints?.get(key) ?? new ServiceEndpoints();
    this.#endpoints?.set(key, known);
    const change = known.change(name, isGone ? [] : (endpoints ?? []));
    const loaded = this.#services.get(key);
    if (loaded !== undefined) this.#change(loaded, change, namespace);
  }

  #change(service: LoadedService, { added, removed }: EndpointChange, namespace: string): void {
    const { traffic, pods } = service;
    if (added.length === 0 && removed.length === 0) return;
    const nowMs = this.#nowMs;
    traffic.setEndpoints(traffic.endpoints + added.length - removed.length, nowMs);
    for (const { uid } of removed) {
      pods.get(uid)?.leave(nowMs, false);
      this.onTurn?.(uid);
    }
    for (const pod of added) {
      let part = pods.get(pod.uid);
      if (part === undefined) {
        part = new PodService(pod);
        pods.set(pod.uid, part);
        this.#parts.set(pod.uid, [...(this.#parts.get(pod.uid) ?? []), { service, pod: part }]);
      }
      this.#join({ service, pod: part }, namespace);
    }
  }

  /** Requests go to a pod; while its machine tells nothing of it they cost nothing, and it is asked again. */
  #join({ service, pod }: Part, namespace: string): void {
    const servers = this.#serversOf(pod.pod, namespace);
    this.onTurn?.(pod.pod.uid);
    pod.join(servers ?? [], service.cohorts, this.#nowMs);
    if (servers === undefined && pod.pod.node !== undefined) {
      this.#means.clock.schedule(ASK_AGAIN_MS, () => this.#joinAgain({ service, pod }, namespace));
    }
  }

  #joinAgain(part: Part, namespace: string): void {
    const { service, pod } = part;
    if (!pod.isEndpoint || pod.isServing || service.pods.get(pod.pod.uid) !== pod) return;
    service.traffic.note(this.#nowMs);
    pod.leave(this.#nowMs, false);
    this.#join(part, namespace);
  }

  /** A pod that is gone took its requests with it; one whose containers or limits are others goes on with those. */
  #notePod({ metadata }: Pod, parts: readonly Part[], isGone: boolean): void {
    const nowMs = this.#nowMs;
    for (const { service, pod } of parts) {
      const { namespace = '' } = metadata;
      const servers = isGone || !pod.isEndpoint ? undefined : this.#serversOf(pod.pod, namespace);
      if (!isGone && (servers === undefined || !pod.differs(servers))) continue;
      service.traffic.note(nowMs);
      pod.leave(nowMs, isGone);
      this.onTurn?.(metadata.uid);
      if (isGone) service.failed += pod.failed(nowMs);
      if (isGone) service.pods.delete(metadata.uid);
      else this.#join({ service, pod }, namespace);
    }
    if (isGone) this.#parts.delete(metadata.uid);
  }

  #serversOf({ name, node }: EndpointPod, namespace: string): readonly RequestServer[] | undefined {
    const machine = node === undefined ? undefined : this.#means.machine(node);
    return machine?.requestServers({ namespace, name });
  }
}

function keyOf({ namespace, name }: ServiceName): string {
  return `${namespace}/${name}`;
}
