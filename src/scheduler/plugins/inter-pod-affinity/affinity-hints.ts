/**
 * Which events may help a pod that the plugin rejected. Namespaces are never looked up here: a term that
 * selects some is asked about a namespace without labels, and other pods' terms play no part, as upstream
 * (kube-scheduler v1.34 `isSchedulableAfterPodChange` and `isSchedulableAfterNodeChange`).
 */
import type { AnyObject, Node, Pod, StringMap } from '../../../api/objects/objects.js';
import { QueueingHint } from '../../framework/cluster-event.js';
import { shapeOf } from '../../framework/pod-shape.js';
import { matchesAllTerms, podTermsOf, type AffinityTerm } from './affinity-terms.js';

/** A pod on a node was added, got other labels, or was deleted. */
export function afterPodChange(
  pod: Pod,
  oldObject: AnyObject | undefined,
  newObject: AnyObject | undefined,
): QueueingHint {
  const before = oldObject as Pod | undefined;
  const after = newObject as Pod | undefined;
  if (isUnassigned(before) || isUnassigned(after)) return QueueingHint.Skip;
  const { requiredAffinity, requiredAntiAffinity } = podTermsOf(shapeOf(pod));
  if (before === undefined) return hint(after !== undefined && matches(requiredAffinity, after));
  if (after === undefined) return hint(matches(requiredAntiAffinity, before));
  const cameNear = !matches(requiredAffinity, before) && matches(requiredAffinity, after);
  const letGo = matches(requiredAntiAffinity, before) && !matches(requiredAntiAffinity, after);
  return hint(cameNear || letGo);
}

/** A node was added or got other labels. */
export function afterNodeChange(
  pod: Pod,
  oldObject: AnyObject | undefined,
  newObject: AnyObject | undefined,
): QueueingHint {
  const before = oldObject as Node | undefined;
  const after = newObject as Node | undefined;
  const { requiredAffinity, requiredAntiAffinity } = podTermsOf(shapeOf(pod));
  const labels = after?.metadata.labels;
  if (before === undefined) {
    return hint(
      requiredAntiAffinity.length > 0 || requiredAffinity.some((term) => valueOf(labels, term) !== undefined),
    );
  }
  const oldLabels = before.metadata.labels;
  const hasChanged = (term: AffinityTerm): boolean => valueOf(oldLabels, term) !== valueOf(labels, term);
  const gained = requiredAffinity.some((term) => hasChanged(term) && valueOf(labels, term) !== undefined);
  return hint(
    gained || requiredAntiAffinity.some((term) => hasChanged(term) && valueOf(oldLabels, term) !== undefined),
  );
}

function isUnassigned(pod: Pod | undefined): boolean {
  return pod !== undefined && (pod.spec.nodeName ?? '') === '';
}

function matches(terms: readonly AffinityTerm[], { metadata }: Pod): boolean {
  return matchesAllTerms(terms, { namespace: metadata.namespace ?? '', labels: metadata.labels ?? {} });
}

function valueOf(labels: StringMap | undefined, { topologyKey }: AffinityTerm): string | undefined {
  return labels?.[topologyKey];
}

function hint(mayHelp: boolean): QueueingHint {
  return mayHelp ? QueueingHint.Queue : QueueingHint.Skip;
}
