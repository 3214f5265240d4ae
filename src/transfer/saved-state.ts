/**
 * What a saved cluster has beside its objects: where its clock stood, and what its kubelets knew that no object tells.
 * It travels among the objects, as the last one. Times are simulated milliseconds that count from `time`, below 0
 * before it.
 */
import type { MachineMemory } from '../kubelet/resumed/resumed-machine.js';

export const SAVED_STATE_VERSION = 'kubeloom.dev/v1alpha1';
export const SAVED_STATE = 'SavedState';

/** See the file header. */
export interface SavedState {
  readonly apiVersion: typeof SAVED_STATE_VERSION;
  readonly kind: typeof SAVED_STATE;
  readonly metadata: { readonly name: 'cluster' };
  readonly seed: string;
  /** RFC 3339 with microseconds. */
  readonly time: string;
  /** Digest of every watch event of the run that was saved. */
  readonly traceHash: string;
  /** `false` = it has no metrics server; absent = it has one. */
  readonly hasMetrics?: false;
  /** Drivers of storage that nobody runs; absent = there is none. */
  readonly absentProvisioners?: readonly string[];
  /** Why the kinds of an aggregated API are not known; absent = each is. */
  readonly discoveryFailure?: string;
  /** `false` = its scheduler counts nodes with taints together; absent = it names the taints. */
  readonly namesTaints?: false;
  /** By name. */
  readonly nodes: Readonly<Record<string, MachineMemory>>;
}

/** A cluster as a list of its objects, with its {@link SavedState} at the end. */
export interface ClusterExport {
  readonly apiVersion: 'v1';
  readonly kind: 'List';
  readonly metadata: { readonly resourceVersion: '' };
  readonly items: readonly object[];
}
