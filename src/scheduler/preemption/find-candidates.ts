import type { NodeToStatus, Snapshot } from '../framework/interface.js';
import type { NodeInfo } from '../framework/node-info.js';
import { Code, messageOf, type Status } from '../framework/status.js';
import type { Candidate } from './candidate.js';
import type { DryRun } from './dry-run.js';

/** What a walk over nodes found. */
export interface CandidateSearch {
  /** Those that break no budget first. */
  readonly candidates: readonly Candidate[];
  /** Why the other nodes that were tried are none, in the order of the walk. */
  readonly statuses: ReadonlyMap<string, Status>;
  /** Text of what went wrong inside plugins; empty when nothing did. */
  readonly errorText: string;
}

/** How far the walk goes. */
export interface CandidateRange {
  /** Index of the node that is tried first. */
  readonly offset: number;
  /** Candidates that are enough, if at least one of them breaks no budget. */
  readonly wanted: number;
}

/**
 * The nodes that said Unschedulable and nothing worse: fewer pods on them may help. In the order in
 * which they were visited, or in that of the snapshot when a PreFilter spoke for all nodes.
 */
export function potentialNodes(nodeToStatus: NodeToStatus, snapshot: Snapshot): readonly NodeInfo[] {
  if (nodeToStatus.absentStatus.code === Code.Unschedulable) {
    if (nodeToStatus.size === 0) return snapshot.nodes;
    return snapshot.nodes.filter(({ name }) => nodeToStatus.get(name).code === Code.Unschedulable);
  }
  const nodes: NodeInfo[] = [];
  for (const [nodeName, { code }] of nodeToStatus.entries()) {
    if (code !== Code.Unschedulable) continue;
    const node = snapshot.get(nodeName);
    if (node !== undefined) nodes.push(node);
  }
  return nodes;
}

/** Walks round the nodes until there are enough candidates. Upstream: `DryRunPreemption` of kube-scheduler v1.34. */
export function findCandidates(dryRun: DryRun, nodes: readonly NodeInfo[], range: CandidateRange): CandidateSearch {
  const { offset, wanted } = range;
  const nonViolating: Candidate[] = [];
  const violating: Candidate[] = [];
  const statuses = new Map<string, Status>();
  const errors = new Set<string>();
  for (let step = 0; step < nodes.length; step += 1) {
    const node = nodes[(offset + step) % nodes.length] as NodeInfo;
    const result = dryRun.run(node);
    if ('status' in result) {
      statuses.set(node.name, result.status);
      if (result.status.code === Code.Error) errors.add(messageOf(result.status));
      continue;
    }
    const list = result.candidate.violations === 0 ? nonViolating : violating;
    // Upstream's lists hold no more than are wanted: what is found beyond that is forgotten.
    if (list.length < wanted) list.push(result.candidate);
    if (nonViolating.length > 0 && nonViolating.length + violating.length >= wanted) break;
  }
  return { candidates: [...nonViolating, ...violating], statuses, errorText: aggregate([...errors]) };
}

/** Several errors in one text, as Go's aggregates print them. */
function aggregate(texts: readonly string[]): string {
  return texts.length > 1 ? `[${texts.join(', ')}]` : texts.join('');
}
