/**
 * (Anti-)affinity terms as the plugin works with them: defaults filled in, selectors compiled, once per
 * pod shape. Upstream: `framework.AffinityTerm` of kube-scheduler v1.34.
 */
import { compileLabelSelector, type Selector } from '../../../api/selectors/labels.js';
import type { core, StringMap } from '../../../api/objects/objects.js';
import type { PodShape } from '../../framework/pod-shape.js';
import { requiredPairs } from './label-buckets.js';

/** One term. */
export interface AffinityTerm {
  readonly topologyKey: string;
  /** Names as given; the pod's own namespace when the term neither names nor selects any. Sorted. */
  readonly namespaces: readonly string[];
  /** Selects further namespaces by their labels; absent = none. */
  readonly namespaceSelector: Selector | undefined;
  readonly selector: Selector;
  /** Labels that the selector requires, as `key=value`. */
  readonly pairs: readonly string[];
  /** Equal for terms that say the same. */
  readonly text: string;
}

/** A preferred term. */
export interface WeightedTerm {
  readonly term: AffinityTerm;
  /** Negative for anti-affinity. */
  readonly weight: number;
}

/** All terms of a pod. */
export interface PodTerms {
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferred: readonly WeightedTerm[];
  /** Whether a term selects namespaces by their labels. */
  readonly selectsNamespaces: boolean;
}

/** What terms look at in a pod. */
export type TermTarget = Pick<PodShape, 'namespace' | 'labels'>;

const NONE: readonly never[] = [];
const NO_TERMS: PodTerms = {
  requiredAffinity: NONE,
  requiredAntiAffinity: NONE,
  preferred: NONE,
  selectsNamespaces: false,
};
const known = new WeakMap<PodShape, PodTerms>();

/** The terms of pods of a shape. */
export function podTermsOf(shape: PodShape): PodTerms {
  const { podAffinity, podAntiAffinity } = shape.spec.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return NO_TERMS;
  let terms = known.get(shape);
  if (terms === undefined) {
    terms = compileTerms(shape.namespace, podAffinity ?? {}, podAntiAffinity ?? {});
    known.set(shape, terms);
  }
  return terms;
}

/**
 * Whether a term is about a pod.
 *
 * @param namespaceLabels - labels of the pod's namespace; absent = none
 */
export function matchesTerm(term: AffinityTerm, pod: TermTarget, namespaceLabels: StringMap | undefined): boolean {
  const isNamespace =
    term.namespaces.includes(pod.namespace) || term.namespaceSelector?.matches(namespaceLabels) === true;
  return isNamespace && term.selector.matches(pod.labels);
}

/** Whether all terms are about a pod, with its namespace known by name alone; never without terms. */
export function matchesAllTerms(terms: readonly AffinityTerm[], pod: TermTarget): boolean {
  return terms.length > 0 && terms.every((term) => matchesTerm(term, pod, undefined));
}

function compileTerms(namespace: string, affinity: core.PodAffinity, antiAffinity: core.PodAntiAffinity): PodTerms {
  const requiredOf = (group: core.PodAffinity): AffinityTerm[] =>
    (group.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => compileTerm(namespace, term));
  const preferredOf = (group: core.PodAffinity, sign: 1 | -1): WeightedTerm[] =>
    (group.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) => ({
      term: compileTerm(namespace, podAffinityTerm),
      weight: sign * weight,
    }));
  const requiredAffinity = requiredOf(affinity);
  const requiredAntiAffinity = requiredOf(antiAffinity);
  const preferred = [...preferredOf(affinity, 1), ...preferredOf(antiAffinity, -1)];
  const all = [...requiredAffinity, ...requiredAntiAffinity, ...preferred.map(({ term }) => term)];
  return {
    requiredAffinity,
    requiredAntiAffinity,
    preferred,
    selectsNamespaces: all.some(({ namespaceSelector }) => namespaceSelector !== undefined),
  };
}

function compileTerm(podNamespace: string, term: core.PodAffinityTerm): AffinityTerm {
  const { topologyKey } = term;
  const given = term.namespaces ?? [];
  const selectsNamespaces = term.namespaceSelector !== undefined && term.namespaceSelector !== null;
  const namespaces = given.length === 0 && !selectsNamespaces ? [podNamespace] : [...new Set(given)].sort();
  const namespaceSelector = selectsNamespaces ? compileLabelSelector(term.namespaceSelector) : undefined;
  const selector = compileLabelSelector(term.labelSelector);
  const text = JSON.stringify([topologyKey, namespaces, namespaceSelector?.text ?? null, selector.text]);
  return { topologyKey, namespaces, namespaceSelector, selector, pairs: requiredPairs(term.labelSelector), text };
}
