/**
 * The rules of PodTopologySpread written down a second time, as plainly as they read: every count is
 * made anew by walking over all nodes and pods. The plugin must always agree with it.
 */
import { compileLabelSelector } from '../../../../src/api/selectors/labels.js';
import { requiredNodeAffinity } from '../../../../src/api/selectors/node-affinity.js';
import type { core, Node, Pod } from '../../../../src/api/objects/objects.js';
import { findUntolerated } from '../../../../src/api/selectors/tolerations.js';
import type { PlainScores, PlainVerdict } from './stage.js';

/** A node and what stands on it. */
export interface ModelNode {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

type Constraint = core.TopologySpreadConstraint;

const TEXT = "node(s) didn't match pod topology spread constraints";

function labelsOf({ metadata }: Node | Pod): Record<string, string> {
  return { ...metadata.labels };
}

function hasAll(node: Node, constraints: readonly Constraint[]): boolean {
  return constraints.every(({ topologyKey }) => topologyKey in labelsOf(node));
}

function isEligible(constraint: Constraint, pod: Pod, node: Node): boolean {
  if (constraint.nodeAffinityPolicy !== 'Ignore') {
    const required = requiredNodeAffinity(pod.spec);
    if (required?.matches(labelsOf(node), node.metadata.name) === false) return false;
  }
  if (constraint.nodeTaintsPolicy !== 'Honor') return true;
  const { taints } = node.spec;
  return findUntolerated(taints, pod.spec.tolerations, ['NoSchedule', 'NoExecute']) === undefined;
}

/** Whether a pod's labels match the selector and, where the incoming pod has them, its `matchLabelKeys`. */
function isMatch({ labelSelector, matchLabelKeys = [] }: Constraint, incoming: Pod, pod: Pod): boolean {
  const [own, other] = [labelsOf(incoming), labelsOf(pod)];
  if (!compileLabelSelector(labelSelector).matches(other)) return false;
  return matchLabelKeys.every((key) => !(key in own) || own[key] === other[key]);
}

function isEmpty({ labelSelector, matchLabelKeys = [] }: Constraint, incoming: Pod): boolean {
  return compileLabelSelector(labelSelector).isEmpty && !matchLabelKeys.some((key) => key in labelsOf(incoming));
}

function countOn({ pods }: ModelNode, constraint: Constraint, incoming: Pod): number {
  if (isEmpty(constraint, incoming)) return 0;
  return pods.filter(
    (pod) =>
      pod.metadata.namespace === incoming.metadata.namespace &&
      pod.metadata.deletionTimestamp === undefined &&
      isMatch(constraint, incoming, pod),
  ).length;
}

function reject(code: string, text: string): PlainVerdict {
  return { plugin: 'PodTopologySpread', code, reasons: [text] };
}

/** Verdicts by node. */
export function modelFilter(
  pod: Pod,
  nodes: readonly ModelNode[],
  all: readonly Constraint[],
): Record<string, PlainVerdict | null> {
  const constraints = all.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
  const verdicts: Record<string, PlainVerdict | null> = {};
  if (constraints.length === 0) return verdicts;
  const counts = constraints.map((constraint) => {
    const byValue = new Map<string, number>();
    for (const each of nodes) {
      if (!hasAll(each.node, constraints) || !isEligible(constraint, pod, each.node)) continue;
      const value = labelsOf(each.node)[constraint.topologyKey] ?? '';
      byValue.set(value, (byValue.get(value) ?? 0) + countOn(each, constraint, pod));
    }
    return byValue;
  });
  const judge = (node: Node): PlainVerdict | null => {
    for (const [index, constraint] of constraints.entries()) {
      const byValue = counts[index] ?? new Map<string, number>();
      const value = labelsOf(node)[constraint.topologyKey];
      if (value === undefined) return reject('UnschedulableAndUnresolvable', `${TEXT} (missing required label)`);
      const least = byValue.size < (constraint.minDomains ?? 1) ? 0 : Math.min(2 ** 31 - 1, ...byValue.values());
      const self = isMatch(constraint, pod, pod) ? 1 : 0;
      if ((byValue.get(value) ?? 0) + self - least > constraint.maxSkew) return reject('Unschedulable', TEXT);
    }
    return null;
  };
  for (const { node } of nodes) verdicts[node.metadata.name] = judge(node);
  return verdicts;
}

/** Scores of the feasible nodes; `undefined` without soft constraints. */
export function modelScore(
  pod: Pod,
  nodes: readonly ModelNode[],
  all: readonly Constraint[],
  feasibleNames: readonly string[],
  requiresAll = true,
): PlainScores | undefined {
  const constraints = all.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');
  if (constraints.length === 0) return undefined;
  const feasible = feasibleNames.map((name) => nodes.find(({ node }) => node.metadata.name === name) as ModelNode);
  const scored = feasible.filter(({ node }) => !requiresAll || hasAll(node, constraints));
  const isHostname = ({ topologyKey }: Constraint): boolean => topologyKey === 'kubernetes.io/hostname';
  const domains = constraints.map(
    ({ topologyKey }) => new Set(scored.map(({ node }) => labelsOf(node)[topologyKey] ?? '')),
  );
  const podsIn = (index: number, constraint: Constraint, value: string): number =>
    nodes
      .filter(({ node }) => !requiresAll || hasAll(node, constraints))
      .filter(({ node }) => isEligible(constraint, pod, node))
      .filter(({ node }) => (labelsOf(node)[constraint.topologyKey] ?? '') === value && domains[index]?.has(value))
      .reduce((sum, each) => sum + countOn(each, constraint, pod), 0);
  const raw: Record<string, number> = {};
  for (const each of feasible) {
    let score = 0;
    for (const [index, constraint] of constraints.entries()) {
      const value = labelsOf(each.node)[constraint.topologyKey];
      if (value === undefined) continue;
      const size = isHostname(constraint) ? scored.length : (domains[index]?.size ?? 0);
      const count = isHostname(constraint) ? countOn(each, constraint, pod) : podsIn(index, constraint, value);
      score += count * Math.log(size + 2) + (constraint.maxSkew - 1);
    }
    raw[each.node.metadata.name] = scored.includes(each) ? Math.round(score) : 0;
  }
  return { raw, normalized: normalize(raw, scored) };
}

function normalize(raw: Record<string, number>, scored: readonly ModelNode[]): Record<string, number> {
  const names = new Set(scored.map(({ node }) => node.metadata.name));
  const values = [...names].map((name) => raw[name] ?? 0);
  const [least, most] = [Math.min(...values), Math.max(0, ...values)];
  return Object.fromEntries(
    Object.entries(raw).map(([name, score]) => {
      if (!names.has(name)) return [name, 0];
      return [name, most === 0 ? 100 : Math.trunc((100 * (most + least - score)) / most)];
    }),
  );
}
