/** The network as one container sees it: names, services, servers of other pods, and what partitions keep apart. */
import type { Connection, FetchResult, HttpHandler, HttpRequest, Network } from '../../shell/processes/network.js';
import type { Service } from '../../api/objects/objects.js';
import { SECOND_MS } from '../../kernel/time-units.js';
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
  /** Told when one of its servers has answered. */
  readonly onAsked: () => void;
  /** Names of its own hosts file. */
  readonly hosts: () => string;
  readonly affinities: Affinities;
  /** Draws one of several endpoints. */
  readonly random: () => number;
  readonly nowMs: () => number;
}

/** A pod behind a service. */
interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** Where the last connection of a client to a service ended, for services that keep their clients together. */
export type Affinities = Map<string, { readonly endpoint: Endpoint; readonly atMs: number }>;

/** As the API server defaults it. */
const USUAL_AFFINITY_SECONDS = 10_800;

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
    const asked: HttpHandler | undefined =
      handler &&
      ((request) => {
        const response = handler(request);
        this.#means.onAsked();
        return response;
      });
    const listener: Listener = { node, handler: asked, certificate };
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

  records(name: string, type: 'CNAME' | 'SRV' | 'PTR'): readonly string[] {
    const bare = name.replace(/\.$/, '');
    const { view } = this.#means;
    if (type === 'PTR') {
      const address = bare
        .replace(/\.in-addr\.arpa$/, '')
        .split('.')
        .toReversed()
        .join('.');
      const service = view.serviceAt(address);
      return service === undefined ? [] : [fullNameOf(service)];
    }
    const [portName = '', protocol = '', ...rest] = type === 'SRV' ? bare.split('.') : ['', '', ...bare.split('.')];
    const service = this.#serviceOf(rest.join('.'));
    if (service === undefined) return [];
    const { externalName = '', ports = [] } = service.spec;
    if (type === 'CNAME') return service.spec.type === 'ExternalName' ? [`${externalName}.`] : [];
    const port = ports.find(
      (each) => `_${each.name ?? ''}` === portName && `_${(each.protocol ?? 'TCP').toLowerCase()}` === protocol,
    );
    return port === undefined ? [] : [`0 100 ${port.port} ${fullNameOf(service)}`];
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

  connect(host: string, port: number): Connection {
    const [first] = this.lookUp(host);
    const target = first === undefined ? undefined : this.#target(first, port);
    const listener = target === undefined ? undefined : this.#listenerAt(target.address, target.port);
    if (listener === undefined || !this.#means.canReach(this.#means.node, listener.node)) return 'refused';
    return listener.handler === undefined ? 'silent' : 'http';
  }

  #listenerAt(address: string, port: number): Listener | undefined {
    const { listeners, wake } = this.#means;
    const found = listeners.at(address, port);
    if (found !== undefined) return found;
    wake(address);
    return listeners.at(address, port);
  }

  /** Where a connection ends: at a pod behind a service, or where it was meant for. */
  #target(address: string, port: number): Endpoint | undefined {
    if (address === '127.0.0.1' || address === '::1') return { address: this.address, port };
    const { view, listeners } = this.#means;
    const service = view.serviceAt(address);
    if (service !== undefined) return this.#endpoint(service, port);
    const ofNode = listeners.at(address, port) === undefined ? view.serviceOfNode(address, port) : undefined;
    return ofNode === undefined ? { address, port } : this.#endpoint(ofNode.service, ofNode.port);
  }

  #endpoint(service: Service, port: number): Endpoint | undefined {
    const { view, affinities, random, nowMs } = this.#means;
    const endpoints = view.endpoints(service, port);
    if (endpoints.length === 0) return undefined;
    const { sessionAffinity, sessionAffinityConfig } = service.spec;
    const client = `${service.metadata.uid}/${port}/${this.address}`;
    const atMs = nowMs();
    const last = affinities.get(client);
    affinities.delete(client);
    const isKept = sessionAffinity === 'ClientIP';
    const keptMs = (sessionAffinityConfig?.clientIP?.timeoutSeconds ?? USUAL_AFFINITY_SECONDS) * SECOND_MS;
    const isFresh = isKept && last !== undefined && atMs - last.atMs < keptMs;
    const same = isFresh ? endpoints.find((each) => isSameEndpoint(each, last.endpoint)) : undefined;
    const endpoint = same ?? endpoints[random() % endpoints.length];
    if (isKept && endpoint !== undefined) affinities.set(client, { endpoint, atMs });
    return endpoint;
  }

  /** A service by its name, as resolvers of the pod's namespace find it. */
  #serviceOf(host: string): Service | undefined {
    const [name = '', namespace = this.#means.namespace] = host.replace(CLUSTER_SUFFIX, '').split('.');
    return this.#means.view.service(namespace, name);
  }

  /** Where another name leads: to a service that is none of that kind, or out of the cluster. */
  #aliasOf({ spec: { externalName = '' } }: Service): readonly string[] {
    const other = CLUSTER_SUFFIX.test(externalName) ? this.#serviceOf(externalName) : undefined;
    return other === undefined || other.spec.type === 'ExternalName' ? [] : this.#addressesOf(externalName);
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
    if (service.spec.type === 'ExternalName') return this.#aliasOf(service);
    const { clusterIP = '', ports = [] } = service.spec;
    if (clusterIP !== '' && clusterIP !== 'None') return [clusterIP];
    const all = view.endpoints(service, ports[0]?.port ?? 0);
    const isOfPod = labels.length > 2 || service.metadata.name !== name;
    return all.filter(({ hostname }) => !isOfPod || hostname === labels[0]).map(({ address }) => address);
  }
}

function fullNameOf({ metadata: { namespace = '', name } }: Service): string {
  return `${name}.${namespace}.svc.cluster.local.`;
}

function isSameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return a.address === b.address && a.port === b.port;
}
