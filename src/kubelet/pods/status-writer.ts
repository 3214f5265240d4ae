/**
 * Writes pod statuses to the API server: what the kubelet owns replaces what is stored, what others
 * own stays. A write is not answered unless its outcome matters; what a cut link swallowed is written
 * again once it is back. Mirrors the kubelet's status manager (v1.34).
 */
import type { core, ObjectName, Pod, PodStatus } from '../../api/objects/objects.js';
import type { AnswerOf } from '../../bus/bus-types.js';
import { withDisruptionTarget } from '../status/condition-merge.js';
import type { NodeContext } from '../node/node-context.js';
import { isKubeletCondition } from '../status/pod-conditions.js';
import { isTerminalPhase } from '../status/pod-phase.js';
import type { WantedStatus } from './pod-status.js';
import type { Rejection } from '../admission/rejection.js';

/** The pod of a status. */
export interface StatusTarget {
  readonly name: ObjectName;
  readonly uid: string;
}

/** Sends a status; the API server merges it into whatever is stored when it arrives. */
export function writeStatus(
  { client, parts, hostIps, situation }: NodeContext,
  { name, uid: ownUid }: StatusTarget,
  wanted: WantedStatus,
  answer?: AnswerOf<Pod>,
): void {
  const uid = situation.targetOf(ownUid);
  if (uid === undefined) return answer?.(undefined, undefined);
  const podIps = wanted.podIp === undefined ? undefined : [{ ip: wanted.podIp }];
  client.change(
    'Pod',
    name,
    (pod) => {
      const { status } = pod;
      const { generation, time, disruption } = wanted;
      const own = parts.conditions.merge(status.conditions, wanted.conditions, time, generation);
      const conditions = disruption === undefined ? own : withDisruptionTarget(own, disruption, time, generation);
      return { ...pod, status: mergedStatus(status, wanted, conditions, hostIps, podIps) };
    },
    { subresource: 'status', preconditions: { uid }, isReadFirst: true },
    answer,
  );
}

/** Reason and message are the kubelet's only together with its phase: a terminal phase of others stays. */
function mergedStatus(
  stored: PodStatus,
  wanted: WantedStatus,
  conditions: PodStatus['conditions'],
  hostIPs: core.HostIP[],
  podIPs: core.PodIP[] | undefined,
): PodStatus {
  const told = isTerminalPhase(stored.phase) ? stored : wanted;
  const hostIP = hostIPs[0]?.ip;
  const usual = usualStatus(stored, told, wanted, conditions, hostIPs, podIPs);
  if (usual !== undefined) return usual;
  const { reason: _reason, message: _message, podIP: _podIp, podIPs: _podIps, ...kept } = stored;
  return {
    ...kept,
    ...(wanted.generation === undefined ? {} : { observedGeneration: wanted.generation }),
    phase: told.phase,
    ...(conditions === undefined ? {} : { conditions }),
    ...(told.reason === undefined ? {} : { reason: told.reason }),
    ...(told.message === undefined ? {} : { message: told.message }),
    ...(hostIP === undefined ? {} : { hostIP, hostIPs }),
    ...(wanted.podIp === undefined || podIPs === undefined ? {} : { podIP: wanted.podIp, podIPs }),
    startTime: stored.startTime ?? wanted.startTime,
    ...(wanted.initStatuses.length === 0 ? {} : { initContainerStatuses: wanted.initStatuses }),
    containerStatuses: wanted.statuses,
    ...(wanted.ephemeralStatuses.length === 0 ? {} : { ephemeralContainerStatuses: wanted.ephemeralStatuses }),
  };
}

/** The fields of most statuses, as they come about one after the other. */
const USUAL_FIELDS = [
  'phase',
  'qosClass',
  'conditions',
  'hostIP',
  'hostIPs',
  'startTime',
  'containerStatuses',
  'podIP',
  'podIPs',
] as const;
/** Those of a pod whose containers are known, without its address. */
const FIELDS_WITH_CONTAINERS = 7;
/** Those of every pod. */
const FIELDS_OF_NEW = 2;

/**
 * What {@link mergedStatus} puts together, field by field in the same order, where nothing is unusual: one literal is
 * smaller, and made in a fraction of the time. `undefined` = something is.
 */
function usualStatus(
  stored: PodStatus,
  told: WantedStatus | PodStatus,
  wanted: WantedStatus,
  conditions: PodStatus['conditions'],
  hostIPs: core.HostIP[],
  podIPs: core.PodIP[] | undefined,
): PodStatus | undefined {
  if (wanted.generation !== undefined || told.reason !== undefined || told.message !== undefined) return undefined;
  const { ip: hostIP } = hostIPs[0] ?? {};
  if (hostIP === undefined || conditions === undefined) return undefined;
  if (wanted.initStatuses.length > 0 || wanted.ephemeralStatuses.length > 0) return undefined;
  let fields = 0;
  for (const field in stored) {
    if (field !== USUAL_FIELDS[fields]) return undefined;
    fields += 1;
  }
  if (fields < (podIPs === undefined ? FIELDS_OF_NEW : FIELDS_WITH_CONTAINERS)) return undefined;
  const { qosClass } = stored;
  const { phase } = told;
  if (qosClass === undefined) return undefined;
  const startTime = stored.startTime ?? wanted.startTime;
  const containerStatuses = wanted.statuses;
  if (podIPs === undefined) return { phase, qosClass, conditions, hostIP, hostIPs, startTime, containerStatuses };
  const { podIp: podIP } = wanted;
  return podIP === undefined
    ? undefined
    : { phase, qosClass, conditions, hostIP, hostIPs, startTime, containerStatuses, podIP, podIPs };
}

/** Writes a rejection: a phase with its reason, and none of the kubelet's conditions. */
export function writeRejection(
  { client, kernel, situation }: NodeContext,
  { name, uid: ownUid }: StatusTarget,
  { reason, message }: Rejection,
  answer: AnswerOf<Pod>,
): void {
  const uid = situation.targetOf(ownUid);
  if (uid === undefined) return answer(undefined, undefined);
  const startTime = kernel.timestamps.toTime(kernel.clock.now());
  client.change(
    'Pod',
    name,
    (pod) => ({ ...pod, status: rejectedStatus(pod, reason, message, startTime) }),
    { subresource: 'status', preconditions: { uid }, isReadFirst: true },
    answer,
  );
}

/** The kubelet's own conditions vanish: the write carries none. Those of others stay. */
function rejectedStatus({ status }: Pod, reason: string, message: string, startTime: string): PodStatus {
  const { conditions = [], ...kept } = status;
  const others = conditions.filter(({ type }) => !isKubeletCondition(type));
  return {
    ...kept,
    phase: 'Failed',
    reason,
    message: `Pod was rejected: ${message}`,
    startTime: status.startTime ?? startTime,
    ...(others.length === 0 ? {} : { conditions: others }),
  };
}
