/**
 * Budgets of which several select one pod. Upstream tells one of them of a change of the pod, by the order of a map, and
 * the others look at their pods when they are written the next time: what their statuses count is left to chance.
 */
import { compileLabelSelector } from '../../../src/api/selectors/labels.js';
import type { LabelSelector } from '../../../src/api/objects/objects.js';
import { isObject } from '../recorded-lines.js';
import type { RecordedObject, Story } from './story.js';

/** Their keys, as a telling has them: `PodDisruptionBudget namespace/name`. */
export function sharedBudgets({ events }: Story): ReadonlySet<string> {
  const latest = (kind: string): readonly RecordedObject[] => {
    const found = events.filter(({ object }) => object.kind === kind).map(({ object }) => object);
    return [...new Map(found.map((object) => [`${object.metadata.uid ?? ''} ${labelsText(object)}`, object])).values()];
  };
  const pods = latest('Pod');
  const budgets = latest('PodDisruptionBudget').map((budget) => ({
    key: `PodDisruptionBudget ${budget.metadata.namespace ?? ''}/${budget.metadata.name}`,
    namespace: budget.metadata.namespace,
    selector: compileLabelSelector(selectorOf(budget)),
  }));
  const shared = new Set<string>();
  for (const { metadata } of pods) {
    const matching = budgets.filter(
      ({ namespace, selector }) => namespace === metadata.namespace && selector.matches(labelsOf(metadata['labels'])),
    );
    const keys = new Set(matching.map(({ key }) => key));
    if (keys.size > 1) for (const key of keys) shared.add(key);
  }
  return shared;
}

function selectorOf({ spec }: RecordedObject): LabelSelector | undefined {
  return isObject(spec) ? (spec['selector'] as LabelSelector | undefined) : undefined;
}

function labelsOf(labels: unknown): Readonly<Record<string, string>> {
  return (isObject(labels) ? labels : {}) as Readonly<Record<string, string>>;
}

/** What decides which budgets are a pod's, and which pods a budget's. */
function labelsText(object: RecordedObject): string {
  return JSON.stringify([object.metadata['labels'], selectorOf(object)]);
}
