import type { Kind } from '../../api/objects/objects.js';
import { clientLimit } from '../../bus/client-limits.js';
import type { RateLimit } from '../../kernel/token-bucket.js';

/** Settings of the controllers, under the names of kube-controller-manager's flags. */
export interface ControllerSettings {
  /**
   * Requests in a second that each controller's client may send, events among them: less than 0 = no limit,
   * 0 = 5, client-go's own default. @defaultValue 20
   */
  readonly kubeAPIQPS: number;
  /** How many of them may go out at once, 1 or more unless kubeAPIQPS is 0 or less. @defaultValue 30 */
  readonly kubeAPIBurst: number;
  /** Terminated pods that may exist before pod garbage collection deletes some; 0 or less = all may. @defaultValue 12500 */
  readonly terminatedPodGCThreshold: number;
  /** Between two looks at all nodes, ms. @defaultValue 5000 */
  readonly nodeMonitorPeriod: number;
  /** How long a node may be silent before it is Unknown, ms. @defaultValue 50000 */
  readonly nodeMonitorGracePeriod: number;
  /** The same for a node that has no Ready condition yet, ms. @defaultValue 60000 */
  readonly nodeStartupGracePeriod: number;
  /** Nodes per second of a zone that are emptied of pods when they are lost. @defaultValue 0.1 */
  readonly nodeEvictionRate: number;
  /** The same in a large zone that is partly disrupted; in a small one it is 0. @defaultValue 0.01 */
  readonly secondaryNodeEvictionRate: number;
  /** Nodes beyond which a zone is large. @defaultValue 50 */
  readonly largeClusterSizeThreshold: number;
  /** Share of lost nodes, at least three, from which a zone is partly disrupted. @defaultValue 0.55 */
  readonly unhealthyZoneThreshold: number;
  /** Whether volumes of a lost node that still uses them stay attached however long. @defaultValue false */
  readonly disableForceDetachOnTimeout: boolean;
  /**
   * Whether each volume that one node alone may have has a record of which one has it, changed by compare and swap
   * alone; kube-controller-manager has nothing of the kind. @defaultValue false
   */
  readonly attachRecords: boolean;
  /** Drivers of storage that nobody runs: claims wait for them. @defaultValue those of which a dump tells so */
  readonly absentProvisioners: readonly string[];
  /** Why the kinds of an aggregated API are not known; empty = each is. @defaultValue what a dump tells of it */
  readonly discoveryFailure: string;
  /** Group versions behind services that cannot be reached at present. @defaultValue none */
  readonly staleApis: () => readonly string[];
  /** Kinds beyond those that every server keeps. @defaultValue none */
  readonly optionalKinds: readonly Kind[];
  /** Milliseconds that a CSI driver takes to attach a volume to a node. @defaultValue 1000 */
  readonly volumeAttachMs: number;
  /** Milliseconds that a CSI driver takes to detach a volume. @defaultValue 1000 */
  readonly volumeDetachMs: number;
  /** Milliseconds that a CSI driver takes to make a volume for a claim. @defaultValue 100 */
  readonly volumeProvisionMs: number;
  /** Milliseconds that a CSI driver takes to remove a volume. @defaultValue 100 */
  readonly volumeDeleteMs: number;
  /** Milliseconds that a CSI driver takes to make a volume larger, without the file system on it. @defaultValue 1000 */
  readonly volumeExpandMs: number;
  /** Between two syncs of a HorizontalPodAutoscaler, ms. @defaultValue 15000 */
  readonly horizontalPodAutoscalerSyncPeriod: number;
  /** How long the highest recommendation counts before pods are taken away, ms. @defaultValue 300000 */
  readonly horizontalPodAutoscalerDownscaleStabilization: number;
  /** How far use may be off its target before replicas change, as a share. @defaultValue 0.1 */
  readonly horizontalPodAutoscalerTolerance: number;
  /** For how long after its start a pod's use of CPU counts only while it is ready, ms. @defaultValue 300000 */
  readonly horizontalPodAutoscalerCPUInitializationPeriod: number;
  /** For how long after its start a pod may turn unready and count as never having been ready, ms. @defaultValue 30000 */
  readonly horizontalPodAutoscalerInitialReadinessDelay: number;
}

/** The limit of each client of the manager, that of its shared informers among them. */
export function managerLimit({ kubeAPIQPS, kubeAPIBurst }: ControllerSettings): RateLimit | undefined {
  return clientLimit(kubeAPIQPS, kubeAPIBurst);
}

/** What a setting is when nothing is said. */
export const DEFAULT_CONTROLLER_SETTINGS: ControllerSettings = {
  kubeAPIQPS: 20,
  kubeAPIBurst: 30,
  terminatedPodGCThreshold: 12_500,
  nodeMonitorPeriod: 5000,
  nodeMonitorGracePeriod: 50_000,
  nodeStartupGracePeriod: 60_000,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
  disableForceDetachOnTimeout: false,
  attachRecords: false,
  absentProvisioners: [],
  discoveryFailure: '',
  staleApis: () => [],
  optionalKinds: [],
  volumeAttachMs: 1000,
  volumeDetachMs: 1000,
  volumeProvisionMs: 100,
  volumeDeleteMs: 100,
  volumeExpandMs: 1000,
  horizontalPodAutoscalerSyncPeriod: 15_000,
  horizontalPodAutoscalerDownscaleStabilization: 300_000,
  horizontalPodAutoscalerTolerance: 0.1,
  horizontalPodAutoscalerCPUInitializationPeriod: 300_000,
  horizontalPodAutoscalerInitialReadinessDelay: 30_000,
};
