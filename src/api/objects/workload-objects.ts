/** Workloads and budgets that the scheduler looks at besides replica sets and deployments. */
import type * as apps from 'kubernetes-types/apps/v1.js';
import type * as core from 'kubernetes-types/core/v1.js';
import type * as policy from 'kubernetes-types/policy/v1.js';
import type { KubeObject, PodTemplateSpec } from './kube-object.js';

type Stored<T> = Readonly<Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'spec' | 'status'>> & KubeObject;

/** Pods with names and storage of their own. */
export type StatefulSet = Stored<apps.StatefulSet> & {
  readonly spec: Readonly<Omit<apps.StatefulSetSpec, 'template'>> & { readonly template: PodTemplateSpec };
  readonly status: Readonly<apps.StatefulSetStatus>;
};
/** What a stateful set or daemon set looked like at one time. */
export type ControllerRevision = Omit<Stored<apps.ControllerRevision>, 'data'> & {
  /** Numbers the revisions of one owner: the highest is the newest. */
  readonly revision: number;
  readonly data: Readonly<Record<string, unknown>>;
};
/** A pod for every node that fits. */
export type DaemonSet = Stored<apps.DaemonSet> & {
  readonly spec: Readonly<Omit<apps.DaemonSetSpec, 'template'>> & { readonly template: PodTemplateSpec };
  readonly status: Readonly<apps.DaemonSetStatus>;
};
/** The predecessor of replica sets; its selector is a plain map. */
export type ReplicationController = Stored<core.ReplicationController> & {
  readonly spec: Readonly<Omit<core.ReplicationControllerSpec, 'template'>> & { readonly template?: PodTemplateSpec };
  readonly status: Readonly<core.ReplicationControllerStatus>;
};
/** How many pods of a selection may be down at once. */
export type PodDisruptionBudget = Stored<policy.PodDisruptionBudget> & {
  readonly spec: Readonly<policy.PodDisruptionBudgetSpec>;
  readonly status: Readonly<policy.PodDisruptionBudgetStatus>;
};
