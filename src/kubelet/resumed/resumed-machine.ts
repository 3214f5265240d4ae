/**
 * A machine that was there before the cluster's time began, as others have written it down: its node, the pods that
 * run on it, and what only its kubelet knew of them. Plain data.
 */
import type { Node, Pod } from '../../api/objects/objects.js';
import type { ContainerExit } from '../containers/container-runtime.js';
import type { BackOffEntry } from '../containers/restart-back-off.js';
import type { NodeVolume } from '../volumes/mount-table.js';

/** What no object tells of a container. */
export interface ContainerMemory {
  readonly backOff?: BackOffEntry | undefined;
  /** How its present run will end by itself. */
  readonly end?: ContainerExit | undefined;
  readonly failedCreations?: number | undefined;
  readonly spentCpuSeconds?: number | undefined;
}

/** What no object tells of a pod. */
export interface PodMemory {
  /** By name. */
  readonly containers: Readonly<Record<string, ContainerMemory>>;
  /** By image. */
  readonly failedPulls?: Readonly<Record<string, BackOffEntry & { readonly error: string }>> | undefined;
}

/** A pod that has begun to run on the machine. */
export interface ResumedPod {
  readonly pod: Pod;
  /** Volumes of its claims, by their names in the pod. */
  readonly mounts: ReadonlyMap<string, NodeVolume>;
  /** Absent = no more is known than the pod's status tells. */
  readonly memory?: PodMemory | undefined;
}

/** See the file header. */
export interface ResumedMachine {
  readonly node: Node;
  readonly pods: readonly ResumedPod[];
  /** Whether its kubelet runs: that of a node that nothing was heard of does not. */
  readonly isRunning: boolean;
  readonly isPowered: boolean;
}

/** What no object tells of a machine; times count from now. */
export interface MachineMemory {
  /** Whether its kubelet runs. */
  readonly isRunning: boolean;
  readonly isPowered: boolean;
  /** Images that its node's status does not name. */
  readonly images: readonly string[];
  /** By uid: pods of which more is known than their statuses tell. */
  readonly pods: Readonly<Record<string, PodMemory>>;
}
