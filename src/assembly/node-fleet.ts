import { classOf, driversOf, slicesOf } from '../api/devices/node-devices.js';
import type { ResourceSlice } from '../api/objects/device-objects.js';
import { isNodeResizeDue } from '../api/volumes/claim-resize.js';
import { renewedBy } from '../api/objects/renewals.js';
import type { ResourceList } from '../api/objects/objects.js';
import { kindRegistry } from '../api/kinds/registry.js';
import type { ApiServer } from '../apiserver/store/server-types.js';
import type { Bus } from '../bus/bus-types.js';
import { listen } from '../bus/rx/listen.js';
import type { ClientLimits } from '../bus/client-limits.js';
import type { Kernel } from '../kernel/engine/kernel.js';
import { createKubelet, type Kubelet, type NodeSetup } from '../kubelet/kubelet.js';
import {
  KubeletConfigurationError,
  type KubeletConfiguration,
  type KubeletSettings,
} from '../kubelet/configuration/kubelet-configuration.js';
import { allocatableOf, capacityOf, checkReservation } from '../kubelet/node/node-allocatable.js';
import { PodNetwork } from '../kubelet/network/pod-network.js';
import type { MachineWatch, Trail } from '../machines/trail.js';
import { ProcessWatch } from '../kubelet/containers/process-facts.js';
import { VolumeGrowth } from '../kubelet/volumes/volume-growth.js';
import type { RequestWork } from '../kubelet/containers/request-work.js';
import type { RuntimeProfile } from '../kubelet/scripts/runtime-profile.js';
import type { ScriptSource } from '../kubelet/scripts/script-types.js';
import { createPlayGround, type PlayGround } from '../kubelet/playing/play-ground.js';
import { buildNodes, checkNode, NodeGroupError } from '../workload/node-groups.js';
import { staticPod, StaticPodError } from '../kubelet/static-pods/static-pod.js';
import { checkReadable, OptionError } from '../options/option-error.js';
import { ContainerView } from './container-view.js';
import { FleetServers } from './pod-servers.js';
import { kubeletSettings, type NodeDescription } from '../options/node-description.js';

const ZONE = 'topology.kubernetes.io/zone';

/** What the machines of a fleet share. */
export interface FleetMeans {
  readonly kernel: Kernel;
  readonly server: ApiServer;
  readonly bus: Bus;
  readonly runtime: RuntimeProfile;
  readonly scripts: ScriptSource;
  /** Of all kubelets; a node's own goes before it. */
  readonly configuration: KubeletConfiguration;
  readonly clientLimits: ClientLimits;
  /** Whether volumes for one node are mounted only where their attach record says so. */
  readonly attachRecords: boolean;
  readonly machineWatch: MachineWatch;
  /** What requests from outside cost. */
  readonly requestWork: RequestWork;
}

/** The kubelets of a cluster, each behind its own link. */
export class NodeFleet {
  /** Told what processes do on any machine of the fleet. */
  readonly processes = new ProcessWatch();
  /** Told when the process of a kubelet begins or ends, with the name of its node. */
  onTurn: ((node: string) => void) | undefined;
  /** Between the pods of its machines. */
  readonly network: PodNetwork;
  /** What its containers that compute see of the cluster. */
  readonly view: ContainerView;
  /** Servers of its containers. */
  readonly servers: FleetServers;
  readonly #ground: PlayGround;
  readonly #means: FleetMeans;
  readonly #growth = new VolumeGrowth();
  readonly #kubelets = new Map<string, Kubelet>();
  readonly #zones = new Map<string, string>();

  constructor(means: FleetMeans) {
    this.#means = means;
    this.network = new PodNetwork(means.kernel.clock, this.processes);
    this.view = new ContainerView(means.server);
    this.#ground = createPlayGround(this.network, this.view);
    this.servers = new FleetServers(this.#ground, means.kernel.random('apiserver/pod-servers'));
    listen(means.bus.lookout.watch('PersistentVolumeClaim'), (event) => {
      const { volumeName } = event.object.spec;
      if (volumeName !== undefined) {
        this.#growth.tell(volumeName, event.type !== 'DELETED' && isNodeResizeDue(event.object));
      }
    });
  }

  /** Starts the kubelets of the nodes. @throws NodeGroupError when a name is taken; none is started then */
  add(nodes: readonly NodeSetup[]): void {
    const names = new Set(this.#kubelets.keys());
    for (const { name } of nodes) {
      if (names.has(name))
        throw new NodeGroupError('nodes', 'namePrefix', `must give distinct names, got ${name} twice`);
      names.add(name);
    }
    const settingsOf = this.#settings();
    const { kernel, server, bus, runtime, scripts, attachRecords, machineWatch } = this.#means;
    for (const node of nodes) checkMachine(node, settingsOf(node));
    checkStaticPods(nodes);
    for (const driver of driversOf(nodes.flatMap(({ devices = [] }) => devices))) this.#installDriver(driver);
    for (const node of nodes) {
      const party = `kubelet/${node.name}`;
      const settings = settingsOf(node);
      const kubelet = createKubelet({
        kernel: kernel.at(party),
        connection: bus.connect(party, { limit: settings.limits.api }),
        node,
        settings,
        runtime,
        scripts,
        processes: this.processes,
        machineWatch,
        network: this.network,
        requestWork: this.#means.requestWork,
        onTurn: (name) => this.onTurn?.(name),
        ground: this.#ground,
        growth: this.#growth,
        attachRecords,
        renewLease: (renewals, onGone) => server.renewLease(node.name, renewedBy(party, renewals), undefined, onGone),
      });
      this.#kubelets.set(node.name, kubelet);
      const zone = node.labels[ZONE];
      if (zone !== undefined) this.#zones.set(node.name, zone);
      if (node.resumed?.isRunning !== false) kubelet.start();
    }
  }

  /** What the machine of such a node would have, and what of it pods could use. @throws OptionError */
  resourcesOf(node: NodeSetup): { readonly capacity: ResourceList; readonly allocatable: ResourceList } {
    const settings = this.#settings()(node);
    const capacity = capacityOf(node, settings);
    return { capacity, allocatable: allocatableOf(node, capacity, settings) };
  }

  /** Takes a machine away for good, with all that runs on it; its Node is left to the caller. One that is not there is left alone. */
  remove(name: string): void {
    this.#kubelets.get(name)?.dispose();
    this.#kubelets.delete(name);
    this.#zones.delete(name);
  }

  /** Whatever installs a driver brings a class of all its devices. */
  #installDriver(driver: string): void {
    const { server } = this.#means;
    if (server.find('DeviceClass', { name: driver }) === undefined) server.create('DeviceClass', classOf(driver));
  }

  /** Nodes of one configuration share their settings. */
  #settings(): (node: NodeSetup) => KubeletSettings {
    const { configuration, clientLimits } = this.#means;
    const known = new Map<KubeletConfiguration | undefined, KubeletSettings>();
    return ({ kubelet }) => {
      const settings = known.get(kubelet) ?? kubeletSettings(configuration, kubelet, 'kubelet', clientLimits);
      known.set(kubelet, settings);
      return settings;
    };
  }

  get size(): number {
    return this.#kubelets.size;
  }

  /** Names of the nodes that have a machine, in order of their addition. */
  get names(): Iterable<string> {
    return this.#kubelets.keys();
  }

  /** Where a machine stands; `undefined` = in no zone. */
  zoneOf(name: string): string | undefined {
    return this.#zones.get(name);
  }

  /** Where the machines of nodes and pods have been. */
  *trails(): Iterable<Trail> {
    for (const kubelet of this.#kubelets.values()) yield* kubelet.machines();
  }

  /** The machine of a node, with what runs on it. */
  kubelet(name: string): Kubelet | undefined {
    return this.#kubelets.get(name);
  }

  /**
   * Lets go of all machines as they are. Time ends with them, and the bus closes their connections: ending each process
   * of each pod first would cost as much as thousands of their writes, and nothing would hear of it.
   */
  dispose(): void {
    this.#kubelets.clear();
  }
}

/** @throws OptionError for a machine on which its kubelet would not start */
function checkMachine(node: NodeSetup, settings: KubeletSettings): void {
  try {
    checkReservation(node.name, node, settings);
  } catch (error) {
    throw error instanceof KubeletConfigurationError ? OptionError.of('nodes', error) : error;
  }
}

/** Nodes of one group share their manifests. @throws OptionError for a manifest that can be no static pod */
function checkStaticPods(nodes: readonly NodeSetup[]): void {
  const known = new Set<NodeSetup['staticPods']>();
  for (const { name, staticPods } of nodes) {
    if (staticPods === undefined || known.has(staticPods)) continue;
    known.add(staticPods);
    try {
      for (const manifest of staticPods) staticPod(manifest, name, '');
    } catch (error) {
      throw error instanceof StaticPodError ? OptionError.of('nodes', error) : error;
    }
  }
}

/**
 * Checks a node as the API server would: a kubelet with a refused node would repeat its request for ever.
 *
 * @throws NodeGroupError that names the field in the API server's words
 */
function checkRegistration(node: NodeSetup | undefined, index: number): void {
  if (node === undefined) return;
  const { name, labels, annotations, taints = [], capacity } = node;
  const metadata = { name, labels, annotations, uid: '', resourceVersion: '', creationTimestamp: '' };
  const [error] = kindRegistry.Node.validateCreate({
    apiVersion: 'v1',
    kind: 'Node',
    metadata,
    spec: { taints: [...taints] },
    status: { capacity },
  });
  if (error !== undefined) throw new NodeGroupError(`nodes[${index}]`, `${error.field}:`, error.detail);
  for (const slice of slicesOf(name, '', node.devices ?? [])) {
    const spec = slice['spec'] as ResourceSlice['spec'];
    const [problem] = kindRegistry.ResourceSlice.validateCreate({ apiVersion: '', kind: '', metadata, spec });
    if (problem === undefined) continue;
    throw new NodeGroupError(`nodes[${index}]`, `devices: ${problem.field}:`, problem.detail);
  }
}

/** Groups become nodes; what only their kubelets are told is said of each of them. @throws NodeGroupError */
export function nodeSetups(descriptions: readonly NodeDescription[]): readonly NodeSetup[] {
  checkReadable('nodes', descriptions);
  if (!Array.isArray(descriptions)) throw new OptionError('nodes', 'a list of node groups', descriptions);
  descriptions.forEach((node: unknown, index) => checkNode(node, index));
  return descriptions.flatMap((node: NodeDescription, index): readonly NodeSetup[] => {
    if (!('count' in node)) {
      checkRegistration(node, index);
      return [node];
    }
    const { kubelet, staticPods, devices } = node;
    const records = buildNodes([node]);
    checkRegistration(records[0], index);
    if (kubelet === undefined && staticPods === undefined && devices === undefined) return records;
    return records.map((record) => ({ ...record, kubelet, staticPods, devices }));
  });
}
