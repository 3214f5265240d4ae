/** What exists only once and services hold: addresses of the cluster and ports of its nodes. */
import type { Service } from '../../api/objects/objects.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import { ClusterIps } from './cluster-ips.js';
import { NodePorts } from './node-ports.js';

/** See the file header. */
export class ServiceAllocations {
  readonly #clusterIps: ClusterIps;
  readonly #nodePorts: NodePorts;

  constructor(kernel: Kernel) {
    this.#clusterIps = new ClusterIps(kernel.random('apiserver/cluster-ips'));
    this.#nodePorts = new NodePorts(kernel.random('apiserver/node-ports'));
  }

  /** Whether what a service asks for can be had; `previous` is what it replaces. */
  validate(service: Service, previous?: Service): readonly FieldError[] {
    return [...this.#clusterIps.validate(service, previous), ...this.#nodePorts.validate(service, previous)];
  }

  /** The service with all that it needs; what it no longer has goes back. @throws ApiError 500 when nothing is left */
  allocate(service: Service, previous?: Service): Service {
    return this.#nodePorts.allocate(this.#clusterIps.allocate(service, previous), previous);
  }

  /** Takes everything of a removed service back. */
  release(service: Service): void {
    this.#clusterIps.release(service);
    this.#nodePorts.release(service);
  }

  /** Remembers the allocations of now; the result brings them back. */
  savepoint(): () => void {
    const restores = [this.#clusterIps.savepoint(), this.#nodePorts.savepoint()];
    return () => {
      for (const restore of restores) restore();
    };
  }
}
