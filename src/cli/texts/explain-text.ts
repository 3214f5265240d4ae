/** Explanations for people: at most a screen or two, however many nodes there are. */
import Table from 'cli-table3';
import {
  explainNode,
  type AttemptExplanation,
  type NodeScoreExplanation,
  type Pod,
  type PodExplanation,
  type PreemptionExplanation,
  type RejectionGroup,
} from '../../index.js';

/** Nodes with scores, groups of rejected nodes, and candidates of a preemption that are shown. */
const SHOWN_SCORES = 10;
const SHOWN_GROUPS = 15;
const SHOWN_CANDIDATES = 10;
/** Names shown of a group. */
const SHOWN_NAMES = 3;

/** All attempts in one line each, and one of them in full. */
export function explanationText(explanation: PodExplanation, shown: AttemptExplanation): string {
  const parts = [titleOf(explanation)];
  if (explanation.attempts.length > 1) parts.push(attemptsText(explanation.attempts));
  parts.push(
    `attempt ${shown.attempt} at ${seconds(shown.atMs)}: ${outcomeText(shown)}`,
    nodesText(shown),
    wayText(shown),
  );
  if (shown.rejections.length > 0) parts.push(rejectionsText(shown.rejections));
  if (shown.scores.length > 0) parts.push(...scoresTexts(shown));
  if (shown.preemption !== undefined) parts.push(preemptionText(shown.preemption));
  return `${parts.join('\n')}\n`;
}

/** What every attempt made of one node. */
export function nodeExplanationText(explanation: PodExplanation, node: string): string {
  const parts = [`${titleOf(explanation)}, node ${node}`];
  for (const attempt of explanation.attempts) {
    parts.push(`attempt ${attempt.attempt} at ${seconds(attempt.atMs)}: ${outcomeText(attempt)}`);
    parts.push(nodeText(attempt, node));
  }
  return `${parts.join('\n')}\n`;
}

/** A pod that the scheduler has never tried. @param ended - when and with which nodes the run ended */
export function untriedText({ metadata, spec, status }: Pod, ended: string): string {
  const reason = status.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
  const why = (spec.nodeName ?? '') === '' ? (reason ?? ended) : `it names node ${spec.nodeName}`;
  return `pod ${metadata.namespace}/${metadata.name}: no attempt to place it; ${why}\n`;
}

function titleOf({ pod, attempts }: PodExplanation): string {
  return `pod ${pod}: ${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`;
}

function outcomeText({ outcome, node, chosenBy, message, refusal }: AttemptExplanation): string {
  const chosen = node === undefined ? '' : ` on ${node}`;
  if (outcome === 'placed') {
    if (chosenBy === 'nominated-node') return `placed${chosen}, the nominated node, without a look at others`;
    return chosenBy === 'only-feasible-node' ? `placed${chosen}, the only node that fits` : `placed${chosen}`;
  }
  if (refusal === undefined) return `${outcome}: ${message ?? ''}`;
  const by = refusal.plugin === '' ? '' : ` by ${refusal.plugin}`;
  return `${outcome}: ${node ?? ''} was chosen and then refused${by}: ${message ?? ''}`;
}

function attemptsText(attempts: readonly AttemptExplanation[]): string {
  const table = new Table({
    head: ['attempt', 'at', 'fit / looked at', 'outcome'],
    colWidths: [9, 12, 17, 80],
    wordWrap: true,
    style: { head: [], border: [], compact: true },
  });
  for (const each of attempts) {
    const { visited, feasible } = each.nodes;
    table.push([each.attempt, seconds(each.atMs), `${feasible} / ${visited}`, outcomeText(each)]);
  }
  return table.toString();
}

function nodesText({ nodes: { total, visited, feasible }, outcome, chosenBy, detail }: AttemptExplanation): string {
  let text = `${total} nodes in the cluster, ${visited} looked at, ${feasible} fit`;
  if (outcome === 'placed' && visited < total && chosenBy !== 'nominated-node') text += ' (enough to choose from)';
  return detail === 'full' ? text : `${text}; single nodes of this attempt are no longer known`;
}

function wayText({ way: { way, reason } }: AttemptExplanation): string {
  return `decided by ${way}: ${reason}`;
}

function rejectionsText(groups: readonly RejectionGroup[]): string {
  const table = new Table({
    head: ['rejected', 'by', 'code', 'reasons', 'such as'],
    colWidths: [10, 22, 32, 42, 34],
    wordWrap: true,
    style: { head: [], border: [], compact: true },
  });
  for (const { count, plugin, code, reasons, nodes } of groups.slice(0, SHOWN_GROUPS)) {
    const names = nodes.slice(0, SHOWN_NAMES).join(', ');
    table.push([count, plugin || 'the framework', code, reasons.join(', '), names || 'nodes not looked at']);
  }
  const rest = groups.slice(SHOWN_GROUPS);
  const nodes = rest.reduce((sum, { count }) => sum + count, 0);
  return rest.length === 0
    ? table.toString()
    : `${table.toString()}\n… and ${nodes} nodes in ${rest.length} more groups`;
}

function scoresTexts(attempt: AttemptExplanation): string[] {
  const { scores, node, tieBreak, detail } = attempt;
  const chosen = scores.find((each) => each.node === node);
  const rows = detail === 'full' ? scores.slice(0, SHOWN_SCORES) : [];
  if (detail === 'full' && chosen !== undefined && !rows.includes(chosen)) rows.push(chosen);
  const texts: string[] = [];
  if (rows.length > 1) {
    texts.push(
      `the best ${Math.min(SHOWN_SCORES, scores.length)} of ${scores.length} nodes, with each plugin's part of the total:`,
    );
    texts.push(rankingText(rows, node));
  }
  if (tieBreak !== undefined) texts.push(tieText(attempt, tieBreak.tied, tieBreak.drawn));
  if (chosen !== undefined) texts.push(`scores of ${chosen.node}:`, partsText(chosen));
  return texts;
}

function rankingText(rows: readonly NodeScoreExplanation[], chosen: string | undefined): string {
  const plugins = rows[0]?.plugins.map(({ plugin }) => words(plugin)) ?? [];
  const table = new Table({ head: ['node', 'total', ...plugins], style: { head: [], border: [], compact: true } });
  for (const { node, total, plugins: parts } of rows) {
    table.push([node === chosen ? `${node} ←` : node, total, ...parts.map(({ weighted }) => weighted)]);
  }
  return table.toString();
}

function tieText({ best }: AttemptExplanation, tied: number, drawn: number): string {
  const names = best.slice(0, SHOWN_NAMES).join(', ');
  const more = best.length > SHOWN_NAMES ? ', …' : '';
  const who = names === '' ? '' : ` (${names}${more})`;
  return `${tied} nodes tied for the best total${who}; number ${drawn + 1} of them in the order of the scan was drawn`;
}

function partsText({ total, plugins }: NodeScoreExplanation): string {
  const table = new Table({
    head: ['plugin', 'raw', 'normalised', 'weight', 'part of the total'],
    style: { head: [], border: [], compact: true },
  });
  for (const { plugin, raw, normalized, weight, weighted } of plugins) {
    table.push([plugin, raw, normalized, weight, weighted]);
  }
  table.push(['total', '', '', '', total]);
  return table.toString();
}

function preemptionText({ nominated, candidates, decidedBy, ties }: PreemptionExplanation): string {
  if (candidates.length === 0) return 'preemption: no candidate';
  const table = new Table({
    head: ['candidate', 'victims', 'budgets broken'],
    colWidths: [30, 80, 17],
    wordWrap: true,
    style: { head: [], border: [], compact: true },
  });
  for (const { node, victims, pdbViolations } of candidates.slice(0, SHOWN_CANDIDATES)) {
    const mark = node === nominated ? ' ←' : '';
    table.push([`${node}${mark}`, victims.join(', '), pdbViolations]);
  }
  const rest = candidates.length - SHOWN_CANDIDATES;
  const tied = ties.length > 1 ? `; ${ties.length} were equal in everything` : '';
  const chosen =
    nominated === undefined ? 'no node was nominated' : `${nominated} was nominated, decided by ${decidedBy}${tied}`;
  return [
    `preemption: ${candidates.length} candidates; ${chosen}`,
    table.toString(),
    ...(rest > 0 ? [`… and ${rest} more candidates`] : []),
  ].join('\n');
}

function nodeText(attempt: AttemptExplanation, node: string): string {
  const found = explainNode(attempt, node);
  switch (found.kind) {
    case 'scored': {
      const rank = `fits; total ${found.score.total}, place ${found.place} of ${attempt.nodes.feasible}`;
      return `${rank}${attempt.node === node ? ', chosen' : ''}\n${partsText(found.score)}`;
    }
    case 'fits':
      return 'fits; taken without scores';
    case 'rejected': {
      const { plugin, code, reasons } = found.verdict;
      return `rejected by ${plugin || 'the framework'} (${code}): ${reasons.join(', ')}`;
    }
    case 'not-visited':
      return 'not looked at: enough other nodes fit, or it was not in the cluster';
    case 'forgotten':
      return 'single nodes of this attempt are no longer known';
  }
}

/** `NodeResourcesFit` on several short lines. */
function words(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '\n');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)}s`;
}
