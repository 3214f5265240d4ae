/** What the cluster autoscaler acts on beside the API server: a cloud with groups of machines, and the scheduler's filters. */
import type { Node, Pod } from '../../api/objects/objects.js';
import type { ControllerContext } from '../runtime/controller-definition.js';

/** A machine that a cloud has, or is about to have. */
export interface Instance {
  /** Also that of its Node. */
  readonly name: string;
  /** Why it could not be made. */
  readonly error?: InstanceError | undefined;
}

/** See {@link Instance.error}. */
export interface InstanceError {
  /** `OutOfResourcesErrorClass` or `OtherErrorClass` in upstream's words. */
  readonly errorClass: string;
  readonly code: string;
  readonly message: string;
}

/** Equal machines of which there may be more or fewer. */
export interface NodeGroup {
  readonly id: string;
  readonly minSize: number;
  readonly maxSize: number;
  /** Of one machine for an hour. */
  readonly price: number | undefined;
  /** How many machines there are to be. */
  readonly targetSize: number;
  readonly instances: readonly Instance[];
  /** How many instances there are. */
  readonly size: number;
  /** Instances that could not be made. */
  readonly failed: readonly Instance[];
  /** The next machine as a Node. */
  template(): Node;
  /** @throws CloudError */
  increaseSize(by: number): void;
  /** Asks for fewer machines than were asked for, of those that are not there yet. */
  decreaseTargetSize(by: number): void;
  /** Takes these machines away. @throws CloudError */
  deleteNodes(names: readonly string[]): void;
}

/** A cloud does not do what it is asked. */
export class CloudError extends Error {
  override readonly name = 'CloudError';
}

/** What a cloud knows of the machine of a Node, at any time: asking it costs less than looking for it by name. */
export interface CloudMachine {
  /** `undefined` = it is not of an autoscaled group. */
  readonly group: NodeGroup | undefined;
  /** Whether a machine of that name is there, of whatever group or none. */
  readonly isThere: boolean;
}

/** See the file header. */
export interface Cloud {
  readonly groups: readonly NodeGroup[];
  /** `undefined` = the node is not of an autoscaled group. */
  groupOf(node: string): NodeGroup | undefined;
  /** The machine of a node that has just been seen; it holds for as long as the Node is there. */
  machineOf(node: string): CloudMachine;
  /**
   * What has come, gone, or changed its group since.
   *
   * @param place - that of the answer before; 0 at first
   * @returns names, or `undefined` for all there are
   */
  machinesSince(place: number): { readonly place: number; readonly names: readonly string[] | undefined };
}

/** Why a pod does not go to a node. */
export interface Rejection {
  readonly plugin: string;
  readonly reasons: readonly string[];
}

/** What is counted in cores and bytes. */
export interface Amounts {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/** A node of the picture with what is on it. */
export interface PlacedNode extends Amounts {
  readonly node: Node;
  readonly pods: readonly Pod[];
  readonly allocatableCpuMillis: number;
  readonly allocatableMemoryBytes: number;
}

/**
 * A picture of nodes and pods, in which pods are put where the scheduler's filters let them. It follows the cluster;
 * what is changed in it is taken back by `revert`.
 */
export interface Placement {
  fork(): void;
  revert(): void;
  commit(): void;
  has(node: string): boolean;
  find(node: string): PlacedNode | undefined;
  addNode(node: Node, pods: readonly Pod[]): void;
  removeNode(name: string): void;
  put(pod: Pod, node: string): void;
  whyNot(pod: Pod, node: string): Rejection | undefined;
  schedule(pod: Pod, node: string): Rejection | undefined;
  scheduleAnywhere(pod: Pod, accepts: (node: string) => boolean): string | undefined;
  /** As `scheduleAnywhere`; `accepts` is the same each time, and never accepts what it has not accepted before. */
  search(pod: Pod, accepts: (node: string) => boolean): string | undefined;
  requestsOf(pod: Pod): Amounts;
}

/** How a run of the autoscaler gets its picture. */
export type CreatePlacement = (
  context: ControllerContext,
  options: { readonly counts: (pod: Pod) => boolean; readonly onTouched: (node: string) => void },
) => Placement;
