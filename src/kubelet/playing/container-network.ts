/** The network as one container sees it: names, services, servers of other pods, and what partitions keep apart. */
import type { FetchResult, HttpHandler, HttpRequest, Network } from '../../shell/processes/network.js';
import type { ClusterView } from './cluster-view.js';
import type { Listener, Listeners } from './listeners.js';

/** What it takes. */
export interface NetworkMeans {
  readonly node: string;
  readonly namespace: string;
  readonly address: string;
  readonly listeners: Listeners;
  readonly view: ClusterView;
  readonly canReach: (node: string, other: string) => boolean;
  /** Has a server started that nothing has asked for yet. */
  readonly wake: (address: string) => void;
  /** Names of its own hosts file. */
  readonly hosts: () => string;
  /** Draws one of several endpoints. */
  readonly random: () => number;
}

const CLUSTER_SUFFIX = /\.svc(?:\.cluster\.local)?\.?$/;

/** See the file header. */
export class ContainerNetwork implements Network {
  readonly #means: NetworkMeans;
  readonly #own = new Map<number, { readonly port: number; readonly listener: Listener }[]>();

  constructor(means: NetworkMeans) {
    this.#means = means;
  }

  get address(): string {
    return this.#means.address;
  }

  listen(pid: number, port: number, handler: HttpHandler | undefined, certificate?: string): boolean {
    const { listeners, address, node } = this.#means;
    const listener: Listener = { node, handler, certificate };
    if (!listeners.add(address, port, listener)) return false;
    const own = this.#own.get(pid) ?? [];
    own.push({ port, listener });
    this.#own.set(pid, own);
    return true;
  }

  release(pid: number): void {
    for (const { port, listener } of this.#own.get(pid) ?? []) {
      this.#means.listeners.remove(this.#means.address, port, listener);
    }
    this.#own.delete(pid);
  }

  lookUp(host: string): readonly string[] {
    if (/^[\d.]+$/.test(host) || host.includes(':')) return [host];
    const entry = this.#means
      .hosts()
      .split('\n')
      .map((line) => line.replace(/#.*/, '').trim().split(/\s+/))
      .find(([, ...names]) => names.includes(host));
    if (entry?.[0] !== undefined) return [entry[0]];
    return this.#addressesOf(host);
  }

  fetch(host: string, port: number, request: Omit<HttpRequest, 'from'>): FetchResult {
    const [first] = this.lookUp(host);
    if (first === undefined) return { problem: 'bad address', address: host };
    const target = this.#target(first, port);
    if (target === undefined) return { problem: 'refused', address: first };
    const listener = this.#listenerAt(target.address, target.port);
    if (listener !== undefined && !this.#means.canReach(this.#means.node, listener.node)) {
      return { problem: 'unreachable', address: first };
    }
    if (listener?.handler === undefined) return { problem: 'refused', address: first };
    return { response: listener.handler({ ...request, from: this.address }), address: first };
  }

  canConnect(host: string, port: number): boolean {
    const [first] = this.lookUp(host);
    const target = first === undefined ? undefined : this.#target(first, port);
    const listener = target === undefined ? undefined : this.#listenerAt(target.address, target.port);
    return listener !== undefined && this.#means.canReach(this.#means.node, listener.node);
  }

  #listenerAt(address: string, port: number): Listener | undefined {
    const { listeners, wake } = this.#means;
    const found = listeners.at(address, port);
    if (found !== undefined) return found;
    wake(address);
    return listeners.at(address, port);
  }

  /** Where a connection ends: at a pod behind a service, or where it was meant for. */
  #target(address: string, port: number): { readonly address: string; readonly port: number } | undefined {
    if (address === '127.0.0.1' || address === '::1') return { address: this.address, port };
    const service = this.#means.view.serviceAt(address);
    if (service === undefined) return { address, port };
    const endpoints = this.#means.view.endpoints(service, port);
    return endpoints.length === 0 ? undefined : endpoints[this.#means.random() % endpoints.length];
  }

  #addressesOf(host: string): readonly string[] {
    const { view, namespace } = this.#means;
    const labels = host.replace(CLUSTER_SUFFIX, '').split('.');
    const isFull = CLUSTER_SUFFIX.test(host);
    // NAME, NAME.NAMESPACE, or a pod's own: HOSTNAME.NAME.NAMESPACE.
    const [name = '', second] = labels.length > 2 ? labels.slice(1) : labels;
    const service =
      view.service(second ?? (isFull ? '' : namespace), name) ??
      (labels.length === 2 ? view.service(namespace, labels[1] ?? '') : undefined);
    if (service === undefined) return [];
    const { clusterIP = '', ports = [] } = service.spec;
    if (clusterIP !== '' && clusterIP !== 'None') return [clusterIP];
    const all = view.endpoints(service, ports[0]?.port ?? 0);
    const isOfPod = labels.length > 2 || service.metadata.name !== name;
    return all.filter(({ hostname }) => !isOfPod || hostname === labels[0]).map(({ address }) => address);
  }
}
