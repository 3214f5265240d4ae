/** A test of clusterloader2 once it is read (api/types.go): every module in its place, every default filled in. */
import type { LoadFields, Params } from '../input/load-fields.js';

/** See the file header. */
export interface LoadConfig {
  readonly name: string;
  readonly namespace: NamespaceSettings;
  readonly tuningSets: readonly TuningSet[];
  readonly steps: readonly Step[];
  readonly chaosMonkey: ChaosMonkeySettings | undefined;
  readonly dependencies: readonly Dependency[];
  /** As it was written, with modules in their place. */
  readonly plain: Params;
}

/** What a test wants to be installed before it begins. */
export interface Dependency {
  readonly method: string;
  readonly params: Params;
}

export interface NamespaceSettings {
  readonly number: number;
  /** Absent = `test-` and six random characters. */
  readonly prefix: string | undefined;
  readonly deleteAutomanagedNamespaces: boolean;
  readonly deleteNamespaceTimeoutMs: number;
}

export interface Step {
  readonly name: string;
  readonly phases: readonly Phase[];
  readonly measurements: readonly MeasurementCall[];
}

export interface Phase {
  /** Absent = neither is given: objects of the cluster. */
  readonly namespaceRange:
    | { readonly min: number; readonly max: number; readonly basename: string | undefined }
    | undefined;
  readonly namespaceList: readonly string[] | undefined;
  readonly replicasPerNamespace: number;
  readonly tuningSet: string;
  readonly objectBundle: readonly ObjectTemplate[];
}

export interface ObjectTemplate {
  readonly basename: string;
  readonly objectTemplatePath: string;
  readonly templateFillMap: Params;
  /** Counts objects that the test did not make itself; a label selector as text. */
  readonly unknownObjects: string | undefined;
}

export interface MeasurementCall {
  readonly method: string;
  /** One for each instance. */
  readonly instances: readonly { readonly identifier: string; readonly params: LoadFields }[];
  /** Of the step's report. */
  readonly identifier: string;
}

/** How the actions of a phase follow each other. */
export type TuningSet = { readonly name: string; readonly initialDelayMs: number } & Pace;

export type Pace =
  | { readonly type: 'qpsLoad'; readonly qps: number }
  | { readonly type: 'randomizedLoad'; readonly averageQps: number }
  | { readonly type: 'steppedLoad'; readonly burstSize: number; readonly stepDelayMs: number }
  | { readonly type: 'timeLimitedLoad' | 'randomizedTimeLimitedLoad'; readonly timeLimitMs: number }
  | { readonly type: 'parallelismLimitedLoad'; readonly parallelismLimit: number }
  | { readonly type: 'globalQPSLoad'; readonly qps: number; readonly burst: number }
  | { readonly type: 'poissonLoad'; readonly expectedActionsPerSecond: number };

export interface ChaosMonkeySettings {
  readonly failureRate: number;
  readonly intervalMs: number;
  readonly jitterFactor: number;
  readonly simulatedDowntimeMs: number;
  readonly excludedNodes: readonly string[];
}
