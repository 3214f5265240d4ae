/** Which pods two variants placed differently, and what the scheduler says of that. Pure. */
import type { AttemptExplanation, NodeScoreExplanation } from '../scheduler/explain/explanation.js';
import type { VariantRun } from './play-variant.js';

/** A pod that is on one node in the first variant and on another one in the second. */
export interface MovedPod {
  readonly pod: string;
  readonly before: string;
  readonly after: string;
}

/** What is told of one of them. */
export interface ExplainedMove extends MovedPod {
  /** Why each variant chose its node and not that of the other. */
  readonly why: readonly string[];
  /** The plugin whose points led most to the node of the second variant; absent where points did not choose it. */
  readonly decidedBy?: string;
}

/** What placements have in common. */
export interface PlacementChange {
  /** Pods that were placed by both. */
  readonly common: number;
  /** In the order in which the first variant placed them. */
  readonly moved: readonly MovedPod[];
}

/** Pods are told apart by their names: those with drawn names count where both runs drew the same ones. */
export function placementChange(before: VariantRun, after: VariantRun): PlacementChange {
  const others = new Map(after.placements);
  const common = before.placements.filter(([pod]) => others.has(pod));
  const moved = common.flatMap(([pod, node]) => {
    const other = others.get(pod) ?? node;
    return other === node ? [] : [{ pod, before: node, after: other }];
  });
  return { common: common.length, moved };
}

/** See {@link ExplainedMove}. */
export function explainMove(move: MovedPod, before: VariantRun, after: VariantRun): ExplainedMove {
  const sides = [
    { name: 'A', attempt: before.explanations[move.pod], own: move.before, other: move.after },
    { name: 'B', attempt: after.explanations[move.pod], own: move.after, other: move.before },
  ];
  const [plugin] = leadsOf(after.explanations[move.pod], move.after, move.before);
  return {
    ...move,
    why: sides.map(({ name, attempt, own, other }) => `${name}: ${reasonOf(attempt, own, other)}`),
    ...(plugin === undefined || plugin.lead <= 0 ? {} : { decidedBy: plugin.plugin }),
  };
}

interface Lead {
  readonly plugin: string;
  readonly lead: number;
}

/** By how many points each plugin put a node before another one, the most first. */
function leadsOf(attempt: AttemptExplanation | undefined, own: string, other: string): readonly Lead[] {
  const [mine, theirs] = [scoreOf(attempt?.scores ?? [], own), scoreOf(attempt?.scores ?? [], other)];
  if (mine === undefined || theirs === undefined) return [];
  return mine.plugins
    .map(({ plugin, weighted }) => ({
      plugin,
      lead: weighted - (theirs.plugins.find((each) => each.plugin === plugin)?.weighted ?? 0),
    }))
    .filter(({ lead }) => lead !== 0)
    .toSorted((a, b) => Math.abs(b.lead) - Math.abs(a.lead));
}

function reasonOf(attempt: AttemptExplanation | undefined, own: string, other: string): string {
  if (attempt === undefined) return `${own}; its scheduler has nothing to say of it`;
  const { scores, rejections, nodes, tieBreak } = attempt;
  const refused = rejections.find((group) => group.nodes.includes(other));
  if (refused !== undefined) return `${own}; ${other} was refused: ${refused.reasons.join(', ')} (${refused.plugin})`;
  const [mine, theirs] = [scoreOf(scores, own), scoreOf(scores, other)];
  if (theirs === undefined || mine === undefined) {
    if (scores.length === 0) return `${own}, the only one of ${nodes.visited} nodes that fits`;
    return `${own}; ${other} was not among the ${nodes.feasible} nodes that were scored of ${nodes.total}`;
  }
  const totals = `${own} with ${mine.total} points before ${other} with ${theirs.total}`;
  if (mine.total === theirs.total) return `${totals}: drawn out of ${tieBreak?.tied ?? 1} of the best`;
  const parts = leadsOf(attempt, own, other).slice(0, 3);
  return `${totals}: ${parts.map(({ plugin, lead }) => `${plugin} ${lead > 0 ? '+' : '−'}${Math.abs(lead)}`).join(', ')}`;
}

function scoreOf(scores: readonly NodeScoreExplanation[], name: string): NodeScoreExplanation | undefined {
  return scores.find(({ node }) => node === name);
}
