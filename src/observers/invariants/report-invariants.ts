/** What kubelets promise of what they report, and the node lifecycle controller of those that report nothing. */
import { getCondition } from '../../api/objects/conditions.js';
import { keyOf, type Node, type Pod } from '../../api/objects/objects.js';
import { areCalm } from './calm.js';
import type { Finding, Invariant, World } from './invariant.js';
import { serves } from '../registers/pod-register.js';

const KUBELET = 'kubelet/';
const MONITOR = 'node-lifecycle-controller';
const LEASES = 'kube-node-lease';
/** Leases are renewed every 10 s; one renewal may be on its way, and a process that has just started writes one first. */
const RENEWED_MS = 30_000;
/** A pass over the nodes every 5 s, and one more where a write failed. */
const MARKED_MS = 60_000;

/** Conditions that a kubelet writes. Others, and those that it shares, are written by other components as well. */
const OWN_CONDITIONS: readonly string[] = [
  'PodScheduled',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodReadyToStartContainers',
  'PodResizePending',
  'PodResizeInProgress',
  'MemoryPressure',
  'DiskPressure',
  'PIDPressure',
];

/** A status is merged, and not replaced. */
const othersKept: Invariant = {
  name: 'reports-keep-others',
  promise: 'what a kubelet writes leaves what others have written into a status as it is',
  onWrite: {
    Pod: ({ type, object, previous, by }) => {
      if (type !== 'MODIFIED' || !by.startsWith(KUBELET) || previous?.metadata.uid !== object.metadata.uid)
        return undefined;
      const lost = lostCondition(previous, object);
      return lost === undefined
        ? undefined
        : { object: `Pod ${keyOf(object)}`, text: `loses condition ${lost} to ${by}` };
    },
    Node: ({ type, object, previous, by }) => {
      if (type !== 'MODIFIED' || !by.startsWith(KUBELET) || previous?.metadata.uid !== object.metadata.uid)
        return undefined;
      const text = lostOfNode(previous, object);
      return text === undefined ? undefined : { object: `Node ${object.metadata.name}`, text: `${text} to ${by}` };
    },
  },
};

/** Leases are computed when they are read: what they tell then is looked at. */
const leasesRenewed: Invariant = {
  name: 'leases-renewed',
  promise: 'a kubelet that runs and is heard renews the lease of its node every 10 s',
  onWrite: {
    Node: (_write, world) => silentLease(world),
    Pod: (_write, world) => silentLease(world),
  },
  *atRest(world) {
    const finding = silentLease(world);
    if (finding !== undefined) yield finding;
  },
};

/** A node that is not heard of serves no clients. */
const silentPodsUnready: Invariant = {
  name: 'silent-pods-unready',
  promise: 'a pod of a node that was given up is told to be unready within seconds',
  onWrite: {
    Node: (_write, world) => silentPod(world),
    Pod: (_write, world) => silentPod(world),
    Lease: (_write, world) => silentPod(world),
  },
};

/** Every invariant of reports. */
export const REPORT_INVARIANTS: readonly Invariant[] = [othersKept, leasesRenewed, silentPodsUnready];

function lostCondition({ status: before }: Pod, { status: after }: Pod): string | undefined {
  if (before.conditions === after.conditions) return undefined;
  return before.conditions?.find(
    ({ type }) => !OWN_CONDITIONS.includes(type) && getCondition(after.conditions, type) === undefined,
  )?.type;
}

function lostOfNode({ spec, status: before }: Node, { spec: specAfter, status: after }: Node): string | undefined {
  if (spec.unschedulable === true && specAfter.unschedulable !== true) return 'loses its cordon';
  const lost = before.conditions?.find(({ type }) => getCondition(after.conditions, type) === undefined)?.type;
  if (lost !== undefined) return `loses condition ${lost}`;
  const attached = new Set(after.volumesAttached?.map(({ name }) => name));
  const volume = before.volumesAttached?.find(({ name }) => !attached.has(name));
  return volume === undefined ? undefined : `loses the attached volume ${volume.name}`;
}

function silentLease(world: World): Finding | undefined {
  for (const { metadata } of world.list('Node')) {
    const { name } = metadata;
    // What a clock has stamped that is wrong tells nothing.
    const runningMs = world.machine(name)?.runningSinceMs;
    const rightMs = world.clockRightSinceMs(`${KUBELET}${name}`);
    if (runningMs === undefined || rightMs === undefined) continue;
    const steadyMs = world.steadySinceMs(`${KUBELET}${name}`);
    const { addedMs, leaseGoneMs = 0 } = world.node(name) ?? {};
    if (steadyMs === undefined || addedMs === undefined) continue;
    const lease = world.find('Lease', { namespace: LEASES, name });
    const { renewTime } = lease?.spec ?? {};
    const renewedMs = renewTime === undefined ? leaseGoneMs : world.msOf(renewTime);
    const sinceMs = Math.max(runningMs, rightMs, steadyMs, addedMs, renewedMs);
    if (world.nowMs - sinceMs < RENEWED_MS) continue;
    return {
      object: `Node ${name}`,
      text: `has not renewed its lease for ${Math.round((world.nowMs - sinceMs) / 1000)} s`,
    };
  }
  return undefined;
}

function silentPod(world: World): Finding | undefined {
  const withinMs = MARKED_MS + world.disturbedMs(MONITOR);
  if (!areCalm(world, [MONITOR], withinMs)) return undefined;
  for (const node of world.list('Node')) {
    if (getCondition(node.status.conditions, 'Ready')?.status !== 'Unknown') continue;
    const { name } = node.metadata;
    const { givenUpMs, unreadyMs } = world.node(name) ?? {};
    if (givenUpMs === undefined || world.nowMs - givenUpMs < withinMs) continue;
    // Pods are marked as the monitor sees a ready node turn; one that its kubelet had told to be unready is no such
    // node, and what the monitor has failed to mark is forgotten with its process (monitorNodeHealth, v1.34).
    if (unreadyMs !== givenUpMs || (world.workingSinceMs(MONITOR) ?? world.nowMs) > givenUpMs) continue;
    for (const pod of world.list('Pod')) {
      if (pod.spec.nodeName !== name || !serves(pod)) continue;
      // Its kubelet may have been heard once more, and has said that it is ready.
      if ((world.pod(pod.metadata.uid)?.changedMs ?? world.nowMs) >= givenUpMs) continue;
      const seconds = Math.round((world.nowMs - givenUpMs) / 1000);
      return { object: `Pod ${keyOf(pod)}`, text: `is ready, and ${name} was given up ${seconds} s ago` };
    }
  }
  return undefined;
}
