/**
 * The steps of a workload, with every parameter resolved and every template read. Names and meaning are
 * those of test/integration/scheduler_perf, Kubernetes v1.34; `kubelets` and the stages `Ready` and
 * `NodesSchedulable` are additions to upstream's.
 */
import type { ObjectTemplate } from './object-template.js';

/** What a barrier waits for. */
export type Stage = 'Scheduled' | 'Attempted' | 'Ready' | 'NodesSchedulable';

/** Labels that objects must have, each with this value. */
export type RequiredLabels = Readonly<Record<string, string>>;

/** How the nodes of a step are made ready. */
export type NodeStrategy =
  /** One of the values for each node, in turn. */
  | { readonly kind: 'label'; readonly labelKey: string; readonly labelValues: readonly string[] }
  /** A value of its own for each node. */
  | { readonly kind: 'uniqueLabel'; readonly labelKey: string }
  /** More to give on each node, and a CSINode with these limits per driver. */
  | {
      readonly kind: 'allocatable';
      readonly nodeAllocatable: Readonly<Record<string, string>>;
      /** Volumes per driver; absent = no limit. */
      readonly csiNodeAllocatable: Readonly<Record<string, { readonly count?: number }>>;
      readonly migratedPlugins: readonly string[];
    };

/** Makes nodes. */
export interface CreateNodes {
  readonly opcode: 'createNodes';
  readonly count: number;
  /** Absent = 4 cpus, 32Gi, 110 pods, named after the step. */
  readonly template: ObjectTemplate | undefined;
  readonly strategy: NodeStrategy | undefined;
  /** Whether each node has a kubelet that runs pods; then `template` is absent. */
  readonly kubelets: boolean;
}

/** Makes namespaces `prefix-0`, `prefix-1`, … */
export interface CreateNamespaces {
  readonly opcode: 'createNamespaces';
  readonly prefix: string;
  readonly count: number;
  readonly template: ObjectTemplate | undefined;
}

/** Makes pods, and waits until they are scheduled unless told otherwise. */
export interface CreatePods {
  readonly opcode: 'createPods';
  readonly namespace: string;
  readonly count: number;
  /** Absent = one container with 100m and 500Mi. */
  readonly template: ObjectTemplate | undefined;
  /** A volume and a claim, bound to each other, for each pod. */
  readonly volumes: { readonly volume: ObjectTemplate; readonly claim: ObjectTemplate } | undefined;
  /** Measures from before the first is made until the last is scheduled. */
  readonly collectMetrics: boolean;
  readonly skipWaitToCompletion: boolean;
}

/** Deletes the pods that are there. */
export interface DeletePods {
  readonly opcode: 'deletePods';
  readonly namespace: string;
  readonly labelSelector: RequiredLabels;
  readonly skipWaitToCompletion: boolean;
  /** 0 = all at once. */
  readonly deletePodsPerSecond: number;
}

/** Makes objects, or makes and deletes them in turn, for as long as the workload runs. */
export interface Churn {
  readonly opcode: 'churn';
  readonly mode: 'create' | 'recreate';
  /** Objects per template; 0 = no end. */
  readonly number: number;
  readonly intervalMilliseconds: number;
  readonly namespace: string;
  readonly templates: readonly ObjectTemplate[];
}

/** Makes objects of any kind. */
export interface CreateAny {
  readonly opcode: 'createAny';
  /** Absent for kinds without namespaces. */
  readonly namespace: string | undefined;
  readonly count: number;
  readonly template: ObjectTemplate;
}

/** Replaces objects of any kind. */
export interface UpdateAny {
  readonly opcode: 'updateAny';
  readonly namespace: string | undefined;
  readonly count: number;
  readonly template: ObjectTemplate;
  /** 0 = all at once. */
  readonly updatePerSecond: number;
}

/** Waits. */
export interface Barrier {
  readonly opcode: 'barrier';
  /** Empty = all in which pods are still waited for. */
  readonly namespaces: readonly string[];
  readonly labelSelector: RequiredLabels;
  readonly stageRequirement: Stage;
}

/** Lets simulated time pass. */
export interface Sleep {
  readonly opcode: 'sleep';
  readonly durationMs: number;
}

/** Measures the pods of these namespaces from here on. */
export interface StartCollectingMetrics {
  readonly opcode: 'startCollectingMetrics';
  readonly namespaces: readonly string[];
  readonly labelSelector: RequiredLabels;
}

/** One step. */
export type PerfOperation =
  | CreateNodes
  | CreateNamespaces
  | CreatePods
  | DeletePods
  | Churn
  | CreateAny
  | UpdateAny
  | Barrier
  | Sleep
  | StartCollectingMetrics
  | { readonly opcode: 'stopCollectingMetrics' };
