/** What objects tell of the programs of their cluster: which of them run, and how they word things. Pure. */
import type { Draft, DraftMeta, Kind } from '../../api/objects/objects.js';
import { UNNAMED_TAINTS } from '../../scheduler/cycle/attempt/node-statuses.js';
import type { SavedState } from '../saved-state.js';
import { absentProvisioners } from './absent-provisioners.js';
import { isFields, type Fields, type SourceObject } from './source-object.js';

/** See the file header. */
export interface ClusterFacts {
  /** Whether it has a metrics server, as far as anything tells. */
  readonly hasMetrics: boolean;
  /** Drivers of storage that nobody runs. */
  readonly absentProvisioners: readonly string[];
  /** Whether its scheduler tells taints by name. */
  readonly namesTaints: boolean;
  /** Why an aggregated API cannot be asked for its kinds; empty = each can. */
  readonly discoveryFailure: string;
}

interface Kept {
  readonly kind: Kind;
  readonly draft: Draft & { readonly metadata: DraftMeta };
}

const METRICS_GROUP = 'metrics.k8s.io';

/** @param time - the present of the cluster */
export function toldFacts(
  objects: readonly Kept[],
  sources: readonly SourceObject[],
  time: string | undefined,
): ClusterFacts {
  return {
    hasMetrics: mayHaveMetrics(sources),
    absentProvisioners: absentProvisioners(objects, time),
    namesTaints: !objects.some(
      ({ kind, draft }) =>
        kind === 'Pod' && String(conditionOf(draft, 'PodScheduled', 'False')?.['message']).includes(UNNAMED_TAINTS),
    ),
    discoveryFailure: discoveryFailureOf(objects),
  };
}

/** What a cluster that was saved has said of itself. */
export function savedFacts(state: SavedState): ClusterFacts {
  return {
    hasMetrics: state.hasMetrics !== false,
    absentProvisioners: state.absentProvisioners ?? [],
    namesTaints: state.namesTaints !== false,
    discoveryFailure: state.discoveryFailure ?? '',
  };
}

/** A cluster that tells what it serves tells of its metrics, too; else autoscalers tell that they find none. */
function mayHaveMetrics(sources: readonly SourceObject[]): boolean {
  const groups = sources.flatMap(({ value: { kind, spec } }) =>
    kind === 'APIService' && isFields(spec) ? [spec['group']] : [],
  );
  if (groups.length > 0) return groups.includes(METRICS_GROUP);
  return !sources.some(
    ({ value }) =>
      value['kind'] === 'HorizontalPodAutoscaler' &&
      String(conditionOf(value, 'ScalingActive', 'False')?.['message']).includes(`(get pods.${METRICS_GROUP})`),
  );
}

/** A namespace that is emptied tells it. */
function discoveryFailureOf(objects: readonly Kept[]): string {
  for (const { kind, draft } of objects) {
    if (kind !== 'Namespace' || draft.metadata.deletionTimestamp === undefined) continue;
    const condition = conditionOf(draft, 'NamespaceDeletionDiscoveryFailure', 'True');
    if (typeof condition?.['message'] === 'string') return condition['message'];
  }
  return '';
}

function conditionOf({ status }: Fields | Draft, type: string, verdict: string): Fields | undefined {
  const conditions = isFields(status) ? status['conditions'] : undefined;
  if (!Array.isArray(conditions)) return undefined;
  return conditions.find(
    (condition: unknown): condition is Fields =>
      isFields(condition) && condition['type'] === type && condition['status'] === verdict,
  );
}
