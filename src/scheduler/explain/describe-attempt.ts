import { codeName, Code, type Status } from '../framework/status.js';
import { hasDetails, type AttemptRecord } from './attempt-record.js';
import { floatsFor } from './detail-pages.js';
import type {
  AttemptExplanation,
  NodeScoreExplanation,
  PluginScoreExplanation,
  RejectionGroup,
  VerdictExplanation,
} from './explanation.js';

/** Makes a record readable. */
export function describeAttempt(record: AttemptRecord): AttemptExplanation {
  const { nodeName, chosenBy, message, refusal, preemption, failedWith, ties, drawn } = record;
  const isFull = hasDetails(record);
  const scores = isFull ? allScores(record) : chosenScores(record);
  return {
    pod: record.pod,
    atMs: record.atMs,
    attempt: record.attempt,
    outcome: outcomeOf(failedWith),
    ...(nodeName === undefined ? {} : { node: nodeName }),
    ...(chosenBy === undefined ? {} : { chosenBy }),
    way: record.way,
    ...(message === undefined ? {} : { message }),
    nodes: {
      total: record.totalNodes,
      visited: record.visited,
      feasible: chosenBy === 'nominated-node' ? 1 : record.feasibleCount,
    },
    detail: isFull ? 'full' : 'summary',
    rejections: describeRejections(record, isFull),
    scores: sortedByTotal(scores),
    best: bestNodes(record, scores),
    ...(ties > 1 ? { tieBreak: { tied: ties, drawn } } : {}),
    ...(refusal === undefined ? {} : { refusal: describeStatus(refusal) }),
    ...(preemption === undefined
      ? {}
      : { preemption: { ...(typeof preemption === 'function' ? preemption('all') : preemption) } }),
  };
}

function outcomeOf(failedWith: AttemptRecord['failedWith']): AttemptExplanation['outcome'] {
  if (failedWith === undefined) return 'placed';
  return failedWith === Code.Error ? 'error' : 'unschedulable';
}

function describeStatus({ plugin, code, reasons }: Status): VerdictExplanation {
  return { plugin, code: codeName(code), reasons };
}

function describeRejections(record: AttemptRecord, isFull: boolean): readonly RejectionGroup[] {
  const names = isFull ? rejectedNames(record) : record.groups.map(({ examples }) => examples);
  return record.groups
    .map(({ status, count }, index) => ({ ...describeStatus(status), count, nodes: names[index] ?? [] }))
    .sort((a, b) => b.count - a.count);
}

/** The names of each group's nodes in the order of the scan, the nominated one first. */
function rejectedNames(record: AttemptRecord): readonly string[][] {
  const { groups, plugins, names, extraNode, extraGroup, page, at, feasibleCount, rejectedCount } = record;
  const byGroup: string[][] = groups.map(() => []);
  if (extraNode !== undefined) byGroup[extraGroup]?.push(extraNode);
  let columns = 0;
  for (const { isNormalized } of plugins) columns += isNormalized ? 2 : 1;
  const slots = 2 * (at + floatsFor(feasibleCount) + columns * feasibleCount);
  const indices = slots + 2 * floatsFor(rejectedCount);
  for (let position = 0; position < rejectedCount; position += 1) {
    const name = names[page.ints[slots + position] as number] as string;
    byGroup[page.ints[indices + position] as number]?.push(name);
  }
  return byGroup;
}

/** Scores of all feasible nodes, in the order of the scan. */
function allScores({ page, at, feasibleCount, plugins, names }: AttemptRecord): readonly NodeScoreExplanation[] {
  if (plugins.length === 0) return [];
  const scores: NodeScoreExplanation[] = [];
  for (let position = 0; position < feasibleCount; position += 1) {
    let next = at + floatsFor(feasibleCount) + position;
    const parts = plugins.map(({ name, weight, isNormalized }) => {
      const raw = page.floats[next] as number;
      if (isNormalized) next += feasibleCount;
      const normalized = page.floats[next] as number;
      next += feasibleCount;
      return part(name, weight, raw, normalized);
    });
    scores.push({
      node: names[page.ints[2 * at + position] as number] as string,
      total: totalOf(parts),
      plugins: parts,
    });
  }
  return scores;
}

function chosenScores({ nodeName, plugins, chosen, chosenTotal }: AttemptRecord): readonly NodeScoreExplanation[] {
  if (nodeName === undefined || plugins.length === 0) return [];
  const parts = plugins.map(({ name, weight }, index) =>
    part(name, weight, chosen[2 * index] as number, chosen[2 * index + 1] as number),
  );
  return [{ node: nodeName, total: chosenTotal, plugins: parts }];
}

function part(plugin: string, weight: number, raw: number, normalized: number): PluginScoreExplanation {
  return { plugin, raw, normalized, weight, weighted: normalized * weight };
}

/** Added up in the order in which the decision did. */
function totalOf(parts: readonly PluginScoreExplanation[]): number {
  let total = 0;
  for (const { weighted } of parts) total += weighted;
  return total;
}

function sortedByTotal(scores: readonly NodeScoreExplanation[]): readonly NodeScoreExplanation[] {
  return [...scores].sort((a, b) => b.total - a.total);
}

function bestNodes(
  { nodeName, chosenTotal, ties, plugins }: AttemptRecord,
  scores: readonly NodeScoreExplanation[],
): readonly string[] {
  if (nodeName === undefined) return [];
  if (plugins.length === 0 || ties === 1) return [nodeName];
  const best = scores.filter(({ total }) => total === chosenTotal);
  return best.length === ties ? best.map(({ node }) => node) : [];
}
