/** What the scheduler promises pods that wait. */
import { getCondition } from '../../api/objects/conditions.js';
import { keyOf, type Node, type Pod } from '../../api/objects/objects.js';
import { podRequests } from '../../api/pods/pod-resources.js';
import { knownQuantity, milliValue, value } from '../../api/values/quantity.js';
import { findUntolerated } from '../../api/selectors/tolerations.js';
import { isPodTerminal } from '../../api/objects/conditions.js';
import { claimsRoom, hasVolumes } from '../registers/pod-register.js';
import type { Finding, Invariant, World } from './invariant.js';

const SCHEDULER = 'default-scheduler';
/** The longest back-off is 10 s; events that make room are heard at once. */
const NOTICED_MS = 60_000;
/** From the choice of a node until the binding is stored; what the node got meanwhile is not asked (bindingCycle, v1.34). */
const BINDING_MS = 1000;
/** The same of a pod with claims, which are bound first: bindTimeoutSeconds of the plugin VolumeBinding. */
const VOLUME_BINDING_MS = 600_000;

/**
 * Judged are plain pods, for which resources, taints and host ports alone decide, and nodes that have been as they
 * are for a minute.
 */
const noWaitBesideRoom: Invariant = {
  name: 'no-wait-beside-room',
  promise: 'no pod waits beside a node that has room for it',
  onWrite: {
    // The room that a pod leaves is new at the moment at which it is gone.
    Pod: ({ type }, world) => (type === 'DELETED' ? undefined : judge(world)),
    Node: (_write, world) => judge(world),
    Lease: (_write, world) => judge(world),
  },
  *atRest(world) {
    const finding = judge(world);
    if (finding !== undefined) yield finding;
  },
};

/**
 * What the scheduler sees of its node, and what is bound there: what it has bound itself it knows, and of what has gone
 * it hears late, if at all. What closed the node while the binding was on its way came too late for the choice.
 */
const boundWhereItFits: Invariant = {
  name: 'bound-where-it-fits',
  promise: 'a pod is bound to a node only where its resources, taints and host ports allow it',
  onWrite: {
    Pod: ({ type, object, previous, by }, world) => {
      const { nodeName = '' } = object.spec;
      if (type !== 'MODIFIED' || !by.startsWith('kube-scheduler') || nodeName === '') return undefined;
      if ((previous?.spec.nodeName ?? '') !== '') return undefined;
      const calmMs = world.schedulerCalmSinceMs;
      if (calmMs === undefined || world.nowMs - calmMs < NOTICED_MS) return undefined;
      const nodes = world.caches(by).find(({ kind }) => kind === 'Node')?.objects;
      const node = nodes?.get({ name: nodeName }) as Node | undefined;
      if (node === undefined) return undefined;
      const { closedMs = -Infinity } = world.node(nodeName) ?? {};
      const wasOpen = world.nowMs - closedMs < (hasVolumes(object) ? VOLUME_BINDING_MS : BINDING_MS);
      const isClosed = !wasOpen && node.spec.unschedulable === true && !toleratesCordon(object);
      const others = world
        .list('Pod')
        .filter(
          (pod) => pod.spec.nodeName === nodeName && pod.metadata.uid !== object.metadata.uid && !isPodTerminal(pod),
        );
      const chosen = wasOpen ? { ...node, spec: { ...node.spec, taints: [] } } : node;
      if (!isClosed && fits(object, chosen, others)) return undefined;
      const text = isClosed ? 'which takes no more pods' : `which does not fit beside ${others.length} others`;
      return { object: `Pod ${keyOf(object)}`, text: `is bound to ${nodeName}, ${text}` };
    },
  },
};

/** Judged where pods are nominated: a pod is taken away for their sake. */
const victimsAreLower: Invariant = {
  name: 'victims-are-lower',
  promise: 'a pod has to go only for one of a higher priority',
  onWrite: {
    Pod: ({ type, object, previous, by }, world) => {
      if (type !== 'MODIFIED' || !by.startsWith('kube-scheduler') || isPreempted(previous) || !isPreempted(object))
        return undefined;
      // One that is on its way to its node does not name it yet.
      const nodeName = object.spec.nodeName ?? '';
      const nominated = [...world.pendingPods].filter(({ pod }) => {
        const { nominatedNodeName = '' } = pod.status;
        return nominatedNodeName !== '' && (nodeName === '' || nominatedNodeName === nodeName);
      });
      if (nominated.length === 0) return undefined;
      const own = object.spec.priority ?? 0;
      if (nominated.some(({ pod }) => (pod.spec.priority ?? 0) > own)) return undefined;
      const names = nominated.map(({ pod }) => pod.metadata.name).join(', ');
      return { object: `Pod ${keyOf(object)}`, text: `of priority ${own} has to go for ${names}` };
    },
  },
};

/** Every invariant of waiting pods, and of those that they get to. */
export const ROOM_INVARIANTS: readonly Invariant[] = [noWaitBesideRoom, boundWhereItFits, victimsAreLower];

const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

function toleratesCordon({ spec }: Pod): boolean {
  return findUntolerated([CORDON], spec.tolerations, ['NoSchedule']) === undefined;
}

function isPreempted(pod: Pod | undefined): boolean {
  return getCondition(pod?.status.conditions, 'DisruptionTarget')?.reason === 'PreemptionByScheduler';
}

function judge(world: World): Finding | undefined {
  const { pendingPods, nowMs } = world;
  if (pendingPods.size === 0) return undefined;
  const isSettled = (sinceMs: number | undefined): boolean => sinceMs !== undefined && nowMs - sinceMs >= NOTICED_MS;
  const waiting = [...pendingPods].filter(
    ({ pod, changedMs }) => isSettled(changedMs) && isPlain(pod) && !isInGoingNamespace(pod, world),
  );
  if (waiting.length === 0 || !isSettled(world.schedulerCalmSinceMs)) return undefined;
  // What is promised to another pod is not free, and what one takes that still waits for its volumes is not seen.
  if ([...pendingPods].some(({ pod }) => claimsRoom(pod)) || !isSettled(world.roomClaimedMs ?? -Infinity))
    return undefined;
  const nodes = world
    .list('Node')
    .filter((node) => isOpen(node) && isSettled(world.node(node.metadata.name)?.changedMs));
  if (nodes.length === 0) return undefined;
  const pods = Map.groupBy(
    world.list('Pod').filter((pod) => !isPodTerminal(pod)),
    ({ spec }) => spec.nodeName ?? '',
  );
  for (const { pod, changedMs } of waiting) {
    const node = nodes.find((each) => fits(pod, each, pods.get(each.metadata.name) ?? []));
    if (node === undefined) continue;
    const seconds = Math.round((nowMs - changedMs) / 1000);
    return {
      object: `Pod ${keyOf(pod)}`,
      text: `has waited for ${seconds} s, and ${node.metadata.name} has room for it`,
    };
  }
  return undefined;
}

/** A binding is something new, which a namespace on its way out refuses. */
function isInGoingNamespace({ metadata: { namespace = '' } }: Pod, world: World): boolean {
  return world.find('Namespace', { name: namespace })?.metadata.deletionTimestamp !== undefined;
}

function isPlain(pod: Pod): boolean {
  const {
    affinity,
    nodeSelector,
    topologySpreadConstraints = [],
    schedulingGates = [],
    schedulerName,
    resourceClaims,
  } = pod.spec;
  if (hasVolumes(pod) || resourceClaims !== undefined || schedulingGates.length > 0) return false;
  if (affinity !== undefined || nodeSelector !== undefined || topologySpreadConstraints.length > 0) return false;
  return schedulerName === undefined || schedulerName === SCHEDULER;
}

function isOpen({ spec, status }: Node): boolean {
  return spec.unschedulable !== true && getCondition(status.conditions, 'Ready')?.status === 'True';
}

function fits(pod: Pod, { spec, status }: Node, others: readonly Pod[]): boolean {
  if (findUntolerated(spec.taints, pod.spec.tolerations, ['NoSchedule', 'NoExecute']) !== undefined) return false;
  const ports = new Set(others.flatMap(hostPortsOf));
  if (hostPortsOf(pod).some((port) => ports.has(port))) return false;
  const { allocatable = {} } = status;
  if (others.length + 1 > value(knownQuantity(allocatable['pods'] ?? '0'))) return false;
  for (const [resource, wanted] of podRequests(pod.spec)) {
    if (wanted === 0) continue;
    const quantity = knownQuantity(allocatable[resource] ?? '0');
    const room = resource === 'cpu' ? milliValue(quantity) : value(quantity);
    const used = others.reduce((sum, other) => sum + (podRequests(other.spec).get(resource) ?? 0), 0);
    if (used + wanted > room) return false;
  }
  return true;
}

function hostPortsOf({ spec }: Pod): readonly number[] {
  return spec.containers.flatMap(({ ports = [] }) => ports.flatMap(({ hostPort }) => hostPort ?? []));
}
