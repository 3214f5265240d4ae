/**
 * A scenario as data: a cluster, what it runs, what happens to it when, and what is expected of it. Times are
 * milliseconds of simulated time since the cluster's nodes were ready.
 */
import type { Draft, Kind, Taint } from '../../api/objects/objects.js';
import type { Patch, ScalableKind } from '../../apiserver/store/server-types.js';
import type { FaultVerb } from '../../faults/fault.js';
import type { ClusterDeleteOptions } from '../../cluster/delete-options.js';
import type { DrainOptions } from '../../cluster/drain/drain-options.js';
import type { ClusterOptions } from '../../cluster/options.js';
import type { LoadRate } from '../../cluster/service-load.js';
import type { Threshold } from '../../measurements/thresholds.js';

/**
 * A node by its name, as the one that a pod, or the first bound pod with some labels, is bound to at that moment,
 * or as the one of an earlier action.
 */
export type NodeChoice =
  | { readonly name: string }
  | { readonly ofPod: string }
  | { readonly ofPods: string }
  | { readonly ofAction: string };

/** An object that an action is about. */
export interface TargetObject {
  readonly kind: Kind;
  readonly namespace: string;
  /** Of a node, it may be found out when the action is taken. */
  readonly name: string | NodeChoice;
}

/** A fault as a file says it: the node may be found out when the action is taken. */
export interface ScenarioFault {
  readonly verb: FaultVerb;
  readonly node: NodeChoice | undefined;
  /** The other fields of the fault. */
  readonly target: Readonly<Record<string, unknown>>;
}

/** What is done. */
export type Step =
  | { readonly verb: 'apply'; readonly objects: readonly Draft[] }
  | { readonly verb: 'delete'; readonly target: TargetObject; readonly options: ClusterDeleteOptions }
  | { readonly verb: 'evict'; readonly target: TargetObject }
  | {
      readonly verb: 'scale';
      readonly target: TargetObject & { readonly kind: ScalableKind };
      readonly replicas: number;
    }
  | {
      readonly verb: 'load';
      readonly service: { readonly name: string; readonly namespace: string };
      readonly rate: LoadRate;
    }
  | { readonly verb: 'patch'; readonly target: TargetObject; readonly body: unknown; readonly type: Patch['type'] }
  /** The object as it was, changed, in place of what it is so long afterwards. */
  | { readonly verb: 'edit'; readonly target: TargetObject; readonly body: unknown; readonly forMs: number }
  | { readonly verb: 'cordon' | 'uncordon'; readonly node: NodeChoice }
  | { readonly verb: 'drain'; readonly node: NodeChoice; readonly options: DrainOptions }
  | { readonly verb: 'taint'; readonly node: NodeChoice; readonly taint: Taint }
  | { readonly verb: 'untaint'; readonly node: NodeChoice; readonly key: string; readonly effect: string | undefined }
  | { readonly verb: 'fault'; readonly fault: ScenarioFault; readonly forMs: number | undefined }
  /** The fault of the action of that name; absent = all of them. */
  | { readonly verb: 'heal'; readonly action: string | undefined };

/** What is done when. */
export interface ScenarioAction {
  readonly atMs: number;
  /** Others refer to it by that. */
  readonly name: string | undefined;
  /** A refusal is no failure of the scenario. */
  readonly mayFail: boolean;
  readonly step: Step;
  readonly refuse: Refusal;
}

/** Makes the error about a field below some place of the file. */
export type Refusal = (keys: readonly string[], problem: string) => Error;

/** Objects of a kind, as a condition counts them. */
export interface ObjectSelection {
  readonly kind: Kind;
  /** Absent = all namespaces. */
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly name: string | NodeChoice | undefined;
  /** Only pods of that node. */
  readonly node: NodeChoice | undefined;
  /** Paths of fields and what stands there; `null` = nothing. */
  readonly where: readonly (readonly [path: readonly string[], value: unknown])[];
  /** The condition of that type has that status. */
  readonly condition: { readonly type: string; readonly status: string } | undefined;
  /** A taint with that key is, or is not, there. */
  readonly taint: string | undefined;
  readonly isTerminating: boolean | undefined;
  /** The workload is complete, as `kubectl rollout status` sees it. */
  readonly isComplete: boolean;
}

/** Event objects, as a condition counts their occurrences. */
export interface EventSelection {
  readonly reason: string | undefined;
  readonly type: string | undefined;
  /** A part of the message. */
  readonly message: string | undefined;
  readonly about: { readonly kind: Kind; readonly namespace: string | undefined; readonly name: string } | undefined;
}

/** What a condition counts. */
export type Subject =
  | { readonly of: 'objects'; readonly selection: ObjectSelection }
  | { readonly of: 'events'; readonly selection: EventSelection }
  /** Process sets by the truth of the nodes. */
  | { readonly of: 'processes'; readonly pod: string | undefined; readonly node: NodeChoice | undefined }
  /** Mounts by the truth of the nodes; of a PersistentVolume by its name. */
  | {
      readonly of: 'mounts';
      readonly volume: string | undefined;
      readonly pod: string | undefined;
      readonly node: NodeChoice | undefined;
    }
  /** Since the beginning. */
  | { readonly of: 'splitBrains' | 'unconfirmedDeletions'; readonly pod: string | undefined }
  /** Budgets that were broken since the beginning. */
  | { readonly of: 'brokenBudgets'; readonly budget: string | undefined };

/** Holds while a count is within bounds. */
export interface Condition {
  readonly subject: Subject;
  readonly min: number;
  readonly max: number;
  /** As the file says it. */
  readonly text: string;
}

/**
 * `by`: the condition holds once, from `fromMs` to `untilMs`. `at`: it holds at `untilMs`. `always` and
 * `never`: it holds, or does not, from `fromMs` to `untilMs`.
 */
export interface Expectation {
  readonly mode: 'by' | 'at' | 'always' | 'never';
  readonly title: string;
  readonly fromMs: number;
  /** Absent = the end of the scenario. */
  readonly untilMs: number | undefined;
  readonly condition: Condition;
}

/** See the file header. */
export interface Scenario {
  readonly source: string;
  readonly title: string | undefined;
  readonly cluster: ClusterOptions;
  readonly workloads: readonly Draft[];
  readonly actions: readonly ScenarioAction[];
  readonly expectations: readonly Expectation[];
  /** Bounds on what is measured from its beginning to its end. */
  readonly thresholds: readonly Threshold[];
  /** Its `until`: it does not end before, ms; 0 = it ends as soon as all is decided and done. */
  readonly untilMs: number;
  /** The latest of all times that it names. */
  readonly endMs: number;
  /** About its `cluster`. */
  readonly refuse: Refusal;
}
