/**
 * The APIServices behind services: which there are, and whether they can be reached. Mirrors the available controller of
 * kube-aggregator (pkg/controllers/status/remote, v1.34) as far as objects tell: the service, its port, its ready
 * endpoints. What is behind a ready endpoint is taken to answer, unless a dump says that it did not.
 */
import type { EndpointSlice, KindMap, Service } from '../../api/objects/objects.js';
import {
  availabilityOf,
  remoteServiceOf,
  withAvailability,
  type RemoteService,
  type ServiceCondition,
  type ServiceReference,
} from '../../api/aggregation/remote-service.js';
import { ApiError } from '../../api/errors/api-error.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import { AdmissionPending } from '../store/request-context.js';
import type { ApiServer } from '../store/server-types.js';

type Verdict = Pick<ServiceCondition, 'status' | 'reason' | 'message'>;

const PARTY = 'kube-apiserver';
const SERVICE_NAME = 'kubernetes.io/service-name';
/** Told by a server that was asked. */
const ASKED_IN_VAIN = 'FailedDiscoveryCheck';
const PASSED: Verdict = { status: 'True', reason: 'Passed', message: 'all checks passed' };

const books = new WeakMap<ApiServer, RemoteServices>();

/** The APIServices of a server that are behind services, the same list until one of them changes. */
export function remoteServicesOf(server: ApiServer): readonly RemoteService[] {
  return books.get(server)?.all ?? NONE;
}
const NONE: readonly RemoteService[] = [];

/** Keeps their conditions from now on. */
export function keepRemoteServices(kernel: Kernel, server: ApiServer): void {
  books.set(server, new RemoteServices(kernel, server));
}

class RemoteServices {
  all: readonly RemoteService[] = NONE;
  readonly #kernel: Kernel;
  readonly #server: ApiServer;
  readonly #known = new Map<string, RemoteService>();
  readonly #due = new Set<string>();
  #isFollowing = false;

  constructor(kernel: Kernel, server: ApiServer) {
    this.#kernel = kernel;
    this.#server = server;
    for (const object of server.list('APIService').items) this.#note(object);
    server.watch('APIService', { resourceVersion: String(server.version) }, (event) => {
      if (event.type === 'BOOKMARK') return;
      if (event.type === 'DELETED') this.#forget(event.object.metadata.name);
      else this.#note(event.object);
    });
  }

  #note(object: KindMap['APIService']): void {
    const { name } = object.metadata;
    const remote = remoteServiceOf(object);
    if (remote === undefined) return this.#forget(name);
    this.#known.set(name, remote);
    this.all = [...this.#known.values()];
    this.#follow();
    this.#look(name);
  }

  #forget(name: string): void {
    if (this.#known.delete(name)) this.all = [...this.#known.values()];
  }

  /** Services and their slices are looked at once there is something to tell of them. */
  #follow(): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const since = { resourceVersion: String(this.#server.version) };
    this.#server.watch('Service', since, (event) => {
      if (event.type !== 'BOOKMARK') this.#changed(event.object.metadata.namespace, event.object.metadata.name);
    });
    this.#server.watch('EndpointSlice', since, (event) => {
      if (event.type === 'BOOKMARK') return;
      const { namespace, labels = {} } = event.object.metadata;
      this.#changed(namespace, labels[SERVICE_NAME]);
    });
  }

  #changed(namespace: string | undefined, name: string | undefined): void {
    for (const { service, name: remote } of this.all) {
      if (service.namespace === namespace && service.name === name) this.#look(remote);
    }
  }

  #look(name: string): void {
    if (this.#due.size === 0) this.#kernel.clock.schedule(0, () => this.#judgeDue());
    this.#due.add(name);
  }

  #judgeDue(): void {
    const names = [...this.#due];
    this.#due.clear();
    this.#server.as(PARTY, () => names.forEach((name) => this.#judge(name)), undefined);
  }

  #judge(name: string): void {
    const object = this.#server.find('APIService', { name });
    const remote = object && remoteServiceOf(object);
    if (object === undefined || remote === undefined) return;
    const { clock, timestamps } = this.#kernel;
    const found = this.#verdictOn(remote.service);
    const before = availabilityOf(object);
    if (found === PASSED && before?.reason === ASKED_IN_VAIN) return;
    const next = withAvailability(object, found, timestamps.toTime(clock.now()));
    if (next === object) return;
    try {
      this.#server.update('APIService', { ...next }, 'status');
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof AdmissionPending)) throw error;
    }
  }

  #verdictOn({ namespace, name, port }: ServiceReference): Verdict {
    const place = `service/${name} in ${JSON.stringify(namespace)}`;
    const service: Service | undefined = this.#server.find('Service', { namespace, name });
    if (service === undefined) return missing('ServiceNotFound', `${place} is not present`);
    const { type = 'ClusterIP', ports = [] } = service.spec;
    if (type !== 'ClusterIP') return PASSED;
    const found = ports.find((each) => each.port === port);
    if (found === undefined) return missing('ServicePortError', `${place} is not listening on port ${port}`);
    const { name: portName = '' } = found;
    const slices = this.#server.list('EndpointSlice', {
      namespace,
      labelSelector: `${SERVICE_NAME}=${name}`,
    }).items;
    if (slices.length === 0) return missing('EndpointsNotFound', `cannot find endpointslices for ${place}`);
    if (slices.some((slice) => hasReady(slice, portName))) return PASSED;
    const none = `have no addresses with port name ${JSON.stringify(portName)}`;
    return missing('MissingEndpoints', `endpointslices for ${place} ${none}`);
  }
}

function hasReady({ ports, endpoints }: EndpointSlice, portName: string): boolean {
  return (
    (ports ?? []).some(({ name = '' }) => name === portName) &&
    (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false)
  );
}

function missing(reason: string, message: string): Verdict {
  return { status: 'False', reason, message };
}
