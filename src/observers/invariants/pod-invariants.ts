/** What holds of a pod's object from write to write. */
import { isPodTerminal } from '../../api/objects/conditions.js';
import { keyOf, type Pod } from '../../api/objects/objects.js';
import { isMirror } from '../../kubelet/configuration/critical-pod.js';
import { isOfManager } from './calm.js';
import type { Finding, Invariant } from './invariant.js';
import { isMeantForFormer, isReleased } from './released-node.js';

const terminalPhase: Invariant = {
  name: 'terminal-phase',
  promise: 'a pod that has succeeded or failed stays so',
  onWrite: {
    Pod: ({ object, previous }) => {
      if (previous === undefined || !isSame(object, previous) || !isPodTerminal(previous)) return undefined;
      const { phase } = object.status;
      if (phase === previous.status.phase) return undefined;
      return finding(object, `went from phase ${previous.status.phase} to ${phase}`);
    },
  },
};

const graceOnlyShortens: Invariant = {
  name: 'grace-only-shortens',
  promise: 'a deletion that has begun is never put off beyond the present, nor taken back',
  onWrite: {
    Pod: ({ object, previous }, world) => {
      if (previous === undefined || !isSame(object, previous)) return undefined;
      const { deletionTimestamp: before, deletionGracePeriodSeconds: graceBefore = 0 } = previous.metadata;
      const { deletionTimestamp: after, deletionGracePeriodSeconds: grace = 0 } = object.metadata;
      if (before === undefined) return undefined;
      if (after === undefined) return finding(object, `was to be deleted at ${before} and is not any more`);
      // An end that a shorter grace would put into the past becomes the present.
      if (after > before && after > world.now)
        return finding(object, `was to be deleted at ${before}, and now at ${after}`);
      return grace > graceBefore ? finding(object, `had ${graceBefore} s of grace, and now ${grace} s`) : undefined;
    },
  },
};

const restartCountRises: Invariant = {
  name: 'restart-count-rises',
  promise: 'the restart count of a container never falls',
  onWrite: {
    Pod: ({ object, previous }) => {
      if (previous === undefined || !isSame(object, previous)) return undefined;
      if (object.status.containerStatuses === previous.status.containerStatuses) return undefined;
      for (const { name, restartCount } of object.status.containerStatuses ?? []) {
        const before = previous.status.containerStatuses?.find((status) => status.name === name)?.restartCount ?? 0;
        if (restartCount < before) {
          return finding(object, `container ${name} had ${before} restarts, and now ${restartCount}`);
        }
      }
      return undefined;
    },
  },
};

/** A pod is bound once. */
const boundOnce: Invariant = {
  name: 'bound-once',
  promise: 'a pod that was bound to a node stays bound to it',
  onWrite: {
    Pod: ({ object, previous }) => {
      const before = previous?.spec.nodeName ?? '';
      if (previous === undefined || before === '' || !isSame(object, previous)) return undefined;
      const after = object.spec.nodeName ?? '';
      return after === before ? undefined : finding(object, `was bound to ${before}, and now to ${after || 'nothing'}`);
    },
  },
};

/**
 * The parties that may take a bound pod away: its kubelet after it has ended; pod GC where the node is gone or is
 * declared out of service; a user by force, at the user's own risk.
 */
const removedByItsKubelet: Invariant = {
  name: 'removed-by-its-kubelet',
  promise: 'a bound pod is removed by its kubelet, after a terminal phase was written',
  onWrite: {
    Pod: ({ type, object, by }, world) => {
      const { nodeName = '' } = object.spec;
      if (type !== 'DELETED' || nodeName === '' || isPodTerminal(object) || isMirror(object)) return undefined;
      const held = world.machine(nodeName)?.runtime.held(object.metadata.uid);
      if (by.startsWith('kubelet/')) {
        return finding(object, `was removed by ${by} in phase ${object.status.phase}, which is not terminal`);
      }
      if (held === undefined) return undefined;
      const text = `was removed by ${by} while ${nodeName} holds its sandbox`;
      if (by === 'user' || by === 'kubectl') return { ...finding(object, text), asked: by };
      // What pod GC does after a node was deleted, or declared out of service, is at the risk of that request.
      const isAtRisk = isReleased(world, nodeName) || (isOfManager(by) && isMeantForFormer(object, world));
      return isAtRisk ? { ...finding(object, text), asked: by } : finding(object, text);
    },
  },
};

/** Every invariant of single pods. */
export const POD_INVARIANTS: readonly Invariant[] = [
  terminalPhase,
  graceOnlyShortens,
  restartCountRises,
  boundOnce,
  removedByItsKubelet,
];

function isSame(left: Pod, right: Pod): boolean {
  return left.metadata.uid === right.metadata.uid;
}

function finding(pod: Pod, text: string): Finding {
  return { object: `Pod ${keyOf(pod)}`, text };
}
