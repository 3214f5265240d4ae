/** What the controllers promise nodes that are well, and pods of nodes that are gone. */
import { getCondition } from '../../api/objects/conditions.js';
import { isOfManager } from './calm.js';
import type { Invariant } from './invariant.js';

const MANAGER = 'kube-controller-manager';
const LEASES = 'kube-node-lease';
/** A lease is renewed every ten seconds: with this much grace, one whose renewals are heard is never late. */
const SAFE_GRACE_MS = 20_000;
/** From the decision that a node is lost to the write that tells so, the longest way: requests may be lost, and tried again. */
const LONGEST_WRITE_MS = 3 * 60_000;
const QUARANTINE_MS = 40_000;

/** Durations are measured by one clock: what a node stamps is compared with what it has stamped before, and nothing else. */
const heardNodesStay: Invariant = {
  name: 'heard-nodes-stay',
  promise: 'a node whose renewals are all heard in time is not given up, whatever its clock shows',
  onWrite: {
    Node: ({ type, object, previous, by }, world) => {
      if (type !== 'MODIFIED' || previous === undefined || !by.startsWith(MANAGER)) return undefined;
      const ready = getCondition(object.status.conditions, 'Ready');
      if (ready?.status !== 'Unknown') return undefined;
      if (getCondition(previous.status.conditions, 'Ready')?.status !== 'True') return undefined;
      if (world.nodeMonitorGraceMs < SAFE_GRACE_MS) return undefined;
      const { name } = object.metadata;
      const leases = world.caches(by).find(({ kind }) => kind === 'Lease');
      const heardSinceMs = leases?.heardSinceMs(`${LEASES}/${name}`);
      if (heardSinceMs === undefined) return undefined;
      const heardMs = world.nowMs - heardSinceMs;
      if (heardMs < world.nodeMonitorGraceMs + LONGEST_WRITE_MS) return undefined;
      const text = `is given up by ${by}, which has heard every renewal for ${Math.round(heardMs / 1000)} s`;
      return { object: `Node ${name}`, text };
    },
  },
};

/** A pod of a node that seems to be gone is not collected before the node had the time to show itself. */
const orphansQuarantined: Invariant = {
  name: 'orphans-quarantined',
  promise: 'pods of a node that is gone are collected no sooner than 40 s after it went',
  onWrite: {
    Pod: ({ type, object, previous, by }, world) => {
      if (type !== 'MODIFIED' || previous === undefined || !by.startsWith(MANAGER)) return undefined;
      const { conditions } = object.status;
      if (conditions === previous.status.conditions) return undefined;
      if (getCondition(conditions, 'DisruptionTarget')?.reason !== 'DeletionByPodGC') return undefined;
      if (getCondition(previous.status.conditions, 'DisruptionTarget')?.reason === 'DeletionByPodGC') return undefined;
      const { nodeName = '' } = object.spec;
      // For a node that never had an object the pod's own beginning counts.
      const goneMs = world.node(nodeName)?.deletionsMs[0] ?? world.pod(object.metadata.uid)?.createdMs ?? 0;
      const quarantineMs = world.nowMs - goneMs;
      if (quarantineMs >= QUARANTINE_MS) return undefined;
      const { namespace = '', name } = object.metadata;
      const text = `is collected ${Math.round(quarantineMs / 1000)} s after node ${nodeName} went`;
      return { object: `Pod ${namespace}/${name}`, text };
    },
  },
};

/** A question to the API server and its answer are not under way for longer, if nothing is lost. */
const ASKED_MS = 20_000;

/** The cache may say that a node is gone; the API server is asked once more. */
const presentNodesSpared: Invariant = {
  name: 'present-nodes-spared',
  promise: 'no pod is collected for want of its node while the node is there',
  onWrite: {
    Pod: ({ type, object, previous, by }, world) => {
      if (type !== 'MODIFIED' || previous === undefined || !isOfManager(by)) return undefined;
      const { conditions } = object.status;
      if (getCondition(conditions, 'DisruptionTarget')?.reason !== 'DeletionByPodGC') return undefined;
      if (getCondition(previous.status.conditions, 'DisruptionTarget')?.reason === 'DeletionByPodGC') return undefined;
      const { nodeName = '' } = object.spec;
      const { addedMs } = world.node(nodeName) ?? {};
      const steadyMs = world.steadySinceMs(by);
      if (addedMs === undefined || steadyMs === undefined) return undefined;
      const forMs = world.nowMs - Math.max(addedMs, steadyMs);
      if (forMs < ASKED_MS) return undefined;
      const { namespace = '', name } = object.metadata;
      const text = `is collected, and ${nodeName} has been there again for ${Math.round((world.nowMs - addedMs) / 1000)} s`;
      return { object: `Pod ${namespace}/${name}`, text };
    },
  },
};

/** A request that gets no answer fails after that time. */
const UNANSWERED_MS = 10_000;
/** Its looks are 5 s apart, and a lease that was on its way is heard. */
const LATEST_LOOK_MS = 10_000;
const MONITOR = 'node-lifecycle-controller';

/** A node that is silent is not waited for: judged when it is given up, and when it can be heard again. */
const silentNodesGivenUp: Invariant = {
  name: 'silent-nodes-given-up',
  promise: 'a node that is silent is given up once its grace is over',
  onWrite: {
    Node: ({ type, object, previous, by }, world) => {
      if (type !== 'MODIFIED' || previous === undefined) return undefined;
      const { name } = object.metadata;
      const silence = world.silenceOf(name);
      if (silence === undefined || getCondition(previous.status.conditions, 'Ready')?.status !== 'True')
        return undefined;
      const { fromMs, untilMs = world.nowMs } = silence;
      // Of one that came back under its name meanwhile nothing is known from before.
      if ((world.node(name)?.addedMs ?? fromMs) > fromMs) return undefined;
      const graceMs = world.nodeMonitorGraceMs + LATEST_LOOK_MS;
      const calmMs = world.calmSinceMs(MONITOR);
      // A request that was lost before is given up so much later; a process that begins lists first.
      if (calmMs === undefined || Math.max(calmMs + UNANSWERED_MS, fromMs) > untilMs - graceMs) return undefined;
      const isGivenUp = getCondition(object.status.conditions, 'Ready')?.status === 'Unknown';
      const { givenUpMs = -1, regainedMs = Number.POSITIVE_INFINITY } = world.node(name) ?? {};
      // One that was given up before counts as well, as long as it was not heard of again before its silence.
      const wasGivenUp = !isGivenUp && givenUpMs >= 0 && (givenUpMs >= fromMs || regainedMs >= fromMs);
      const isItsOwn = by === `kubelet/${name}` && silence.untilMs !== undefined;
      if (wasGivenUp || !(isItsOwn || (isGivenUp && isOfManager(by) && silence.untilMs === undefined)))
        return undefined;
      const text = `was silent for ${Math.round((untilMs - fromMs) / 1000)} s before it was given up`;
      return { object: `Node ${name}`, text };
    },
  },
};

/** Every invariant of nodes. */
export const NODE_INVARIANTS: readonly Invariant[] = [
  heardNodesStay,
  orphansQuarantined,
  presentNodesSpared,
  silentNodesGivenUp,
];
