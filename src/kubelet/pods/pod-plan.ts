/**
 * What a pod needs next, decided anew at each sync from what runs: a sandbox, containers to kill or to
 * start, a wait, or the end. Pure. Mirrors computePodActions of the kubelet's runtime manager (v1.34):
 * of what runs nothing is remembered that a look at the runtime does not tell, so a restarted kubelet
 * decides the same.
 */
import type { PodSpec } from '../../api/objects/objects.js';
import type { ContainerRecord, PodRecords } from '../containers/container-record.js';
import type { ContainerInstance, PodSandbox } from '../containers/container-runtime.js';
import { hasSucceeded, shouldRestart } from '../containers/restart-policy.js';

/** A running container that is to go while its pod goes on. */
export interface KillOrder {
  readonly record: ContainerRecord;
  /** What the Killing event says. */
  readonly message: string;
  /** What the probe that failed grants; `undefined` = what the pod does. */
  readonly graceSeconds: number | undefined;
}

/** A container that is to be started. */
export interface StartOrder {
  readonly record: ContainerRecord;
  /** When the last run ended of which this sync knows: the back-off counts from there. */
  readonly exitMs: number | undefined;
}

/** What to do now, and when to look again. */
export interface PodPlan {
  /** A sandbox is to be made: the first, or one in place of one that was lost. */
  createsSandbox: boolean;
  /** Everything that runs is to go, and the sandbox. */
  killsPod: boolean;
  /** To be killed one after the other, before anything is started. */
  readonly kill: KillOrder[];
  /** To be started one after the other, in this order, as far as their back-offs let them. */
  start: StartOrder[];
  /** Time of the next change that comes by itself; Infinity when there is none. */
  dueMs: number;
}

/** What a plan is made from. */
export interface PlanFacts {
  readonly policy: PodSpec['restartPolicy'];
  readonly sandbox: Pick<PodSandbox, 'isReady' | 'attempts'>;
  readonly records: PodRecords;
  /** Runs that must end for their container to be resized. */
  readonly restarting?: ReadonlySet<ContainerInstance> | undefined;
}

/** See the file header. */
export function planPod(facts: PlanFacts): PodPlan {
  const plan: PodPlan = {
    createsSandbox: false,
    killsPod: false,
    kill: [],
    start: [],
    dueMs: Infinity,
  };
  if (!facts.sandbox.isReady) planSandbox(plan, facts);
  else {
    // Before the others, which may not come to their turn (SyncPod).
    for (const record of facts.records.ephemeral) if (!hasRun(record)) consider(plan, record);
    if (planInit(plan, facts)) planApps(plan, facts);
  }
  return plan;
}

/** Without a sandbox everything begins anew, unless the pod has done its work. */
function planSandbox(plan: PodPlan, facts: PlanFacts): void {
  const { policy, sandbox, records } = facts;
  const { init, app } = records;
  plan.killsPod = [...init, ...app].some(({ slot }) => slot.isRunning);
  if (policy === 'Never' && sandbox.attempts > 0 && (init.some(hasRun) || app.some(hasRun))) return;
  const wanted = app.filter(({ slot }) => policy !== 'OnFailure' || !hasSucceeded(slot.current));
  if (wanted.length === 0 && app.some(hasRun)) return;
  plan.createsSandbox = true;
  const [first] = init;
  for (const record of first === undefined ? wanted : [first]) consider(plan, record);
}

/**
 * Walks the init containers from the last one: completed ones may be gone from the runtime. `true` when
 * all have done their part and the app containers may start.
 */
function planInit(plan: PodPlan, facts: PlanFacts): boolean {
  const { init, app } = facts.records;
  if (init.length === 0) return true;
  let hasInitialized = app.some(({ slot }) => slot.isRunning && slot.current?.isUnknown !== true);
  let isBehind = hasInitialized;
  const wanted: ContainerRecord[] = [];
  for (let index = init.length - 1; index >= 0; index -= 1) {
    const record = init[index];
    if (record === undefined) break;
    const { role, slot } = record;
    if (slot.current === undefined) {
      if (isBehind && role === 'sidecar') wanted.push(record);
      continue;
    }
    if (isBehind && role === 'init') continue;
    const verdict = judgeInit(plan, facts, record);
    if (verdict === 'fatal') return endPod(plan);
    if (verdict === 'restart' || verdict === 'done and restart') wanted.push(record);
    if (verdict === 'done' || verdict === 'done and restart') {
      const next = init[index + 1];
      if (next === undefined) hasInitialized = true;
      else if (!isBehind) wanted.push(next);
    }
    isBehind = true;
  }
  const [first] = init;
  if (!isBehind && first !== undefined) wanted.push(first);
  for (const record of wanted.toReversed()) consider(plan, record);
  return hasInitialized;
}

function hasRun({ slot }: ContainerRecord): boolean {
  return slot.current !== undefined;
}

type InitVerdict = 'wait' | 'restart' | 'done' | 'done and restart' | 'fatal';

function judgeInit(plan: PodPlan, { policy, restarting }: PlanFacts, record: ContainerRecord): InitVerdict {
  const { role, slot, probes, spec } = record;
  const { current } = slot;
  if (current?.isUnknown === true && current.exit === undefined) {
    if (role === 'init' && policy === 'Never') return 'fatal';
    plan.kill.push({
      record,
      message: `Init container is in "unknown" state, try killing it before restart`,
      graceSeconds: undefined,
    });
    return 'restart';
  }
  if (slot.isRunning) {
    if (role === 'init') return 'wait';
    const { failure } = probes;
    const killed = (message: string): void =>
      void plan.kill.push({ record, message, graceSeconds: failure?.graceSeconds });
    if (failure?.kind === 'startup') {
      killed(`Init container ${spec.name} failed startup probe`);
      return 'restart';
    }
    if (!probes.isStarted) return 'wait';
    if (isChanged(record)) killed(`Init container ${spec.name} definition changed`);
    else if (isRestarting(record, restarting)) killed(`Container ${spec.name} resize requires restart`);
    else if (failure === undefined) return 'done';
    else killed(`Init container ${spec.name} failed liveness probe`);
    return 'done and restart';
  }
  if (role === 'sidecar') return 'restart';
  if (hasSucceeded(current)) return 'done';
  return policy === 'Never' ? 'fatal' : 'restart';
}

/** An init container has failed for good. */
function endPod(plan: PodPlan): false {
  plan.killsPod = true;
  plan.start = [];
  return false;
}

function planApps(plan: PodPlan, facts: PlanFacts): void {
  const { policy, records, restarting } = facts;
  let isKept = false;
  for (const record of records.app) {
    const { slot } = record;
    if (isRestarting(record, restarting)) {
      const message = `Container ${record.spec.name} resize requires restart`;
      plan.kill.push({ record, message, graceSeconds: undefined });
      consider(plan, record);
      isKept = true;
    } else if (slot.isRunning && slot.current?.isUnknown !== true) {
      const restarts = killReason(record);
      if (restarts === undefined) isKept = true;
      else if (orderKill(plan, facts, record, restarts)) isKept = true;
    } else if (slot.isRunning) {
      plan.kill.push({
        record,
        message: 'Container is in "unknown" state, try killing it before restart',
        graceSeconds: undefined,
      });
      consider(plan, record);
      isKept = true;
    } else if (slot.current === undefined || shouldRestart(record.role, policy, slot.current.exit?.code ?? 0)) {
      consider(plan, record);
      isKept = true;
    }
  }
  if (isKept) return;
  plan.killsPod = true;
  plan.start = [];
}

interface KillReason {
  readonly text: string;
  readonly isDefinition: boolean;
}

/** Why a running app container is to go; `undefined` = it stays. */
function killReason(record: ContainerRecord): KillReason | undefined {
  const { spec, probes } = record;
  if (isChanged(record)) return { text: `Container ${spec.name} definition changed`, isDefinition: true };
  const { failure } = probes;
  if (failure === undefined) return undefined;
  return { text: `Container ${spec.name} failed ${failure.kind} probe`, isDefinition: false };
}

/** Kills a running container; `true` when it is to run again. */
function orderKill(
  plan: PodPlan,
  { policy }: PlanFacts,
  record: ContainerRecord,
  { text, isDefinition }: KillReason,
): boolean {
  const restarts = isDefinition || policy !== 'Never';
  const graceSeconds = isDefinition ? undefined : record.probes.failure?.graceSeconds;
  plan.kill.push({ record, message: restarts ? `${text}, will be restarted` : text, graceSeconds });
  if (restarts) consider(plan, record);
  return restarts;
}

function isRestarting({ slot }: ContainerRecord, restarting: ReadonlySet<ContainerInstance> | undefined): boolean {
  return restarting !== undefined && slot.isRunning && slot.current !== undefined && restarting.has(slot.current);
}

function isChanged({ slot, spec }: ContainerRecord): boolean {
  return slot.current !== undefined && slot.current.image !== (spec.image ?? '');
}

/** Plans the next run of a container. */
function consider(plan: PodPlan, record: ContainerRecord): void {
  const { isRunning, previous, current } = record.slot;
  plan.start.push({ record, exitMs: (isRunning ? previous : current)?.exit?.atMs });
}
