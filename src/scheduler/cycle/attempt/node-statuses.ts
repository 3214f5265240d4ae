import { assert } from '../../../kernel/assert.js';
import type { NodeSlots, NodeToStatus, Snapshot } from '../../framework/interface.js';
import { Code, createStatus, isRejected, type Status } from '../../framework/status.js';

const NO_NODES = new Map<string, Status>();
const NOT_VISITED = createStatus(Code.UnschedulableAndUnresolvable, '');

/** What a scan has written down of the nodes that it rejected. It stands until the next scan. */
export interface ScanRejections {
  /** Slots of the rejected nodes in the order of the scan. */
  readonly rejected: Int32Array;
  readonly rejectedVerdicts: Int32Array;
  readonly rejectedCount: number;
  /** Rises with every scan. */
  readonly runs: number;
  /** How many of the rejected nodes have each verdict. */
  tally(): ReadonlyMap<number, number>;
  /** The status behind a verdict. */
  statusOf(verdict: number): Status;
  /** The verdict on a node; `undefined` when it was not rejected. */
  verdictOn(nodeName: string): number | undefined;
  nameOf(slot: number): string;
}

/**
 * The verdicts of an attempt by node, in the order of the scan. Those of the scan are read where it has
 * written them down, so that they cannot be asked for once the next attempt has begun. Mirrors
 * kube-scheduler v1.34 `framework.NodeToStatus`.
 */
export class NodeStatuses implements NodeToStatus {
  /** Most attempts name no node. */
  #byName: Map<string, Status> = NO_NODES;
  #scan: ScanRejections | undefined;
  #run = 0;
  absentStatus: Status = NOT_VISITED;

  get size(): number {
    let size = this.#rejections?.rejectedCount ?? 0;
    for (const nodeName of this.#byName.keys()) if (!this.#isScanned(nodeName)) size += 1;
    return size;
  }

  get(nodeName: string): Status {
    return this.#scanned(nodeName) ?? this.#byName.get(nodeName) ?? this.absentStatus;
  }

  set(nodeName: string, status: Status): void {
    if (this.#byName === NO_NODES) this.#byName = new Map();
    this.#byName.set(nodeName, status);
  }

  /** Takes the rejections of a scan in; a node that has a status by name keeps its place and gets the scan's. */
  setScan(scan: ScanRejections): void {
    this.#scan = scan;
    this.#run = scan.runs;
  }

  *entries(): Generator<readonly [nodeName: string, status: Status]> {
    for (const [nodeName, status] of this.#byName) yield [nodeName, this.#scanned(nodeName) ?? status];
    const scan = this.#rejections;
    if (scan === undefined) return;
    for (let index = 0; index < scan.rejectedCount; index += 1) {
      const nodeName = scan.nameOf(scan.rejected[index] as number);
      if (!this.#byName.has(nodeName)) yield [nodeName, scan.statusOf(scan.rejectedVerdicts[index] as number)];
    }
  }

  findSlots(code: Code, snapshot: Snapshot, buffer: Int32Array): NodeSlots {
    let count = 0;
    const named = new Set<number>();
    for (const [nodeName, status] of this.#byName) {
      const slot = snapshot.get(nodeName)?.slot;
      if (slot === undefined) continue;
      named.add(slot);
      if ((this.#scanned(nodeName) ?? status).code === code) buffer[count++] = slot;
    }
    const scan = this.#rejections;
    return scan === undefined ? { slots: buffer, count } : findScanned(scan, code, named, buffer, count);
  }

  /** How many nodes have each status. */
  counts(): Map<Status, number> {
    const counts = new Map<Status, number>();
    const scan = this.#rejections;
    if (scan !== undefined) {
      for (const [verdict, times] of scan.tally()) addTo(counts, scan.statusOf(verdict), times);
    }
    for (const [nodeName, status] of this.#byName) if (!this.#isScanned(nodeName)) addTo(counts, status, 1);
    return counts;
  }

  get #rejections(): ScanRejections | undefined {
    assert(
      this.#scan === undefined || this.#scan.runs === this.#run,
      `the verdicts of an attempt must be read before the next scan, got ${this.#scan?.runs} for scan ${this.#run}`,
    );
    return this.#scan;
  }

  #isScanned(nodeName: string): boolean {
    return this.#rejections?.verdictOn(nodeName) !== undefined;
  }

  #scanned(nodeName: string): Status | undefined {
    const scan = this.#rejections;
    const verdict = scan?.verdictOn(nodeName);
    return verdict === undefined ? undefined : scan?.statusOf(verdict);
  }
}

const NAMED_TAINT = 'node(s) had untolerated taint {';
/** How v1.34.2 says it. */
export const UNNAMED_TAINTS = 'node(s) had untolerated taint(s)';

/** Why an attempt found no node. Mirrors kube-scheduler v1.34 `framework.Diagnosis`. */
export interface Diagnosis {
  readonly nodeToStatus: NodeStatuses;
  readonly unschedulablePlugins: Set<string>;
  readonly pendingPlugins: Set<string>;
  /** Text of a PreFilter that rejected the pod. */
  preFilterMessage: string;
  postFilterMessage: string;
}

/**
 * An empty diagnosis.
 *
 * @param narrowedBy - plugins that have narrowed the nodes; becomes a part of it
 */
export function createDiagnosis(narrowedBy?: Set<string>): Diagnosis {
  return new AttemptDiagnosis(narrowedBy);
}

/** Most attempts place their pod: sets are made for those that do not. */
class AttemptDiagnosis implements Diagnosis {
  readonly nodeToStatus = new NodeStatuses();
  preFilterMessage = '';
  postFilterMessage = '';
  #unschedulablePlugins: Set<string> | undefined;
  #pendingPlugins: Set<string> | undefined;

  constructor(narrowedBy: Set<string> | undefined) {
    this.#unschedulablePlugins = narrowedBy;
  }

  get unschedulablePlugins(): Set<string> {
    return (this.#unschedulablePlugins ??= new Set());
  }

  get pendingPlugins(): Set<string> {
    return (this.#pendingPlugins ??= new Set());
  }
}

/** Notes the plugin that rejected the pod: its events bring the pod back. */
export function blame(diagnosis: Diagnosis, status: Status): void {
  if (status.plugin === '' || !isRejected(status)) return;
  (status.code === Code.Pending ? diagnosis.pendingPlugins : diagnosis.unschedulablePlugins).add(status.plugin);
}

/**
 * The text for users when no node fits: `0/3 nodes are available: 1 Too many pods, 2 Insufficient cpu.`
 * Every reason of every node counts; entries are sorted as texts, number included. Mirrors
 * kube-scheduler v1.34 `framework.FitError`.
 *
 * @param namesTaints - as v1.34.1 does; v1.34.2 counts all nodes with taints together
 */
export function fitErrorText(diagnosis: Diagnosis, nodeCount: number, namesTaints = true): string {
  const { nodeToStatus, preFilterMessage, postFilterMessage } = diagnosis;
  const text =
    preFilterMessage === ''
      ? nodesText(nodeToStatus.counts(), nodeToStatus.absentStatus, nodeCount, namesTaints)
      : `0/${nodeCount} nodes are available: ${preFilterMessage}.`;
  return postFilterMessage === '' ? text : `${text} ${postFilterMessage}`;
}

/** The part of {@link fitErrorText} about nodes; those that are not counted have the absent status. */
export function nodesText(
  counts: ReadonlyMap<Status, number>,
  absentStatus: Status,
  nodeCount: number,
  namesTaints = true,
): string {
  const byReason = new Map<string, number>();
  let absent = nodeCount;
  for (const [status, times] of counts) {
    absent -= times;
    for (const reason of status.reasons) addTo(byReason, namesTaints ? reason : withoutTaint(reason), times);
  }
  if (absent > 0) for (const reason of absentStatus.reasons) addTo(byReason, reason, absent);
  const entries = [...byReason].map(([reason, times]) => `${times} ${reason}`).sort();
  const text = `0/${nodeCount} nodes are available:`;
  return entries.length === 0 ? text : `${text} ${entries.join(', ')}.`;
}

function withoutTaint(reason: string): string {
  return reason.startsWith(NAMED_TAINT) ? UNNAMED_TAINTS : reason;
}

/** Adds a scan's nodes with a code to the first `count` slots; those that stand by name are left out. */
function findScanned(
  scan: ScanRejections,
  code: Code,
  named: ReadonlySet<number>,
  buffer: Int32Array,
  count: number,
): NodeSlots {
  const { rejected, rejectedVerdicts, rejectedCount } = scan;
  const wanted = new Set<number>();
  const verdicts = scan.tally();
  for (const verdict of verdicts.keys()) if (scan.statusOf(verdict).code === code) wanted.add(verdict);
  if (wanted.size === verdicts.size && named.size === 0) return { slots: rejected, count: rejectedCount };
  let found = count;
  let lastVerdict = 0;
  let isWanted = false;
  for (let index = 0; index < rejectedCount; index += 1) {
    const verdict = rejectedVerdicts[index] as number;
    if (verdict !== lastVerdict) {
      lastVerdict = verdict;
      isWanted = wanted.has(verdict);
    }
    const slot = rejected[index] as number;
    if (isWanted && (named.size === 0 || !named.has(slot))) buffer[found++] = slot;
  }
  return { slots: buffer, count: found };
}

function addTo<K>(counts: Map<K, number>, key: K, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}
