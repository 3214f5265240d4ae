import type { AffinityTerm, TermTarget } from './affinity-terms.js';
import type { Namespaces } from './namespaces.js';

/** Which existing pods one or several terms of the incoming pod are about, with their namespaces resolved. */
export interface PodMatcher {
  matches(pod: TermTarget): boolean;
  /** Labels that a pod must have to match, as `key=value`. */
  readonly pairs: readonly string[];
  /** Equal for matchers that match the same pods for the same reasons. */
  readonly text: string;
}

/**
 * Resolves a term's namespaces. A namespace selector stays in force besides the names that it has selected,
 * and is then asked about a namespace without labels: one that matches such a namespace, as any made of
 * `NotIn` and `DoesNotExist` does, matches pods of every namespace. Upstream:
 * `mergeAffinityTermNamespacesIfNotEmpty` of kube-scheduler v1.34, which works on a copy of the term.
 */
export function resolveTerm(term: AffinityTerm, namespaces: Namespaces): PodMatcher {
  const { selector, namespaceSelector, pairs } = term;
  if (namespaceSelector?.matches(undefined) === true) {
    return { matches: ({ labels }) => selector.matches(labels), pairs, text: JSON.stringify(['*', selector.text]) };
  }
  const selected = namespaceSelector === undefined ? [] : namespaces.select(namespaceSelector);
  const names = selected.length === 0 ? term.namespaces : [...new Set([...term.namespaces, ...selected])].sort();
  const text = JSON.stringify([names, selector.text]);
  const [only] = names;
  if (names.length === 1) {
    return { matches: ({ namespace, labels }) => namespace === only && selector.matches(labels), pairs, text };
  }
  const set = new Set(names);
  return { matches: ({ namespace, labels }) => set.has(namespace) && selector.matches(labels), pairs, text };
}

/** Matches what all of them match; `undefined` without any. */
export function matcherOfAll(matchers: readonly PodMatcher[]): PodMatcher | undefined {
  if (matchers.length < 2) return matchers[0];
  const text = JSON.stringify(matchers.map((matcher) => matcher.text).sort());
  const pairs = matchers.flatMap((matcher) => matcher.pairs);
  return { matches: (pod) => matchers.every((matcher) => matcher.matches(pod)), pairs, text };
}
