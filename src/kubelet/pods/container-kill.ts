/**
 * How a kubelet brings one container to its end: its preStop hook, its turn among the containers of a
 * pod with sidecars, then the runtime's stop, all within one grace of whole seconds. Mirrors
 * killContainer and the termination ordering of the kubelet's runtime manager (v1.34).
 */
import { sample } from '../../kernel/distribution.js';
import type { ContainerKill, ContainerRecord, PodRecords } from '../containers/container-record.js';
import type { Obedience, PodSandbox } from '../containers/container-runtime.js';
import { runHook } from '../containers/lifecycle-hook.js';
import type { NodeContext } from '../node/node-context.js';
import { SMALLEST_WINDOW_SECONDS } from './pod-grace.js';
import { playedHook, stopSignal } from './played-hooks.js';
import { stepStream } from './pod-records.js';
import { SECOND_MS } from '../../kernel/time-units.js';

/** The node and the pod in which a container is killed. */
export interface KillScene {
  readonly node: NodeContext;
  readonly sandbox: PodSandbox;
  readonly records: PodRecords;
}

/**
 * Says that a container is being stopped, and begins.
 *
 * @param turn - `in order`: a sidecar waits until those that it serves have ended
 */
export function beginKill(
  { node, sandbox }: KillScene,
  record: ContainerRecord,
  message: string,
  graceSeconds: number,
  turn: 'in order' | 'at once',
): void {
  const nowMs = node.kernel.clock.now();
  const { pod, address = '' } = sandbox;
  node.events.container(pod, record, 'Normal', 'Killing', message);
  const kill: ContainerKill = {
    step: 'turn',
    graceSeconds,
    isOrdered: turn === 'in order',
    sinceMs: nowMs,
    untilMs: nowMs,
    hook: undefined,
  };
  record.kill = kill;
  const preStop = record.spec.lifecycle?.preStop;
  if (preStop === undefined || graceSeconds <= 0) return awaitTurn(kill, nowMs);
  const target = { pod, container: record.spec, address };
  kill.step = 'preStop';
  kill.hook =
    playedHook(node, sandbox, record, preStop) ??
    runHook(preStop, target, record.script.preStop ?? {}, () => stepStream(node, pod, record), nowMs);
  kill.untilMs = Math.min(kill.hook.endMs, nowMs + graceSeconds * SECOND_MS);
}

/** Takes every kill as far as it goes by now. Returns what the runtime says if it cannot stop a container. */
export function advanceKills(scene: KillScene): readonly KillFailure[] {
  const { app, init, ephemeral } = scene.records;
  const failures: KillFailure[] = [];
  for (const record of app) advance(scene, record, failures);
  for (const record of ephemeral) advance(scene, record, failures);
  for (let index = init.length - 1; index >= 0; index -= 1) {
    const record = init[index];
    if (record !== undefined) advance(scene, record, failures);
  }
  return failures;
}

/** A container that the runtime could not stop. */
export interface KillFailure {
  readonly record: ContainerRecord;
  readonly error: string;
}

/** The grace of kills that are under way ends sooner. */
export function shortenKills({ app, init, ephemeral }: PodRecords, graceSeconds: number, nowMs: number): void {
  for (const { kill } of [...app, ...init, ...ephemeral]) {
    if (kill === undefined) continue;
    const passedSeconds = Math.floor((nowMs - kill.sinceMs) / SECOND_MS);
    kill.graceSeconds = Math.min(kill.graceSeconds, passedSeconds + graceSeconds);
    if (kill.step === 'stop') {
      kill.step = 'turn';
      kill.isOrdered = false;
    }
    kill.untilMs = Math.min(kill.untilMs, nowMs + graceSeconds * SECOND_MS);
  }
}

/** When a kill goes on by itself; Infinity = it waits for processes only. */
export function nextKillStepMs({ app, init, ephemeral }: PodRecords): number {
  let nextMs = Infinity;
  for (const { kill } of app) if (kill !== undefined) nextMs = Math.min(nextMs, kill.untilMs);
  for (const { kill } of init) if (kill !== undefined) nextMs = Math.min(nextMs, kill.untilMs);
  for (const { kill } of ephemeral) if (kill !== undefined) nextMs = Math.min(nextMs, kill.untilMs);
  return nextMs;
}

/** Whether a container is being killed. */
export function hasKills({ app, init, ephemeral }: PodRecords): boolean {
  return app.some(isKilled) || init.some(isKilled) || ephemeral.some(isKilled);
}

function isKilled({ kill }: ContainerRecord): boolean {
  return kill !== undefined;
}

function advance(scene: KillScene, record: ContainerRecord, failures: KillFailure[]): void {
  const { kill } = record;
  if (kill === undefined) return;
  const nowMs = scene.node.kernel.clock.now();
  if (kill.step === 'preStop' && isHookOver(kill, record, nowMs)) {
    tellHook(scene, record, kill, nowMs);
    spend(kill, nowMs);
    awaitTurn(kill, nowMs);
  }
  if (kill.step === 'turn' && isTurn(scene.records, record, kill, nowMs)) {
    spend(kill, nowMs);
    const error = stop(scene, record, kill);
    if (error !== undefined) {
      record.kill = undefined;
      failures.push({ record, error });
      return;
    }
  }
  if (kill.step === 'stop' && !record.slot.isRunning) {
    tellLateHook(scene, record, kill, nowMs);
    record.kill = undefined;
  }
}

/** A handler that notices the end of its container comes back with it. */
function isHookOver({ untilMs, hook }: ContainerKill, { slot }: ContainerRecord, nowMs: number): boolean {
  return (
    nowMs >= untilMs || nowMs >= (hook?.endMs ?? Infinity) || (!slot.isRunning && hook?.interruption !== undefined)
  );
}

/** A hook that came back is done with; one that used up the grace goes on behind the kubelet's back. */
function tellHook(scene: KillScene, record: ContainerRecord, kill: ContainerKill, nowMs: number): void {
  const { hook } = kill;
  if (hook === undefined) return;
  const isDone = nowMs >= hook.endMs;
  const interruption = record.slot.isRunning ? undefined : hook.interruption;
  const failure = isDone ? hook.failure : interruption;
  if (failure !== undefined) tellFailure(scene, record);
  if (isDone || failure !== undefined) kill.hook = undefined;
}

/** The hook that was left behind ended before its container, or with it. */
function tellLateHook(scene: KillScene, record: ContainerRecord, { hook }: ContainerKill, nowMs: number): void {
  if (hook === undefined) return;
  const failure = nowMs >= hook.endMs ? hook.failure : hook.interruption;
  if (failure !== undefined) tellFailure(scene, record);
}

/** What the handler said is not told: it may be a secret. */
function tellFailure({ node, sandbox }: KillScene, record: ContainerRecord): void {
  node.events.container(sandbox.pod, record, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
}

/** Time is taken off the grace in whole seconds. */
function spend(kill: ContainerKill, nowMs: number): void {
  kill.graceSeconds -= Math.floor((nowMs - kill.sinceMs) / SECOND_MS);
}

function awaitTurn(kill: ContainerKill, nowMs: number): void {
  kill.step = 'turn';
  kill.sinceMs = nowMs;
  kill.untilMs = nowMs + Math.max(0, kill.graceSeconds) * SECOND_MS;
}

/** Sidecars go after all app containers and all later sidecars, within their grace. */
function isTurn({ app, init }: PodRecords, record: ContainerRecord, kill: ContainerKill, nowMs: number): boolean {
  if (!kill.isOrdered || record.role !== 'sidecar' || nowMs >= kill.untilMs) return true;
  if (app.some((other) => other.kill !== undefined)) return false;
  return !init.slice(init.indexOf(record) + 1).some((other) => other.role === 'sidecar' && other.kill !== undefined);
}

function stop({ node, sandbox }: KillScene, record: ContainerRecord, kill: ContainerKill): string | undefined {
  const nowMs = node.kernel.clock.now();
  const windowMs = Math.max(kill.graceSeconds, SMALLEST_WINDOW_SECONDS) * SECOND_MS;
  kill.step = 'stop';
  kill.sinceMs = nowMs;
  kill.untilMs = Infinity;
  return node.runtime.stop(sandbox, record.slot, windowMs, () => obedienceOf(node, sandbox, record));
}

/** How a container takes SIGTERM: as its script says, otherwise as the node's profile does. */
function obedienceOf(node: NodeContext, { pod }: PodSandbox, record: ContainerRecord): Obedience {
  const program = record.slot.current?.program;
  if (program?.isPlaying === true && record.script.shutdown === undefined) {
    program.signal(stopSignal(record.spec));
    return { afterMs: Infinity, code: 0 };
  }
  const { delay, ignoresTerm = false, exitCode = 0 } = record.script.shutdown ?? {};
  if (ignoresTerm) return { afterMs: Infinity, code: exitCode };
  const afterMs =
    delay === undefined ? sample(node.profile.shutdown, node.random) : sample(delay, stepStream(node, pod, record));
  return { afterMs, code: exitCode };
}
