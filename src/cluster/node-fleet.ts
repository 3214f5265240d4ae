import type { Lease } from '../api/objects.js';
import type { ApiServer } from '../apiserver/server-types.js';
import type { Bus } from '../bus/bus-types.js';
import type { Kernel } from '../kernel/kernel.js';
import { createKubelet, type Kubelet } from '../kubelet/kubelet.js';
import type { RuntimeProfile } from '../kubelet/runtime-profile.js';
import { NodeGroupError, type NodeRecord } from '../workload/node-groups.js';

/** The kubelets of a cluster, each behind its own link. */
export class NodeFleet {
  readonly #kubelets = new Map<string, Kubelet>();

  constructor(
    private readonly kernel: Kernel,
    private readonly server: ApiServer,
    private readonly bus: Bus,
    private readonly runtime: RuntimeProfile,
  ) {}

  /** Starts the kubelets of the nodes. @throws NodeGroupError when a name is taken; none is started then */
  add(nodes: readonly NodeRecord[]): void {
    const names = new Set(this.#kubelets.keys());
    for (const { name } of nodes) {
      if (names.has(name)) throw new NodeGroupError('nodes', 'name', `must be distinct, got ${name} twice`);
      names.add(name);
    }
    for (const node of nodes) {
      const kubelet = createKubelet({
        kernel: this.kernel,
        connection: this.bus.connect(`kubelet/${node.name}`),
        node,
        runtime: this.runtime,
        setLeaseView: (view: (stored: Lease) => Lease) =>
          this.server.setReadView('Lease', `kube-node-lease/${node.name}`, view),
      });
      this.#kubelets.set(node.name, kubelet);
      kubelet.start();
    }
  }

  get size(): number {
    return this.#kubelets.size;
  }

  dispose(): void {
    for (const kubelet of this.#kubelets.values()) kubelet.dispose();
    this.#kubelets.clear();
  }
}
