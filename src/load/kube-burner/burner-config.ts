/** A workload of kube-burner once it is read (pkg/config/types.go), with every default filled in. */
import type { Params } from '../input/load-fields.js';
import type { BurnerHook } from './job-hooks.js';
import type { IncrementalLoad } from './load-steps.js';

/** See the file header. */
export interface BurnerConfig {
  readonly gc: boolean;
  readonly gcMetrics: boolean;
  /** Whether nothing is played unless the nodes are well. */
  readonly clusterHealth: boolean;
  readonly waitWhenFinished: boolean;
  readonly timeoutMs: number;
  /** Paths of files with templates that others may call. */
  readonly functionTemplates: readonly string[];
  readonly measurements: readonly BurnerMeasurement[];
  /** Folders of local indexers, where documents go. */
  readonly metricsDirectories: readonly string[];
  readonly jobs: readonly BurnerJob[];
  /** What is asked for and not simulated. */
  readonly ignored: readonly string[];
}

export interface BurnerMeasurement {
  readonly name: string;
  readonly thresholds: readonly LatencyThreshold[];
}

export interface LatencyThreshold {
  readonly conditionType: string;
  readonly metric: string;
  readonly thresholdMs: number;
}

export type JobType = 'create' | 'delete' | 'patch' | 'read';

export interface BurnerJob {
  readonly name: string;
  readonly jobType: JobType;
  readonly jobIterations: number;
  readonly namespace: string;
  readonly namespacedIterations: boolean;
  readonly iterationsPerNamespace: number;
  readonly preCreateNamespaces: boolean;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly namespaceAnnotations: Readonly<Record<string, string>>;
  readonly podWait: boolean;
  readonly waitWhenFinished: boolean;
  readonly waitForDeletion: boolean;
  readonly objectWait: boolean;
  readonly maxWaitTimeoutMs: number;
  readonly jobIterationDelayMs: number;
  readonly objectDelayMs: number;
  readonly jobPauseMs: number;
  readonly qps: number;
  readonly burst: number;
  readonly verifyObjects: boolean;
  readonly errorOnVerify: boolean;
  readonly preLoadImages: boolean;
  readonly preLoadPeriodMs: number;
  readonly preLoadNodeLabels: Readonly<Record<string, string>>;
  readonly gc: boolean;
  readonly isSequential: boolean;
  readonly skipIndexing: boolean;
  readonly metricsAggregate: boolean;
  readonly missingKeysAreZero: boolean;
  readonly churn: ChurnSettings | undefined;
  readonly incrementalLoad: IncrementalLoad | undefined;
  readonly hooks: readonly BurnerHook[];
  readonly watchers: readonly BurnerWatcher[];
  /** What its end in the documents is. */
  readonly metricsClosing: 'afterJob' | 'afterJobPause' | 'afterMeasurements';
  readonly measurements: readonly BurnerMeasurement[];
  readonly objects: readonly BurnerObject[];
  /** As it was written, for documents. */
  readonly plain: Params;
}

export interface ChurnSettings {
  readonly mode: 'namespaces' | 'objects';
  readonly cycles: number;
  readonly percent: number;
  /** 0 = no limit. */
  readonly durationMs: number;
  readonly delayMs: number;
  readonly deleteDelayMs: number;
}

/** So many watches of a kind. */
export interface BurnerWatcher {
  readonly kind: string;
  readonly apiVersion: string;
  readonly labelSelector: Params;
  readonly replicas: number;
}

export interface BurnerObject {
  readonly objectTemplate: string;
  readonly replicas: number;
  readonly inputVars: Params;
  readonly wait: boolean;
  readonly waitOptions: WaitOptions;
  readonly runOnce: boolean;
  readonly churn: boolean;
  readonly group: number;
  /** Has the objects deleted once their group is there; absent = they stay. */
  readonly groupGc: { readonly pauseBeforeMs: number; readonly pauseAfterMs: number } | undefined;
  readonly repeatEveryNIterations: number;
  /** Of delete, patch and read. */
  readonly kind: string;
  readonly apiVersion: string;
  readonly labelSelector: Params;
  readonly patchType: string;
}

export interface WaitOptions {
  readonly kind: string;
  readonly apiVersion: string;
  readonly labelSelector: Params;
  readonly customStatusPaths: readonly { readonly key: string; readonly value: string }[];
}

/** Measurements that can be answered here. */
export const BURNER_MEASUREMENTS: readonly string[] = ['podLatency', 'jobLatency', 'pvcLatency', 'nodeLatency'];
