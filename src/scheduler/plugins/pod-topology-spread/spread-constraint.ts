/** Constraints as the plugin works with them: defaults filled in, selectors compiled. */
import { compileLabelSelector, type Selector } from '../../../api/selectors/labels.js';
import type { core, StringMap } from '../../../api/objects/objects.js';

/** What a constraint asks of a node that does not satisfy it: to be passed over, or to score less. */
export type SpreadAction = 'DoNotSchedule' | 'ScheduleAnyway';

/** The key of which every node is a domain of its own. */
export const HOSTNAME_KEY = 'kubernetes.io/hostname';

/** A compiled constraint. */
export interface SpreadConstraint {
  readonly topologyKey: string;
  /** At least 1. */
  readonly maxSkew: number;
  /** With fewer domains than this the least full one counts as empty; Filter only. At least 1. */
  readonly minDomains: number;
  /** Which pods count. */
  readonly selector: Selector;
  /** Whether only nodes count that the pod's node selector and required node affinity allow. */
  readonly honorsAffinity: boolean;
  /** Whether only nodes count that have no taint which the pod does not tolerate. */
  readonly honorsTaints: boolean;
}

/** Compiles the constraints of one kind; labels of the pod fill in `matchLabelKeys`. */
export function compileConstraints(
  constraints: readonly core.TopologySpreadConstraint[],
  action: SpreadAction,
  podLabels: StringMap,
): readonly SpreadConstraint[] {
  return constraints
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
    .map((constraint) => ({
      topologyKey: constraint.topologyKey,
      maxSkew: constraint.maxSkew,
      minDomains: constraint.minDomains ?? 1,
      selector: selectorWithKeys(constraint, podLabels),
      honorsAffinity: (constraint.nodeAffinityPolicy ?? 'Honor') === 'Honor',
      honorsTaints: constraint.nodeTaintsPolicy === 'Honor',
    }));
}

/** The constraint's selector and the pod's own values of its `matchLabelKeys`; no selector stays no match. */
function selectorWithKeys(
  { labelSelector, matchLabelKeys = [] }: core.TopologySpreadConstraint,
  podLabels: StringMap,
): Selector {
  const ownLabels: Record<string, string> = {};
  for (const key of matchLabelKeys) {
    const value = podLabels[key];
    if (value !== undefined) ownLabels[key] = value;
  }
  return bothOf(compileLabelSelector({ matchLabels: ownLabels }), compileLabelSelector(labelSelector));
}

/** A selector that matches what both match. */
export function bothOf(a: Selector, b: Selector): Selector {
  if (a.isEmpty) return b;
  if (b.isEmpty) return a;
  return {
    matches: (labels) => a.matches(labels) && b.matches(labels),
    isEmpty: false,
    text: [a.text, b.text].sort().join(','),
  };
}
