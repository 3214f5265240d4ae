import { getCondition } from '../../api/objects/conditions.js';
import type { Node, Taint } from '../../api/objects/objects.js';

/** What is remembered of nodes, by name, beyond what their objects say. Times are simulated, ms. */
export interface NodeMemory {
  /** When nodes of that name were deleted, in order. */
  readonly deletionsMs: readonly number[];
  /** When the present node of that name was created; absent = there is none. */
  readonly addedMs: number | undefined;
  /** Since when it has had a NoExecute taint, whichever; absent = it has none. */
  readonly taintedSinceMs: number | undefined;
  /** Since when it has had the NoExecute taint of a node that is lost; absent = it has none. */
  readonly lostTaintSinceMs: number | undefined;
  /** When it was last without any again. */
  readonly clearedMs: number | undefined;
  /** When Ready became Unknown for the last time. */
  readonly givenUpMs: number | undefined;
  /** When it became something else again. */
  readonly regainedMs: number | undefined;
  /** Since when it has been Ready; absent = it is not. */
  readonly readySinceMs: number | undefined;
  /** When it was last Ready no longer; absent = never. */
  readonly unreadyMs: number | undefined;
  /** When a lease of its name was last taken away; absent = never, or not since the node came. */
  readonly leaseGoneMs: number | undefined;
  /** When it last got a taint that keeps pods away, or was cordoned; absent = never, but for those it came with. */
  readonly closedMs: number | undefined;
  /** When its object, but for its heartbeat, or the pods on it have last changed. */
  readonly changedMs: number;
}

/** Keys of the taints of nodes that are lost. */
export const LOST_TAINTS: readonly string[] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

type Entry = { -readonly [Field in keyof NodeMemory]: NodeMemory[Field] } & { node: Node | undefined };

const NEVER: readonly number[] = [];

/** See {@link NodeMemory}. */
export class NodeRegister {
  readonly #entries = new Map<string, Entry>();
  #readyNodes = 0;
  #nodes = 0;
  #allLostSinceMs: number | undefined;

  get(name: string): NodeMemory | undefined {
    return this.#entries.get(name);
  }

  /** Since when no node is Ready though there are some; absent = one is. */
  get allLostSinceMs(): number | undefined {
    return this.#allLostSinceMs;
  }

  /** A node is new, or has changed. */
  stored(node: Node, atMs: number): void {
    const entry = this.#entry(node.metadata.name, atMs);
    const { node: before } = entry;
    entry.node = node;
    entry.addedMs ??= atMs;
    const isTainted = hasNoExecuteTaint(node);
    if (isTainted) entry.taintedSinceMs ??= atMs;
    else if (entry.taintedSinceMs !== undefined) {
      entry.taintedSinceMs = undefined;
      entry.clearedMs = atMs;
    }
    if (isTaintedAsLost(node)) entry.lostTaintSinceMs ??= atMs;
    else entry.lostTaintSinceMs = undefined;
    if (before !== undefined && isClosedFurther(before, node)) entry.closedMs = atMs;
    const [ready, readyBefore] = [readyOf(node), readyOf(before)];
    if (ready === 'Unknown' && readyBefore !== 'Unknown') entry.givenUpMs = atMs;
    if (ready !== 'Unknown' && readyBefore === 'Unknown') entry.regainedMs = atMs;
    if (ready === 'True') entry.readySinceMs ??= atMs;
    else if (readyBefore === 'True') {
      entry.readySinceMs = undefined;
      entry.unreadyMs = atMs;
    }
    if (ready !== readyBefore || before === undefined || isOther(before, node)) entry.changedMs = atMs;
    this.#count(before, -1, atMs);
    this.#count(node, 1, atMs);
  }

  removed({ metadata: { name } }: Node, atMs: number): void {
    const entry = this.#entry(name, atMs);
    this.#count(entry.node, -1, atMs);
    const deletionsMs = [...entry.deletionsMs, atMs];
    this.#entries.set(name, { ...blank(atMs), deletionsMs });
  }

  /** The lease of a node was taken away. */
  leaseRemoved(name: string, atMs: number): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) entry.leaseGoneMs = atMs;
  }

  /** A pod came to the node or went. */
  occupied(name: string, atMs: number): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) entry.changedMs = atMs;
  }

  #entry(name: string, atMs: number): Entry {
    let entry = this.#entries.get(name);
    if (entry === undefined) this.#entries.set(name, (entry = blank(atMs)));
    return entry;
  }

  #count(node: Node | undefined, by: 1 | -1, atMs: number): void {
    if (node === undefined) return;
    this.#nodes += by;
    if (readyOf(node) === 'True') this.#readyNodes += by;
    const areAllLost = this.#nodes > 0 && this.#readyNodes === 0;
    if (areAllLost) this.#allLostSinceMs ??= atMs;
    // The node itself is counted out and in again.
    else if (this.#nodes > 0 && by === 1) this.#allLostSinceMs = undefined;
  }
}

function blank(atMs: number): Entry {
  return {
    node: undefined,
    deletionsMs: NEVER,
    addedMs: undefined,
    taintedSinceMs: undefined,
    lostTaintSinceMs: undefined,
    clearedMs: undefined,
    givenUpMs: undefined,
    regainedMs: undefined,
    readySinceMs: undefined,
    unreadyMs: undefined,
    leaseGoneMs: undefined,
    closedMs: undefined,
    changedMs: atMs,
  };
}

function hasNoExecuteTaint({ spec }: Node): boolean {
  return spec.taints?.some(({ effect }) => effect === 'NoExecute') === true;
}

/** Whether it has the taint that the pods of a lost node are evicted for. */
export function isTaintedAsLost({ spec }: Node): boolean {
  return spec.taints?.some(({ key, effect }) => effect === 'NoExecute' && LOST_TAINTS.includes(key)) === true;
}

function readyOf(node: Node | undefined): string | undefined {
  return getCondition(node?.status.conditions, 'Ready')?.status;
}

/** Whether it turns pods away that it took before. */
function isClosedFurther({ spec: before }: Node, { spec: after }: Node): boolean {
  if (before === after) return false;
  if (after.unschedulable === true && before.unschedulable !== true) return true;
  const isOld = ({ key, value, effect }: Taint): boolean =>
    before.taints?.some((taint) => taint.key === key && taint.value === value && taint.effect === effect) === true;
  return after.taints?.some((taint) => taint.effect !== 'PreferNoSchedule' && !isOld(taint)) === true;
}

function isOther(before: Node, after: Node): boolean {
  return (
    before.spec !== after.spec ||
    before.metadata.labels !== after.metadata.labels ||
    before.status.allocatable !== after.status.allocatable
  );
}
