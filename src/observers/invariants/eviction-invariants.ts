/** What is promised to pods of nodes that are lost, or seem to be. */
import { getCondition } from '../../api/objects/conditions.js';
import { keyOf, type Pod } from '../../api/objects/objects.js';
import { findUntolerated } from '../../api/selectors/tolerations.js';
import { areCalm, isOfManager } from './calm.js';
import type { Invariant, World } from './invariant.js';
import { isTaintedAsLost } from '../registers/node-register.js';
import { SECOND_MS } from '../../kernel/time-units.js';

const MARK = 'DeletionByTaintManager';
const EVICTOR = 'taint-eviction-controller';
const MONITOR = 'node-lifecycle-controller';
/** A request that was on its way when things changed has arrived by then. */
const UNDER_WAY_MS = 60_000;
/** A client sends 20 requests a second: what 2,000 evictions of three requests each take. */
const BACKLOG_MS = 300_000;
/** Three looks at all nodes. */
const NOTICED_MS = 15_000;

/** Tolerations are kept, and those for a time for as long. */
const tolerationsHold: Invariant = {
  name: 'tolerations-hold',
  promise: 'a pod is evicted for a taint only if it does not tolerate it, or no longer',
  onWrite: {
    Pod: ({ type, object, previous, by }, world) => {
      if (type !== 'MODIFIED' || previous === undefined || !isOfManager(by)) return undefined;
      if (!isMarked(object) || isMarked(previous) || !areCalm(world, [EVICTOR], UNDER_WAY_MS)) return undefined;
      const text = prematurity(object, world);
      return text === undefined ? undefined : { object: `Pod ${keyOf(object)}`, text };
    },
  },
};

/** When all nodes are lost it is rather the controller that is cut off. */
const sparedWhileAllAreLost: Invariant = {
  name: 'spared-while-all-are-lost',
  promise: 'while no node is ready, none is tainted for being lost and no pod is evicted for it',
  onWrite: {
    Pod: ({ type, object, previous, by }, world) => {
      if (type !== 'MODIFIED' || previous === undefined || !isOfManager(by)) return undefined;
      const { allNodesLostSinceMs: sinceMs } = world;
      if (sinceMs === undefined || world.nowMs - sinceMs < UNDER_WAY_MS) return undefined;
      if (!isMarked(object) || isMarked(previous)) return undefined;
      const taintedMs = world.node(object.spec.nodeName ?? '')?.lostTaintSinceMs;
      // One that was tainted while the taints of the others were taken off keeps its own, see `isUnderWay`; so does one
      // whose taint the monitor's cache did not show then, for it takes them off once.
      if (
        taintedMs === undefined ||
        isUnderWay(taintedMs - sinceMs) ||
        !areCalm(world, [MONITOR, EVICTOR], world.nowMs - sinceMs + UNDER_WAY_MS)
      )
        return undefined;
      const text = `is evicted ${Math.round((world.nowMs - sinceMs) / SECOND_MS)} s after the last node was lost`;
      return { object: `Pod ${keyOf(object)}`, text };
    },
    Node: ({ type, object, previous, by }, world) => {
      if (type !== 'MODIFIED' || previous === undefined || !isOfManager(by)) return undefined;
      const { allNodesLostSinceMs: sinceMs } = world;
      if (sinceMs === undefined || world.nowMs - sinceMs < NOTICED_MS) return undefined;
      if (!isTaintedAsLost(object) || isTaintedAsLost(previous) || !areCalm(world, [MONITOR], UNDER_WAY_MS))
        return undefined;
      const text = `is tainted ${Math.round((world.nowMs - sinceMs) / SECOND_MS)} s after the last node was lost`;
      return { object: `Node ${object.metadata.name}`, text };
    },
  },
};

/**
 * The monitor looks at the nodes as they were when its pass began, and takes one taint off after another, as fast as
 * its client may write; meanwhile the zones' queues go on until their rates are set to 0 (handleDisruption and
 * doNoExecuteTaintingPass, v1.34).
 */
function isUnderWay(sinceLostMs: number): boolean {
  return sinceLostMs > -SECOND_MS && sinceLostMs < NOTICED_MS;
}

/** Every invariant of evictions by taints. */
export const EVICTION_INVARIANTS: readonly Invariant[] = [tolerationsHold, sparedWhileAllAreLost];

function isMarked({ status }: Pod): boolean {
  const target = getCondition(status.conditions, 'DisruptionTarget');
  return target?.status === 'True' && target.reason === MARK;
}

/**
 * Why it was too soon. Evictions that are due at once go by name, as fast as the client may send, and are not called
 * off (createWorker and addConditionAndDeletePod, v1.34): one that was begun for a pod on a tainted node may find the
 * next pod of that name, wherever it runs.
 */
function prematurity(pod: Pod, world: World): string | undefined {
  const { spec } = pod;
  if (world.nowMs - (world.unwelcomeMs(keyOf(pod)) ?? Number.NEGATIVE_INFINITY) < BACKLOG_MS) return undefined;
  const { nodeName = '', tolerations } = spec;
  const memory = world.node(nodeName);
  const node = world.find('Node', { name: nodeName });
  if (memory === undefined || node === undefined) return undefined;
  if (memory.taintedSinceMs === undefined) {
    const forMs = world.nowMs - (memory.clearedMs ?? 0);
    return forMs < UNDER_WAY_MS
      ? undefined
      : `is evicted, and ${nodeName} has had no taint for ${Math.round(forMs / SECOND_MS)} s`;
  }
  if (findUntolerated(node.spec.taints, tolerations, ['NoExecute']) !== undefined) return undefined;
  const taints = (node.spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
  // The shortest of all tolerations, of whichever taint: a lower bound of what was due, so that no finding is false.
  const times = (tolerations ?? []).flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  const keys = taints.map(({ key }) => key).join(', ');
  if (times.length === 0) return `is evicted, and tolerates ${keys}`;
  const taintedMs = world.nowMs - memory.taintedSinceMs;
  const leastSeconds = Math.min(...times);
  if (taintedMs >= (leastSeconds - 1) * SECOND_MS) return undefined;
  return `is evicted ${Math.round(taintedMs / SECOND_MS)} s after ${nodeName} was tainted, and tolerates ${keys} for ${leastSeconds} s`;
}
