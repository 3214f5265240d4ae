/** The conditions that a kubelet reports of its node. Pure. Mirrors pkg/kubelet/nodestatus (v1.34). */
import type { core } from '../../api/objects/objects.js';

/** What a node may run short of. */
export type Pressure = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

/** How the machine is doing. */
export interface NodeHealth {
  /** Why the node is not ready; empty = it is. */
  readonly problems: readonly string[];
  readonly pressures: readonly Pressure[];
  /** RFC 3339. */
  readonly time: string;
}

interface PressureTexts {
  readonly reason: string;
  readonly message: string;
  /** Reason of the event that tells of the change. */
  readonly event: string;
}

interface PressureKind {
  readonly type: Pressure;
  readonly present: PressureTexts;
  readonly absent: PressureTexts;
}

/** In the order in which they are reported. */
export const PRESSURES: readonly PressureKind[] = [
  {
    type: 'MemoryPressure',
    present: {
      reason: 'KubeletHasInsufficientMemory',
      message: 'kubelet has insufficient memory available',
      event: 'NodeHasInsufficientMemory',
    },
    absent: {
      reason: 'KubeletHasSufficientMemory',
      message: 'kubelet has sufficient memory available',
      event: 'NodeHasSufficientMemory',
    },
  },
  {
    type: 'DiskPressure',
    present: { reason: 'KubeletHasDiskPressure', message: 'kubelet has disk pressure', event: 'NodeHasDiskPressure' },
    absent: {
      reason: 'KubeletHasNoDiskPressure',
      message: 'kubelet has no disk pressure',
      event: 'NodeHasNoDiskPressure',
    },
  },
  {
    type: 'PIDPressure',
    present: {
      reason: 'KubeletHasInsufficientPID',
      message: 'kubelet has insufficient PID available',
      event: 'NodeHasInsufficientPID',
    },
    absent: {
      reason: 'KubeletHasSufficientPID',
      message: 'kubelet has sufficient PID available',
      event: 'NodeHasSufficientPID',
    },
  },
];

/** What holds a kubelet's node back before its runtime has answered. */
export const STARTING_PROBLEMS: readonly string[] = [
  'container runtime status check may not have completed yet',
  'PLEG is not healthy: pleg has yet to be successful',
];

/** Pressures first, Ready last; a condition that is as before keeps the time of its last transition. */
export function nodeConditions(
  { problems, pressures, time }: NodeHealth,
  present: readonly core.NodeCondition[],
): readonly core.NodeCondition[] {
  const condition = (type: string, isTrue: boolean, reason: string, message: string): core.NodeCondition => {
    const status = isTrue ? 'True' : 'False';
    const before = present.find((each) => each.type === type);
    const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? time) : time;
    return { type, status, lastHeartbeatTime: time, lastTransitionTime, reason, message };
  };
  const conditions = PRESSURES.map((kind) => {
    const isPresent = pressures.includes(kind.type);
    const { reason, message } = isPresent ? kind.present : kind.absent;
    return condition(kind.type, isPresent, reason, message);
  });
  conditions.push(
    problems.length === 0
      ? condition('Ready', true, 'KubeletReady', 'kubelet is posting ready status')
      : condition('Ready', false, 'KubeletNotReady', joined(problems)),
  );
  return conditions;
}

/** Whether the API shows these conditions as the kubelet would write them. */
export function showsConditions(shown: readonly core.NodeCondition[] = [], health: NodeHealth): boolean {
  return nodeConditions(health, shown).every(({ type, status, reason, message }) => {
    const stored = shown.find((each) => each.type === type);
    return stored?.status === status && stored.reason === reason && stored.message === message;
  });
}

/** As Go prints several errors in one. */
function joined(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
}
