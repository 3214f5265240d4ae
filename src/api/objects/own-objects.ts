/** The objects of kubeloom.dev/v1alpha1, whose specs were checked when they were written. */
import type { NodeDevices } from './device-objects.js';
import type { KubeObject } from './kube-object.js';
import type { core, ResourceList, StringMap, Taint } from './objects.js';

/** What the clock is asked to do. */
export interface ClockSpec {
  readonly mode?: 'RealTime' | 'Virtual';
  /** Simulated seconds per real one, in real time. */
  readonly speed?: number;
  readonly paused?: boolean;
  /** A duration by which time is to go ahead at once; it becomes `advanceTo` when it is taken up. */
  readonly advanceBy?: string;
  /** The time to which it goes ahead, as fast as the machine can. */
  readonly advanceTo?: string;
}

/** The time of a cluster as an object. */
export interface ClockObject extends KubeObject {
  readonly spec?: ClockSpec;
}

/** What has come of a fault. */
export interface FaultStatus {
  readonly observedGeneration: number;
  readonly phase: 'Active' | 'Healed' | 'Failed';
  readonly message?: string;
  readonly startTime?: string;
  readonly endTime?: string;
  readonly effects?: number;
  readonly lastEffectTime?: string;
}

/** What goes wrong, as an object. */
export interface FaultObject extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: FaultStatus;
}

/** How far the cluster autoscaler may change the size of a pool. */
export interface PoolAutoscaling {
  /** @defaultValue 0 */
  readonly min?: number;
  readonly max?: number;
  /** Of one node for an hour; for the expander `price`. */
  readonly price?: number;
}

/** How many nodes of one shape there are to be. */
export interface NodePoolSpec {
  readonly count?: number;
  /** From the moment at which a machine is asked for to that at which it starts. @defaultValue none */
  readonly provisioningDelay?: number | string;
  /** @defaultValue the pool has the size that it says */
  readonly autoscaling?: PoolAutoscaling;
  readonly namePrefix?: string;
  readonly zones?: readonly string[];
  readonly region?: string;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly taints?: readonly Taint[];
  readonly capacity?: ResourceList;
  readonly allocatable?: ResourceList;
  readonly images?: readonly core.ContainerImage[];
  readonly devices?: readonly NodeDevices[];
}

/** What there is of them. */
export interface NodePoolStatus {
  readonly observedGeneration: number;
  readonly count: number;
  readonly ready: number;
  readonly selector: string;
  readonly message?: string;
}

/** Equal nodes as one object. */
export interface NodePoolObject extends KubeObject {
  readonly spec?: NodePoolSpec;
  readonly status?: NodePoolStatus;
}

/** Requests that come to a service. */
export interface LoadSpec {
  /** In the same namespace. @defaultValue the name of the Load */
  readonly service?: string;
  /** Requests a second, or a text that says how they change. */
  readonly rate?: number | string;
  /** In the place of `rate`: lines of a time, a comma and requests a second. */
  readonly table?: string;
}

/** How they fare; all but the first two fields are worked out when the object is read. */
export interface LoadStatus {
  readonly observedGeneration: number;
  /** When the rate began. */
  readonly startTime: string;
}

/** Requests that come to a service, as an object. */
export interface LoadObject extends KubeObject {
  readonly spec?: LoadSpec;
  readonly status?: LoadStatus;
}
