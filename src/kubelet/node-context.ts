/** What the parts of one node's kubelet share: its means, and what is known about its machine. */
import type { core } from '../api/objects.js';
import type { Client } from '../bus/bus-types.js';
import type { Kernel } from '../kernel/kernel.js';
import type { RandomStream } from '../kernel/random.js';
import type { PodRange } from './address-plan.js';
import type { ContainerRuntime } from './container-runtime.js';
import type { ImageStore } from './image-store.js';
import type { NodeResources } from './node-resources.js';
import type { PodEvents } from './pod-events.js';
import type { RuntimeProfile } from './runtime-profile.js';
import type { SharedParts } from './shared-parts.js';

/** See the file header. */
export interface NodeContext {
  readonly nodeName: string;
  readonly kernel: Kernel;
  readonly client: Client;
  readonly events: PodEvents;
  readonly profile: RuntimeProfile;
  /** The node's own stream, `kubelet/<node>`. */
  readonly random: RandomStream;
  readonly runtime: ContainerRuntime;
  readonly images: ImageStore;
  readonly podRange: PodRange;
  readonly resources: NodeResources;
  readonly parts: SharedParts;
  /** `status.hostIPs` of the node's pods: its InternalIP. */
  readonly hostIps: core.HostIP[];
  /** Told when an image has arrived that was not there. */
  readonly onImageKept: () => void;
}
