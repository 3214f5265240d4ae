/**
 * The rules written down once more in the plainest way: every attempt walks over all pods of all nodes and
 * keeps maps by (topology key, value). Nothing is shared with the plugin but label selectors.
 */
import { compileLabelSelector } from '../../../../src/api/selectors/labels.js';
import type { core, Namespace, Node, Pod, StringMap } from '../../../../src/api/objects/objects.js';

/** A node and the pods on it. */
export interface ReferenceNode {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

type Counts = Map<string, number>;

interface Maps {
  readonly existing: Counts;
  readonly near: Counts;
  readonly apart: Counts;
}

interface Term {
  readonly topologyKey: string;
  readonly namespaces: ReadonlySet<string>;
  readonly term: core.PodAffinityTerm;
}

/** See the file header. */
export class Reference {
  constructor(
    readonly nodes: readonly ReferenceNode[],
    readonly namespaces: readonly Namespace[],
    readonly hardPodAffinityWeight = 1,
    readonly ignorePreferredTermsOfExistingPods = false,
  ) {}

  /** Reasons by node; `undefined` when there is nothing to judge by. */
  judge(pod: Pod, changes: readonly { node: Node; pod: Pod; difference: 1 | -1 }[] = []): unknown {
    const near = this.#resolve(pod, termsOf(pod, 'podAffinity'));
    const apart = this.#resolve(pod, termsOf(pod, 'podAntiAffinity'));
    const maps: Maps = { existing: new Map(), near: new Map(), apart: new Map() };
    for (const { node, pods } of this.nodes) {
      for (const other of pods) this.#update(maps, pod, near, apart, other, node, 1);
    }
    if (maps.existing.size === 0 && near.length === 0 && apart.length === 0) return undefined;
    for (const change of changes) this.#update(maps, pod, near, apart, change.pod, change.node, change.difference);
    return Object.fromEntries(
      this.nodes.map(({ node }) => [node.metadata.name, verdict(maps, pod, near, apart, node.metadata.labels ?? {})]),
    );
  }

  /** Scores by node; `undefined` when nothing was recorded. */
  score(pod: Pod): { raw: Record<string, number>; normalized: Record<string, number> } | undefined {
    const preferred = [...weighted(pod, 'podAffinity', 1), ...weighted(pod, 'podAntiAffinity', -1)];
    if (this.ignorePreferredTermsOfExistingPods && preferred.length === 0) return undefined;
    const own = preferred.map(({ term, weight }) => ({ term: this.#resolve(pod, [term])[0] as Term, weight }));
    const sums: Counts = new Map();
    for (const { node, pods } of this.nodes) {
      const record = (term: Term, target: Pod, labels: StringMap | undefined, weight: number): void => {
        if (!matches(term, target, labels)) return;
        const pair = pairOf(term, node);
        if (pair !== undefined) sums.set(pair, (sums.get(pair) ?? 0) + weight);
      };
      for (const other of pods) {
        for (const { term, weight } of own) record(term, other, undefined, weight);
        if (this.hardPodAffinityWeight > 0) {
          for (const term of unresolved(other, termsOf(other, 'podAffinity'))) {
            record(term, pod, this.#labelsOf(pod), this.hardPodAffinityWeight);
          }
        }
        for (const { term, weight } of [
          ...weighted(other, 'podAffinity', 1),
          ...weighted(other, 'podAntiAffinity', -1),
        ]) {
          record(unresolved(other, [term])[0] as Term, pod, this.#labelsOf(pod), weight);
        }
      }
    }
    if (sums.size === 0) return undefined;
    const raw = this.nodes.map(({ node }) =>
      Object.entries(node.metadata.labels ?? {}).reduce(
        (sum, [key, value]) => sum + (sums.get(`${key}=${value}`) ?? 0),
        0,
      ),
    );
    const [min, max] = [Math.min(...raw), Math.max(...raw)];
    const named = (values: readonly number[]): Record<string, number> =>
      Object.fromEntries(this.nodes.map(({ node }, index) => [node.metadata.name, values[index] as number]));
    const normalized = raw.map((score) => (max > min ? Math.trunc(100 * ((score - min) / (max - min))) : 0));
    return { raw: named(raw), normalized: named(normalized) };
  }

  #update(
    maps: Maps,
    pod: Pod,
    near: readonly Term[],
    apart: readonly Term[],
    other: Pod,
    node: Node,
    difference: number,
  ): void {
    for (const term of unresolved(other, termsOf(other, 'podAntiAffinity'))) {
      if (matches(term, pod, this.#labelsOf(pod))) add(maps.existing, term, node, difference);
    }
    if (near.length > 0 && near.every((term) => matches(term, other, undefined))) {
      for (const term of near) add(maps.near, term, node, difference);
    }
    for (const term of apart) if (matches(term, other, undefined)) add(maps.apart, term, node, difference);
  }

  #labelsOf(pod: Pod): StringMap | undefined {
    return this.namespaces.find(({ metadata }) => metadata.name === pod.metadata.namespace)?.metadata.labels;
  }

  /** Adds the names that namespace selectors select, and leaves the selectors in place. */
  #resolve(pod: Pod, terms: readonly core.PodAffinityTerm[]): Term[] {
    return unresolved(pod, terms).map((term) => {
      const selector = compileLabelSelector(term.term.namespaceSelector);
      if (selector.isEmpty) return term;
      const selected = this.namespaces.filter(({ metadata }) => selector.matches(metadata.labels));
      return { ...term, namespaces: new Set([...term.namespaces, ...selected.map(({ metadata }) => metadata.name)]) };
    });
  }
}

function verdict(maps: Maps, pod: Pod, near: readonly Term[], apart: readonly Term[], labels: StringMap): string {
  const countOf = (counts: Counts, key: string): number => counts.get(`${key}=${labels[key] ?? ''}`) ?? 0;
  if (near.some(({ topologyKey }) => labels[topologyKey] === undefined)) return AFFINITY;
  if (near.some(({ topologyKey }) => countOf(maps.near, topologyKey) <= 0)) {
    const isFirst = maps.near.size === 0 && near.every((term) => matches(term, pod, undefined));
    if (!isFirst) return AFFINITY;
  }
  if (apart.some(({ topologyKey }) => topologyKey in labels && countOf(maps.apart, topologyKey) > 0))
    return ANTI_AFFINITY;
  return Object.keys(labels).some((key) => countOf(maps.existing, key) > 0) ? EXISTING : '';
}

const AFFINITY = "3 node(s) didn't match pod affinity rules";
const ANTI_AFFINITY = "2 node(s) didn't match pod anti-affinity rules";
const EXISTING = "2 node(s) didn't satisfy existing pods anti-affinity rules";

type Group = 'podAffinity' | 'podAntiAffinity';

function termsOf(pod: Pod, group: Group): readonly core.PodAffinityTerm[] {
  return pod.spec.affinity?.[group]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

function weighted(pod: Pod, group: Group, sign: 1 | -1): { term: core.PodAffinityTerm; weight: number }[] {
  const terms = pod.spec.affinity?.[group]?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.map(({ podAffinityTerm, weight }) => ({ term: podAffinityTerm, weight: sign * weight }));
}

function unresolved(pod: Pod, terms: readonly core.PodAffinityTerm[]): Term[] {
  return terms.map((term) => {
    const isOwn = (term.namespaces ?? []).length === 0 && term.namespaceSelector === undefined;
    const names = isOwn ? [pod.metadata.namespace ?? ''] : (term.namespaces ?? []);
    return { topologyKey: term.topologyKey, namespaces: new Set(names), term };
  });
}

function matches({ namespaces, term }: Term, { metadata }: Pod, namespaceLabels: StringMap | undefined): boolean {
  if (
    !namespaces.has(metadata.namespace ?? '') &&
    !compileLabelSelector(term.namespaceSelector).matches(namespaceLabels ?? {})
  ) {
    return false;
  }
  return compileLabelSelector(term.labelSelector).matches(metadata.labels);
}

function pairOf({ topologyKey }: Term, node: Node): string | undefined {
  const value = node.metadata.labels?.[topologyKey];
  return value === undefined ? undefined : `${topologyKey}=${value}`;
}

function add(counts: Counts, term: Term, node: Node, difference: number): void {
  const pair = pairOf(term, node);
  if (pair === undefined) return;
  const count = (counts.get(pair) ?? 0) + difference;
  if (count === 0) counts.delete(pair);
  else counts.set(pair, count);
}
