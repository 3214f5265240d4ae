/** What the cluster autoscaler goes by, under the names of cluster-autoscaler v1.34's flags; durations in milliseconds. */

/** Ways to choose among the groups that a scale-up could grow, by upstream's names. */
export const EXPANDERS = ['random', 'most-pods', 'least-waste', 'least-nodes', 'price', 'priority'] as const;

/** See {@link EXPANDERS}. */
export type ExpanderName = (typeof EXPANDERS)[number];

/** Bounds of a sum over all nodes. */
export interface TotalLimits {
  readonly min: number;
  readonly max: number;
}

/** See the file header. */
export interface AutoscalerSettings {
  readonly scanInterval: number;
  /** Each narrows what the ones before it left; of what is left in the end chance takes one. */
  readonly expander: readonly ExpanderName[];
  /** 0 = no limit. */
  readonly maxNodesTotal: number;
  readonly coresTotal: TotalLimits;
  /** Gibibytes. */
  readonly memoryTotal: TotalLimits;
  readonly maxNodesPerScaleup: number;
  readonly balanceSimilarNodeGroups: boolean;
  readonly enforceNodeGroupMinSize: boolean;
  readonly scaleUpFromZero: boolean;
  readonly newPodScaleUpDelay: number;
  readonly maxNodeProvisionTime: number;
  readonly initialNodeGroupBackoffDuration: number;
  readonly maxNodeGroupBackoffDuration: number;
  readonly nodeGroupBackoffResetTimeout: number;
  readonly maxTotalUnreadyPercentage: number;
  readonly okTotalUnreadyCount: number;
  readonly scaleDownEnabled: boolean;
  readonly scaleDownUnreadyEnabled: boolean;
  readonly scaleDownDelayAfterAdd: number;
  readonly scaleDownDelayAfterDelete: number;
  readonly scaleDownDelayAfterFailure: number;
  readonly scaleDownUnneededTime: number;
  readonly scaleDownUnreadyTime: number;
  readonly scaleDownUtilizationThreshold: number;
  readonly ignoreDaemonsetsUtilization: boolean;
  readonly ignoreMirrorPodsUtilization: boolean;
  readonly unremovableNodeRecheckTimeout: number;
  readonly maxScaleDownParallelism: number;
  readonly maxDrainParallelism: number;
  readonly maxBulkSoftTaintCount: number;
  readonly maxBulkSoftTaintTime: number;
  readonly maxGracefulTerminationSec: number;
  readonly maxPodEvictionTime: number;
  readonly nodeDeleteDelayAfterTaint: number;
  readonly nodeDeletionDelayTimeout: number;
  readonly cordonNodeBeforeTerminating: boolean;
  readonly daemonsetEvictionForEmptyNodes: boolean;
  readonly daemonsetEvictionForOccupiedNodes: boolean;
  readonly expendablePodsPriorityCutoff: number;
  readonly skipNodesWithSystemPods: boolean;
  readonly skipNodesWithLocalStorage: boolean;
  readonly skipNodesWithCustomControllerPods: boolean;
  readonly minReplicaCount: number;
  /** Spelled as upstream's flag is. */
  readonly blockingSystemPodDistruptionTimeout: number;
  readonly forceDs: boolean;
  readonly startupTaints: readonly string[];
  readonly statusTaints: readonly string[];
  readonly writeStatusConfigmap: boolean;
  readonly kubeClientQPS: number;
  readonly kubeClientBurst: number;
}

const MINUTE_MS = 60_000;

/** Upstream's defaults. */
export const DEFAULT_AUTOSCALER_SETTINGS: AutoscalerSettings = {
  scanInterval: 10_000,
  expander: ['least-waste'],
  maxNodesTotal: 0,
  coresTotal: { min: 0, max: 320_000 },
  memoryTotal: { min: 0, max: 6_400_000 },
  maxNodesPerScaleup: 1000,
  balanceSimilarNodeGroups: false,
  enforceNodeGroupMinSize: false,
  scaleUpFromZero: true,
  newPodScaleUpDelay: 0,
  maxNodeProvisionTime: 15 * MINUTE_MS,
  initialNodeGroupBackoffDuration: 5 * MINUTE_MS,
  maxNodeGroupBackoffDuration: 30 * MINUTE_MS,
  nodeGroupBackoffResetTimeout: 180 * MINUTE_MS,
  maxTotalUnreadyPercentage: 45,
  okTotalUnreadyCount: 3,
  scaleDownEnabled: true,
  scaleDownUnreadyEnabled: true,
  scaleDownDelayAfterAdd: 10 * MINUTE_MS,
  scaleDownDelayAfterDelete: 0,
  scaleDownDelayAfterFailure: 3 * MINUTE_MS,
  scaleDownUnneededTime: 10 * MINUTE_MS,
  scaleDownUnreadyTime: 20 * MINUTE_MS,
  scaleDownUtilizationThreshold: 0.5,
  ignoreDaemonsetsUtilization: false,
  ignoreMirrorPodsUtilization: false,
  unremovableNodeRecheckTimeout: 5 * MINUTE_MS,
  maxScaleDownParallelism: 10,
  maxDrainParallelism: 1,
  maxBulkSoftTaintCount: 10,
  maxBulkSoftTaintTime: 3000,
  maxGracefulTerminationSec: 600,
  maxPodEvictionTime: 2 * MINUTE_MS,
  nodeDeleteDelayAfterTaint: 5000,
  nodeDeletionDelayTimeout: 2 * MINUTE_MS,
  cordonNodeBeforeTerminating: true,
  daemonsetEvictionForEmptyNodes: false,
  daemonsetEvictionForOccupiedNodes: true,
  expendablePodsPriorityCutoff: -10,
  skipNodesWithSystemPods: true,
  skipNodesWithLocalStorage: true,
  skipNodesWithCustomControllerPods: true,
  minReplicaCount: 0,
  blockingSystemPodDistruptionTimeout: 60 * MINUTE_MS,
  forceDs: false,
  startupTaints: [],
  statusTaints: [],
  writeStatusConfigmap: true,
  kubeClientQPS: 5,
  kubeClientBurst: 10,
};
