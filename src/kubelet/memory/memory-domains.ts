/** What on a machine may use only so much memory together: a pod with a limit of its own, and all pods. Pure. */
import type { Container } from '../../api/objects/objects.js';
import { wholeValue } from '../../api/values/quantity.js';
import type { ContainerSlot, PodSandbox } from '../containers/container-runtime.js';
import { UsageSum } from '../scripts/usage-sum.js';
import { usageAt } from '../scripts/usage-curve.js';
import { memoryRequest } from './oom-score.js';

/** A process that uses memory. */
export interface MemoryUser {
  readonly sandbox: PodSandbox;
  readonly slot: ContainerSlot;
  readonly container: Container;
}

/** Users that share one limit. */
export interface MemoryDomain {
  readonly limitBytes: number;
  readonly sum: UsageSum;
  readonly users: readonly MemoryUser[];
  /** It is the machine itself that runs out, and not a part of it. */
  readonly isMachine: boolean;
}

/** What all pods of a machine may use. */
export interface PodsLimit {
  readonly limitBytes: number;
  /** Nothing is kept back from them: where they are stopped, the machine has nothing left. */
  readonly isMachine: boolean;
}

/** The domains of a machine, the smaller ones before those that hold them. */
export function memoryDomains(sandboxes: Iterable<PodSandbox>, pods: PodsLimit): readonly MemoryDomain[] {
  const domains: MemoryDomain[] = [];
  const all: MemoryUser[] = [];
  for (const sandbox of sandboxes) {
    const users = usersOf(sandbox);
    all.push(...users);
    const limit = sandbox.pod.spec.resources?.limits?.['memory'];
    if (limit === undefined || users.length === 0) continue;
    domains.push({ limitBytes: wholeValue(limit), sum: sumOf(users), users, isMachine: false });
  }
  domains.push({ ...pods, sum: sumOf(all), users: all });
  return domains;
}

/** What a process uses at a moment. */
export function memoryOf({ slot: { current }, container }: MemoryUser, nowMs: number): number {
  if (current === undefined) return 0;
  const { memory, runningMs } = current;
  return memory === undefined ? memoryRequest(container) : usageAt(memory, nowMs - runningMs);
}

function usersOf(sandbox: PodSandbox): MemoryUser[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = sandbox.pod.spec;
  const all = [...initContainers, ...containers, ...ephemeralContainers];
  return sandbox.slots.flatMap((slot, index) => {
    const container = all[index];
    return slot.isRunning && container !== undefined ? [{ sandbox, slot, container }] : [];
  });
}

function sumOf(users: readonly MemoryUser[]): UsageSum {
  const sum = new UsageSum();
  for (const {
    slot: { current },
    container,
  } of users) {
    if (current?.memory === undefined) sum.add(memoryRequest(container));
    else sum.addCurve(current.memory, current.runningMs);
  }
  return sum;
}
