/** What the parts of one node's kubelet share: its means, and what is known about its machine. */
import type { core } from '../../api/objects/objects.js';
import type { Client } from '../../bus/bus-types.js';
import type { Kernel } from '../../kernel/engine/kernel.js';
import type { MachineWatch } from '../../machines/trail.js';
import type { RandomStream } from '../../kernel/random.js';
import type { PodRange } from './address-plan.js';
import type { ContainerRuntime } from '../containers/container-runtime.js';
import type { Players } from '../playing/players.js';
import type { ImagePuller } from '../containers/image-puller.js';
import type { ImageStore } from '../images/image-store.js';
import type { KubeletSettings } from '../configuration/kubelet-configuration.js';
import type { NodeEvents } from './node-events.js';
import type { OomKiller } from '../memory/oom-killer.js';
import type { Machine } from './node-object.js';
import type { NodeResources } from './node-resources.js';
import type { NodeSituation } from './node-situation.js';
import type { PodNetwork } from '../network/pod-network.js';
import type { RequestWork } from '../containers/request-work.js';
import type { PodEvents } from '../events/pod-events.js';
import type { ProbeManager } from '../probes/probe-manager.js';
import type { RuntimeProfile } from '../scripts/runtime-profile.js';
import type { ScriptSource } from '../scripts/script-types.js';
import type { SharedParts } from '../status/shared-parts.js';
import type { VolumeManager } from '../volumes/volume-manager.js';

/** See the file header. */
export interface NodeContext {
  readonly nodeName: string;
  /** What its link is called: `kubelet/<node>`. */
  readonly party: string;
  /** Told of the steps of its machines. */
  readonly machineWatch: MachineWatch;
  readonly machine: Machine;
  readonly settings: KubeletSettings;
  readonly kernel: Kernel;
  readonly client: Client;
  readonly events: PodEvents;
  readonly nodeEvents: NodeEvents;
  readonly profile: RuntimeProfile;
  /** What the containers of the node's pods do. */
  readonly scripts: ScriptSource;
  /** The node's own stream, `kubelet/<node>`. */
  readonly random: RandomStream;
  readonly runtime: ContainerRuntime;
  readonly oomKiller: OomKiller;
  readonly images: ImageStore;
  readonly puller: ImagePuller;
  readonly probes: ProbeManager;
  readonly podRange: PodRange;
  readonly resources: NodeResources;
  readonly situation: NodeSituation;
  readonly parts: SharedParts;
  readonly volumes: VolumeManager;
  /** Between the pods of all machines. */
  readonly network: PodNetwork;
  /** What requests from outside cost. */
  readonly requestWork: RequestWork | undefined;
  /** Containers that compute. */
  readonly players: Players;
  /** `status.hostIPs` of the node's pods: its InternalIP. */
  readonly hostIps: core.HostIP[];
  /** How long until a sync that failed is tried again, ms. */
  readonly drawRetryMs: () => number;
  /** Told when images have come or gone. */
  readonly onImageKept: () => void;
}
