import type { AttemptExplanation, NodeScoreExplanation, VerdictExplanation } from './explanation.js';

/**
 * What an attempt made of one node. `scored`: it fits; `place` is its place among the feasible nodes, from
 * 1, where equal totals share one. `fits`: it was taken without scores. `rejected`: by a verdict on the
 * node, or on the pod as a whole. `not-visited`: enough other nodes fit, or it was not in the cluster.
 * `forgotten`: the attempt is older than what is kept of single nodes.
 */
export type NodeExplanation =
  | { readonly kind: 'scored'; readonly place: number; readonly score: NodeScoreExplanation }
  | { readonly kind: 'fits' }
  | { readonly kind: 'rejected'; readonly verdict: VerdictExplanation }
  | { readonly kind: 'not-visited' }
  | { readonly kind: 'forgotten' };

/** Finds one node in an attempt. */
export function explainNode(attempt: AttemptExplanation, nodeName: string): NodeExplanation {
  const { scores, rejections, detail, outcome } = attempt;
  const score = scores.find(({ node }) => node === nodeName);
  if (score !== undefined) {
    // Of a forgotten attempt only the chosen node is left, which was one of the best.
    const place = scores.findIndex(({ total }) => total === score.total) + 1;
    return { kind: 'scored', place, score };
  }
  if (attempt.node === nodeName) return { kind: 'fits' };
  const group = rejections.find(({ nodes }) => nodes.includes(nodeName));
  if (group !== undefined) return { kind: 'rejected', verdict: verdictOf(group) };
  if (detail === 'summary') return { kind: 'forgotten' };
  const rest = outcome === 'placed' ? undefined : rejections.find(({ nodes, count }) => nodes.length < count);
  return rest === undefined ? { kind: 'not-visited' } : { kind: 'rejected', verdict: verdictOf(rest) };
}

function verdictOf({ plugin, code, reasons }: VerdictExplanation): VerdictExplanation {
  return { plugin, code, reasons };
}
