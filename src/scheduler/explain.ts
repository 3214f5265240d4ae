import type { Decision, PodScheduler } from './cycle/schedule-pod.js';
import { codeName, type Status } from './framework/status.js';
import type { NodeColumns } from './framework/node-columns.js';

/** Pods whose last attempt is kept; the one that was tried longest ago is forgotten first. */
const MAX_ATTEMPTS = 10_000;
/** Nodes whose scores are kept for an attempt that found one. */
const MAX_BEST_NODES = 3;
/** Nodes named for each kind of rejection. */
const MAX_EXAMPLE_NODES = 3;

/** Nodes that were rejected alike. */
export interface RejectionGroup {
  /** The plugin that rejected them; empty when the framework did. */
  readonly plugin: string;
  /** Kubernetes' name of the verdict, such as `Unschedulable`. */
  readonly code: string;
  readonly reasons: readonly string[];
  readonly count: number;
  /** A few of the nodes. */
  readonly nodes: readonly string[];
}

/** One plugin's part in a node's score. */
export interface PluginScoreExplanation {
  readonly plugin: string;
  readonly raw: number;
  /** 0..100. */
  readonly normalized: number;
  readonly weight: number;
}

/** A node's score. */
export interface NodeScoreExplanation {
  readonly nodeName: string;
  readonly total: number;
  readonly plugins: readonly PluginScoreExplanation[];
}

/** The last attempt to place a pod. */
export interface AttemptExplanation {
  /** `namespace/name`. */
  readonly pod: string;
  /** Simulated time of the decision, milliseconds. */
  readonly atMs: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly outcome: 'placed' | 'unschedulable' | 'error';
  /** The chosen node. */
  readonly nodeName?: string;
  /** Kubernetes' text for a pod that stays without a node. */
  readonly message?: string;
  /** Nodes of the cluster, nodes that were looked at, and those that fit. */
  readonly nodes: { readonly total: number; readonly visited: number; readonly feasible: number };
  /** Largest group first. */
  readonly rejections: readonly RejectionGroup[];
  /** The best nodes with their scores; empty when a single node fit. */
  readonly best: readonly NodeScoreExplanation[];
  /** Number of nodes with the best score, among which chance decided. */
  readonly ties: number;
}

interface Group {
  readonly status: Status;
  count: number;
  readonly nodes: string[];
}

/** What is kept of an attempt: plain values, made readable when somebody asks. */
interface AttemptRecord {
  readonly pod: string;
  readonly atMs: number;
  readonly attempt: number;
  readonly nodeName: string | undefined;
  readonly isError: boolean;
  message: string | undefined;
  readonly total: number;
  readonly visited: number;
  readonly feasible: number;
  readonly groups: readonly Group[];
  readonly best: readonly string[];
  /** Per best node: its total, then raw and normalised score of each plugin. */
  readonly values: Float64Array | undefined;
  readonly plugins: readonly { readonly name: string; readonly weight: number }[];
  readonly ties: number;
}

const NO_GROUPS: readonly Group[] = [];
const NO_PLUGINS: AttemptRecord['plugins'] = [];
const NO_NODES: readonly string[] = [];

/** The last attempt of each pod, for at most {@link MAX_ATTEMPTS} pods. */
export class AttemptLog {
  readonly #records = new Map<string, AttemptRecord>();

  /** Notes a decision that was just taken, while the scan and its scores still stand. */
  note(
    pod: string,
    attempt: number,
    atMs: number,
    decision: Decision,
    scheduler: PodScheduler,
    columns: NodeColumns,
  ): void {
    const { scan } = scheduler;
    const isPlaced = decision.kind === 'placed';
    const best = isPlaced && scheduler.hasScores ? bestPositions(scheduler) : undefined;
    const record: AttemptRecord = {
      pod,
      atMs,
      attempt,
      nodeName: isPlaced ? decision.nodeName : undefined,
      isError: decision.kind === 'error',
      message: undefined,
      total: columns.nodeCount,
      visited: scan.visited,
      feasible: isPlaced && decision.isNominated ? 1 : scan.count,
      groups:
        decision.kind === 'unfit'
          ? groupsOf(decision.diagnosis.nodeToStatus.entries())
          : scannedGroups(scheduler, columns),
      best:
        best === undefined ? NO_NODES : best.map((position) => columns.names[scan.slots[position] as number] as string),
      values: best === undefined ? undefined : valuesOf(scheduler, best),
      plugins: best === undefined ? NO_PLUGINS : scheduler.scores.plugins.map(({ name, weight }) => ({ name, weight })),
      ties: isPlaced ? decision.ties : 0,
    };
    this.#records.delete(pod);
    if (this.#records.size >= MAX_ATTEMPTS) this.#forgetOldest();
    this.#records.set(pod, record);
  }

  /** Adds the text of an attempt that failed. */
  noteFailure(pod: string, message: string): void {
    const record = this.#records.get(pod);
    if (record !== undefined) record.message = message;
  }

  /** The last attempt of a pod, by `namespace/name`. */
  explain(pod: string): AttemptExplanation | undefined {
    const record = this.#records.get(pod);
    if (record === undefined) return undefined;
    const { nodeName, message, total, visited, feasible } = record;
    return {
      pod: record.pod,
      atMs: record.atMs,
      attempt: record.attempt,
      outcome: nodeName !== undefined && message === undefined ? 'placed' : record.isError ? 'error' : 'unschedulable',
      ...(nodeName === undefined ? {} : { nodeName }),
      ...(message === undefined ? {} : { message }),
      nodes: { total, visited, feasible },
      rejections: record.groups.map(explainGroup).sort((a, b) => b.count - a.count),
      best: record.best.map((name, index) => explainScores(record, name, index)),
      ties: record.ties,
    };
  }

  #forgetOldest(): void {
    for (const pod of this.#records.keys()) {
      this.#records.delete(pod);
      return;
    }
  }
}

/** Positions of the nodes with the highest totals, best first, earlier ones first among equals. */
function bestPositions({ scan, scores }: PodScheduler): number[] {
  const { totals } = scores;
  const best: number[] = [];
  let worst = Number.NEGATIVE_INFINITY;
  for (let position = 0; position < scan.count; position += 1) {
    const total = totals[position] as number;
    if (best.length === MAX_BEST_NODES && total <= worst) continue;
    let at = best.length;
    while (at > 0 && (totals[best[at - 1] as number] as number) < total) at -= 1;
    best.splice(at, 0, position);
    if (best.length > MAX_BEST_NODES) best.pop();
    worst = totals[best.at(-1) as number] as number;
  }
  return best;
}

function valuesOf({ scores }: PodScheduler, positions: readonly number[]): Float64Array {
  const width = 1 + 2 * scores.plugins.length;
  const values = new Float64Array(width * positions.length);
  positions.forEach((position, row) => {
    let at = row * width;
    values[at] = scores.totals[position] as number;
    for (const { raw, normalized } of scores.plugins) {
      values[at + 1] = raw[position] as number;
      values[at + 2] = normalized[position] as number;
      at += 2;
    }
  });
  return values;
}

/** Groups the rejected nodes of a scan that also found nodes. */
function scannedGroups({ scan }: PodScheduler, { names }: NodeColumns): readonly Group[] {
  if (scan.rejectedCount === 0) return NO_GROUPS;
  const groups = new Map<number, Group>();
  for (let index = 0; index < scan.rejectedCount; index += 1) {
    const verdict = scan.rejectedVerdicts[index] as number;
    let group = groups.get(verdict);
    if (group === undefined) {
      group = { status: scan.statusOf(verdict), count: 0, nodes: [] };
      groups.set(verdict, group);
    }
    group.count += 1;
    if (group.nodes.length < MAX_EXAMPLE_NODES) group.nodes.push(names[scan.rejected[index] as number] as string);
  }
  return merged(groups.values());
}

function groupsOf(entries: Iterable<readonly [string, Status]>): readonly Group[] {
  const groups = new Map<Status, Group>();
  for (const [nodeName, status] of entries) {
    let group = groups.get(status);
    if (group === undefined) {
      group = { status, count: 0, nodes: [] };
      groups.set(status, group);
    }
    group.count += 1;
    if (group.nodes.length < MAX_EXAMPLE_NODES) group.nodes.push(nodeName);
  }
  return merged(groups.values());
}

/** Groups with equal statuses become one. */
function merged(groups: Iterable<Group>): readonly Group[] {
  const byContent = new Map<string, Group>();
  for (const group of groups) {
    const { status } = group;
    const content = `${status.plugin}\u0000${status.code}\u0000${status.reasons.join('\u0000')}`;
    const present = byContent.get(content);
    if (present === undefined) {
      byContent.set(content, group);
      continue;
    }
    present.count += group.count;
    present.nodes.push(...group.nodes.slice(0, MAX_EXAMPLE_NODES - present.nodes.length));
  }
  return [...byContent.values()];
}

function explainGroup({ status, count, nodes }: Group): RejectionGroup {
  return { plugin: status.plugin, code: codeName(status.code), reasons: status.reasons, count, nodes };
}

function explainScores(record: AttemptRecord, nodeName: string, row: number): NodeScoreExplanation {
  const { plugins, values = new Float64Array(0) } = record;
  const first = row * (1 + 2 * plugins.length);
  return {
    nodeName,
    total: values[first] ?? 0,
    plugins: plugins.map(({ name, weight }, index) => ({
      plugin: name,
      raw: values[first + 1 + 2 * index] ?? 0,
      normalized: values[first + 2 + 2 * index] ?? 0,
      weight,
    })),
  };
}
