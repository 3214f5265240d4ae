import type { NodeScan } from '../cycle/reference/node-scan.js';
import type { RejectionListener } from '../cycle/attempt/rejection-listener.js';
import type { Decision } from '../cycle/schedule-pod.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { Status } from '../framework/status.js';
import { floatsFor, type DetailPage } from './detail-pages.js';

/** Nodes named for each group, besides the details. */
const MAX_EXAMPLES = 3;

/** Nodes with equal verdicts. */
export interface Rejections {
  readonly status: Status;
  count: number;
  /** The first few. */
  readonly examples: string[];
}

/** The rejected nodes of an attempt. */
export interface NotedRejections {
  readonly groups: readonly Rejections[];
  /** The nominated node if it refused and was not met again in the scan. */
  readonly extraNode: string | undefined;
  /** Index of its group. */
  readonly extraGroup: number;
}

/** No node was rejected. */
const NO_REJECTIONS: NotedRejections = { groups: [], extraNode: undefined, extraGroup: 0 };

/**
 * Groups the rejected nodes, and writes each one's group to the end of what is written on the page.
 *
 * @param page - absent when no node is written down
 */
export function noteRejections(
  decision: Decision,
  scan: NodeScan,
  { names, nodeCount }: NodeColumns,
  page: DetailPage | undefined,
): NotedRejections {
  if (decision.kind === 'placed' && scan.rejectedCount === 0 && decision.diagnosis.nodeToStatus.size === 0) {
    return NO_REJECTIONS;
  }
  const grouping = new RejectionGrouping(names);
  if (page === undefined) scan.tellRejections(grouping);
  else grouping.addScan(scan, page.ints, 2 * (page.free - floatsFor(scan.rejectedCount)));
  if (decision.kind === 'error') return { ...NO_REJECTIONS, groups: grouping.groups };
  const statuses = decision.diagnosis.nodeToStatus;
  let extraNode: string | undefined;
  let extraGroup = 0;
  if (statuses.size === scan.rejectedCount + 1) {
    for (const [nodeName, status] of statuses.entries()) {
      extraNode = nodeName;
      extraGroup = grouping.add(nodeName, status);
      break;
    }
  }
  if (decision.kind === 'unfit' && statuses.size < nodeCount) {
    // These were not looked at.
    grouping.onMore(nodeCount - statuses.size, statuses.absentStatus);
  }
  return { groups: grouping.groups, extraNode, extraGroup };
}

/** Groups verdicts by their content. */
class RejectionGrouping implements RejectionListener {
  readonly groups: Rejections[] = [];
  readonly #names: readonly string[];
  /** Index of a status' group: plugins keep their statuses as constants, so that few have to be compared. */
  readonly #byStatus = new Map<Status, number>();
  readonly #byContent = new Map<string, number>();

  /** @param names - by slot */
  constructor(names: readonly string[]) {
    this.#names = names;
  }

  onNode(slot: number, status: Status): void {
    this.add(this.#names[slot] as string, status);
  }

  hasEnough(status: Status): boolean {
    const index = this.#byStatus.get(status);
    return index !== undefined && (this.groups[index] as Rejections).count >= MAX_EXAMPLES;
  }

  onMore(count: number, status: Status): void {
    (this.groups[this.#indexOf(status)] as Rejections).count += count;
  }

  /** Groups the rejected nodes of a scan, and writes the index of each one's group to `indices[from…]`. */
  addScan(scan: NodeScan, indices: Int32Array, from: number): void {
    const { rejected, rejectedVerdicts, rejectedCount } = scan;
    let begin = 0;
    while (begin < rejectedCount) {
      const verdict = rejectedVerdicts[begin] as number;
      let end = begin + 1;
      while (end < rejectedCount && rejectedVerdicts[end] === verdict) end += 1;
      const index = this.#indexOf(scan.statusOf(verdict));
      indices.fill(index, from + begin, from + end);
      const group = this.groups[index] as Rejections;
      group.count += end - begin;
      for (let position = begin; position < end && group.examples.length < MAX_EXAMPLES; position += 1) {
        group.examples.push(this.#names[rejected[position] as number] as string);
      }
      begin = end;
    }
  }

  /** Adds one node; returns the index of its group. */
  add(nodeName: string, status: Status): number {
    const index = this.#indexOf(status);
    const group = this.groups[index] as Rejections;
    group.count += 1;
    if (group.count <= MAX_EXAMPLES) group.examples.push(nodeName);
    return index;
  }

  #indexOf(status: Status): number {
    let index = this.#byStatus.get(status);
    if (index !== undefined) return index;
    const content = `${status.plugin}\u0000${status.code}\u0000${status.reasons.join('\u0000')}`;
    index = this.#byContent.get(content);
    if (index === undefined) {
      index = this.groups.push({ status, count: 0, examples: [] }) - 1;
      this.#byContent.set(content, index);
    }
    this.#byStatus.set(status, index);
    return index;
  }
}
