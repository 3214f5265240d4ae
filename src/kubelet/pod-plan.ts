/**
 * What a pod needs next, decided anew at each sync from what runs: a sandbox, containers to start, a
 * wait, or the end. Pure. Mirrors computePodActions of the kubelet's runtime manager (v1.34): nothing
 * is remembered that a look at the runtime does not tell, so a restarted kubelet decides the same.
 */
import type { Container, ContainerStatus, PodSpec } from '../api/objects.js';
import type { ContainerScript } from './container-script.js';
import type { ContainerSlot } from './container-runtime.js';
import type { StatusFacts, Waiting } from './container-status.js';
import { backOffEndMs, type BackOffEntry } from './restart-back-off.js';
import { shouldRestart, type ContainerRole } from './restart-policy.js';

/** A container as its pod's worker knows it. */
export interface ContainerRecord {
  readonly spec: Container;
  readonly role: ContainerRole;
  readonly script: ContainerScript;
  /** Its truth. */
  readonly slot: ContainerSlot;
  backOff: BackOffEntry | undefined;
  /** Why it waits for its next run; `undefined` while nothing keeps it. */
  waiting: Waiting | undefined;
  /** What was reported last, and out of what. */
  facts: StatusFacts | undefined;
  status: ContainerStatus | undefined;
}

/** The containers of a pod in the order of its spec. */
export interface PodRecords {
  /** Regular init containers and sidecars. */
  readonly init: readonly ContainerRecord[];
  readonly app: readonly ContainerRecord[];
}

/** What to do now, and when to look again. */
export interface PodPlan {
  /** To be started one after the other, in this order. */
  readonly start: ContainerRecord[];
  /** Those that have just begun to wait for their back-off. */
  readonly backingOff: ContainerRecord[];
  /** No app container runs or will run again, or an init container has failed for good. */
  isOver: boolean;
  /** Time of the next change that comes by itself; Infinity when there is none. */
  dueMs: number;
}

/** See the file header. */
export function planPod(policy: PodSpec['restartPolicy'], { init, app }: PodRecords, nowMs: number): PodPlan {
  const plan: PodPlan = { start: [], backingOff: [], isOver: false, dueMs: Infinity };
  if (app.some(({ slot }) => slot.current !== undefined)) {
    for (const record of init) if (record.role === 'sidecar') consider(plan, policy, record, nowMs);
  } else if (!planInit(plan, policy, init, nowMs)) return plan;
  let isKept = false;
  for (const record of app) if (consider(plan, policy, record, nowMs)) isKept = true;
  plan.isOver = !isKept;
  return plan;
}

/** Walks the init containers; `true` when all have done their part and the app containers may start. */
function planInit(
  plan: PodPlan,
  policy: PodSpec['restartPolicy'],
  init: readonly ContainerRecord[],
  nowMs: number,
): boolean {
  const reached = init.findLastIndex(({ slot }) => slot.current !== undefined);
  for (let index = 0; index <= reached; index += 1) {
    const record = init[index];
    if (record === undefined || (record.role === 'init' && index < reached)) continue;
    const isWanted = consider(plan, policy, record, nowMs);
    if (index === reached && !isDone(record, nowMs)) {
      plan.isOver = !isWanted;
      return false;
    }
  }
  const next = init[reached + 1];
  if (next === undefined) return true;
  plan.start.push(next);
  return false;
}

/** A regular init container has exited 0; a sidecar runs and is started. */
function isDone({ role, slot }: ContainerRecord, nowMs: number): boolean {
  const { current } = slot;
  if (current === undefined) return false;
  if (role === 'init') return current.exit?.code === 0;
  return current.exit === undefined && nowMs >= current.startUp.startedMs;
}

/** Plans one container; `false` when it has ended for good. */
function consider(plan: PodPlan, policy: PodSpec['restartPolicy'], record: ContainerRecord, nowMs: number): boolean {
  const { current } = record.slot;
  if (current === undefined) {
    plan.start.push(record);
    return true;
  }
  if (current.exit === undefined) {
    expect(plan, current.startUp.startedMs, nowMs);
    if (record.role !== 'init') expect(plan, current.startUp.readyMs, nowMs);
    return true;
  }
  if (!shouldRestart(record.role, policy, current.exit.code)) return false;
  const endMs = backOffEndMs(record.backOff, current.exit.atMs);
  if (nowMs >= endMs) plan.start.push(record);
  else {
    if (record.waiting === undefined) plan.backingOff.push(record);
    expect(plan, endMs, nowMs);
  }
  return true;
}

function expect(plan: PodPlan, atMs: number, nowMs: number): void {
  if (atMs > nowMs && atMs < plan.dueMs) plan.dueMs = atMs;
}
