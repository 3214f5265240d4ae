/** How the points of a profile are run, node by node and in the plain form, with nothing kept. */
import type { CycleState } from '../../../src/scheduler/framework/cycle-state.js';
import type { Framework } from '../../../src/scheduler/framework/framework.js';
import type { Snapshot } from '../../../src/scheduler/framework/interface.js';
import type { NodeInfo } from '../../../src/scheduler/framework/node-info.js';
import { podPriority, type PodInfo } from '../../../src/scheduler/framework/pod-info.js';
import {
  Code,
  codeOf,
  createStatus,
  isRejected,
  messageOf,
  type Status,
} from '../../../src/scheduler/framework/status.js';

/** What PreFilter says. */
export interface PreFilterVerdict {
  readonly status?: Status;
  readonly nodeNames?: readonly string[];
  readonly narrowedBy: readonly string[];
}

/** One pod's attempt at one profile. */
export class PlainFramework {
  readonly #skipped = new Set<string>();

  constructor(
    readonly framework: Framework,
    readonly pod: PodInfo,
    /** Pods nominated to a node. */
    readonly nominatedTo: (nodeName: string) => readonly PodInfo[],
  ) {}

  preFilter(state: CycleState, snapshot: Snapshot): PreFilterVerdict {
    let status: Status | undefined;
    let nodeNames: readonly string[] | undefined;
    const narrowedBy: string[] = [];
    for (const plugin of this.framework.preFilters) {
      const result = plugin.preFilter(state, this.pod, snapshot);
      const code = codeOf(result?.status);
      if (code === Code.Skip) this.#skipped.add(plugin.name);
      else if (code === Code.Unschedulable) status = result?.status as Status;
      else if (code === Code.UnschedulableAndUnresolvable) return { status: result?.status as Status, narrowedBy: [] };
      else if (code !== Code.Success) {
        return {
          status: fault(`running PreFilter plugin "${plugin.name}"`, plugin.name, result?.status),
          narrowedBy: [],
        };
      } else if (result?.nodeNames !== undefined) {
        const { nodeNames: named } = result;
        narrowedBy.push(plugin.name);
        nodeNames = nodeNames === undefined ? [...named] : nodeNames.filter((name) => named.has(name));
        if (nodeNames.length === 0) return { status: nothingLeft([...narrowedBy].sort()), narrowedBy };
      }
    }
    return {
      narrowedBy,
      ...(status === undefined ? {} : { status }),
      ...(nodeNames === undefined ? {} : { nodeNames }),
    };
  }

  /** Whether the node takes the pod, with the pods that are nominated to it and without them. */
  verdictOn(state: CycleState, node: NodeInfo): Status | undefined {
    const others = this.nominatedTo(node.name).filter(
      ({ pod }) => pod.metadata.uid !== this.pod.pod.metadata.uid && podPriority(pod) >= podPriority(this.pod.pod),
    );
    if (others.length > 0) {
      const [crowdedNode, crowdedState] = [node.clone(), state.clone()];
      for (const other of others) this.addPod(crowdedState, other, crowdedNode);
      const status = this.#filter(crowdedState, crowdedNode);
      if (status !== undefined) return status;
    }
    return this.#filter(state, node);
  }

  addPod(state: CycleState, added: PodInfo, node: NodeInfo): void {
    node.addPod(added);
    for (const { name, preFilterExtensions } of this.framework.preFilters) {
      if (!this.#skipped.has(name)) preFilterExtensions?.addPod(state, this.pod, added, node);
    }
  }

  removePod(state: CycleState, removed: PodInfo, node: NodeInfo): void {
    node.removePod(removed);
    for (const { name, preFilterExtensions } of this.framework.preFilters) {
      if (!this.#skipped.has(name)) preFilterExtensions?.removePod(state, this.pod, removed, node);
    }
  }

  #filter(state: CycleState, node: NodeInfo): Status | undefined {
    for (const plugin of this.framework.filters) {
      if (this.#skipped.has(plugin.name)) continue;
      const status = plugin.filter(state, this.pod, node);
      if (status === undefined || status.code === Code.Success) continue;
      return isRejected(status) ? status : fault(`running "${plugin.name}" filter plugin`, plugin.name, status);
    }
    return undefined;
  }
}

/** An internal fault in upstream's words. */
export function fault(where: string, plugin: string, status: Status | undefined): Status {
  return createStatus(Code.Error, plugin, `${where}: ${status === undefined ? '' : messageOf(status)}`);
}

/** `0/3 nodes are available: …`; nodes that are not named have the absent status. */
export function nodesText(statuses: ReadonlyMap<string, Status>, absent: Status, nodeCount: number): string {
  const counts = new Map<string, number>();
  const count = ({ reasons }: Status, times: number): void => {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + times);
  };
  for (const status of statuses.values()) count(status, 1);
  if (nodeCount > statuses.size) count(absent, nodeCount - statuses.size);
  const entries = [...counts].map(([reason, times]) => `${times} ${reason}`).sort();
  return `0/${nodeCount} nodes are available:${entries.length === 0 ? '' : ` ${entries.join(', ')}.`}`;
}

function nothingLeft(names: readonly string[]): Status {
  const text =
    names.length === 1
      ? `node(s) didn't satisfy plugin ${names[0] ?? ''}`
      : `node(s) didn't satisfy plugin(s) [${names.join(' ')}] simultaneously`;
  return createStatus(Code.UnschedulableAndUnresolvable, '', text);
}
