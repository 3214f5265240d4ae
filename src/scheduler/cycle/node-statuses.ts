import type { NodeToStatus } from '../framework/interface.js';
import { Code, createStatus, isRejected, type Status } from '../framework/status.js';

const NOT_VISITED = createStatus(Code.UnschedulableAndUnresolvable, '');

/** The verdicts of an attempt by node, in the order of the scan. Mirrors kube-scheduler v1.34 `framework.NodeToStatus`. */
export class NodeStatuses implements NodeToStatus {
  readonly #byName = new Map<string, Status>();
  absentStatus: Status = NOT_VISITED;

  get size(): number {
    return this.#byName.size;
  }

  get(nodeName: string): Status {
    return this.#byName.get(nodeName) ?? this.absentStatus;
  }

  set(nodeName: string, status: Status): void {
    this.#byName.set(nodeName, status);
  }

  entries(): Iterable<readonly [string, Status]> {
    return this.#byName;
  }
}

/** Why an attempt found no node. Mirrors kube-scheduler v1.34 `framework.Diagnosis`. */
export interface Diagnosis {
  readonly nodeToStatus: NodeStatuses;
  readonly unschedulablePlugins: Set<string>;
  readonly pendingPlugins: Set<string>;
  /** Text of a PreFilter that rejected the pod. */
  preFilterMessage: string;
  postFilterMessage: string;
}

/** An empty diagnosis. */
export function createDiagnosis(unschedulablePlugins = new Set<string>()): Diagnosis {
  return {
    nodeToStatus: new NodeStatuses(),
    unschedulablePlugins,
    pendingPlugins: new Set(),
    preFilterMessage: '',
    postFilterMessage: '',
  };
}

/** Remembers who rejected the pod: its events bring the pod back. */
export function blame({ unschedulablePlugins, pendingPlugins }: Diagnosis, status: Status): void {
  if (status.plugin === '' || !isRejected(status)) return;
  (status.code === Code.Pending ? pendingPlugins : unschedulablePlugins).add(status.plugin);
}

/**
 * The text for users when no node fits: `0/3 nodes are available: 1 Too many pods, 2 Insufficient cpu.`
 * Every reason of every node counts; entries are sorted as texts, number included. Mirrors
 * kube-scheduler v1.34 `framework.FitError`.
 */
export function fitErrorText(diagnosis: Diagnosis, nodeCount: number): string {
  const { nodeToStatus, preFilterMessage, postFilterMessage } = diagnosis;
  let text = `0/${nodeCount} nodes are available:`;
  if (preFilterMessage !== '') text += ` ${preFilterMessage}.`;
  else {
    const entries = histogramOf(nodeToStatus, nodeCount);
    if (entries.length > 0) text += ` ${entries.join(', ')}.`;
  }
  return postFilterMessage === '' ? text : `${text} ${postFilterMessage}`;
}

function histogramOf(nodeToStatus: NodeStatuses, nodeCount: number): string[] {
  const counts = new Map<string, number>();
  const count = ({ reasons }: Status, times: number): void => {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + times);
  };
  for (const [, status] of nodeToStatus.entries()) count(status, 1);
  if (nodeToStatus.size < nodeCount) count(nodeToStatus.absentStatus, nodeCount - nodeToStatus.size);
  return [...counts].map(([reason, times]) => `${times} ${reason}`).sort();
}
