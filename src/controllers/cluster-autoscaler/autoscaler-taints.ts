/** The taints by which the autoscaler marks nodes. Mirrors cluster-autoscaler v1.34 `utils/taints`. */
import { isApiError } from '../../api/errors/api-error.js';
import type { Node, Taint } from '../../api/objects/objects.js';
import type { PromisedClient } from '../../bus/bus-types.js';
import type { AutoscalerSettings } from './autoscaler-settings.js';

/** On a node that is being removed. */
export const TO_BE_DELETED = 'ToBeDeletedByClusterAutoscaler';
/** On a node that is not needed at present. */
export const DELETION_CANDIDATE = 'DeletionCandidateOfClusterAutoscaler';

const RETRY_DEADLINE_MS = 5000;
const CONFLICT_RETRY_MS = 750;

/** Taints that tell of a state which a new node has not. */
const CONDITION_TAINTS: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/unschedulable',
  'node.kubernetes.io/memory-pressure',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/network-unavailable',
  'node.kubernetes.io/pid-pressure',
  'node.cloudprovider.kubernetes.io/uninitialized',
  'node.cloudprovider.kubernetes.io/shutdown',
  'cloud.google.com/impending-node-termination',
  'NodeWithImpairedVolumes',
]);
const STARTUP_PREFIXES = [
  'ignore-taint.cluster-autoscaler.kubernetes.io/',
  'startup-taint.cluster-autoscaler.kubernetes.io/',
];
const STATUS_PREFIX = 'status-taint.cluster-autoscaler.kubernetes.io/';

export function hasTaint({ spec: { taints } }: Node, key: string): boolean {
  return taints !== undefined && taints.some((taint) => taint.key === key);
}

/** A node with such a taint is not yet what it is going to be. */
export function isStartupTaint(key: string, { startupTaints }: AutoscalerSettings): boolean {
  return startupTaints.includes(key) || STARTUP_PREFIXES.some((prefix) => key.startsWith(prefix));
}

/** Taints of a node as a new one of its group will have them. */
export function lastingTaints(taints: readonly Taint[], settings: AutoscalerSettings): readonly Taint[] {
  return taints.filter(
    ({ key }) =>
      key !== TO_BE_DELETED &&
      key !== DELETION_CANDIDATE &&
      !CONDITION_TAINTS.has(key) &&
      !isStartupTaint(key, settings) &&
      !settings.statusTaints.includes(key) &&
      !key.startsWith(STATUS_PREFIX),
  );
}

/** Seconds since 1970 at which a node was marked; `undefined` = it is not, or nothing is said. */
export function markedAtSeconds({ spec: { taints = [] } }: Node, key: string): number | undefined {
  const value = taints.find((taint) => taint.key === key)?.value ?? '';
  return /^\d+$/.test(value) ? Number(value) : undefined;
}

/** What changes taints of nodes, and waits between its attempts. */
export interface TaintMeans {
  readonly api: PromisedClient;
  readonly nowMs: () => number;
  /** The present in seconds since 1970. */
  readonly unixSeconds: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** Marks a node. @throws ApiError */
export async function addTaint(
  means: TaintMeans,
  node: Node,
  key: string,
  effect: 'NoSchedule' | 'PreferNoSchedule',
  cordons: boolean,
): Promise<void> {
  const taint: Taint = { key, value: String(means.unixSeconds()), effect };
  await changeNode(means, node, (fresh) =>
    hasTaint(fresh, key)
      ? undefined
      : { taints: [...(fresh.spec.taints ?? []), taint], ...(cordons ? { unschedulable: true } : {}) },
  );
}

/** Takes a mark away. @returns whether it was there @throws ApiError */
export async function removeTaint(means: TaintMeans, node: Node, key: string, uncordons: boolean): Promise<boolean> {
  let wasThere = false;
  await changeNode(means, node, (fresh) => {
    if (!hasTaint(fresh, key)) return undefined;
    wasThere = true;
    const taints = (fresh.spec.taints ?? []).filter((taint) => taint.key !== key);
    return { taints, ...(uncordons ? { unschedulable: false } : {}) };
  });
  return wasThere;
}

/** From the cache at first, then, after a conflict or where there seems to be nothing to change, from the API server. */
async function changeNode(
  { api, nowMs, pause }: TaintMeans,
  node: Node,
  change: (fresh: Node) => Partial<Node['spec']> | undefined,
): Promise<void> {
  const deadlineMs = nowMs() + RETRY_DEADLINE_MS;
  let fresh = node;
  for (let isFresh = false; ; isFresh = true) {
    if (isFresh) fresh = await api.get('Node', { name: node.metadata.name });
    const spec = change(fresh);
    if (spec === undefined) {
      if (isFresh) return;
      continue;
    }
    try {
      await api.update('Node', { ...fresh, spec: { ...fresh.spec, ...spec } });
      return;
    } catch (error) {
      if (!isApiError(error, 'Conflict') || nowMs() >= deadlineMs) throw error;
    }
    await pause(CONFLICT_RETRY_MS);
  }
}
