/** What the API shows of one container, out of what its runtime holds. Pure. */
import type { Container, ContainerStatus } from '../api/objects.js';
import type { Timestamps } from '../kernel/timestamps.js';
import type { ContainerInstance, ContainerSlot } from './container-runtime.js';
import type { ContainerRole } from './restart-policy.js';

/** Why a container that does not run waits. */
export interface Waiting {
  readonly reason: string;
  readonly message?: string;
}

type State = NonNullable<ContainerStatus['state']>;
type Terminated = NonNullable<State['terminated']>;

const NO_STATE: State = {};

/** A container that never ran. */
export function waitingStatus({ name, image = '' }: Container, reason: string): ContainerStatus {
  return {
    name,
    state: { waiting: { reason } },
    lastState: NO_STATE,
    ready: false,
    restartCount: 0,
    image,
    imageID: '',
    started: false,
  };
}

/** What distinguishes two statuses of one container: equal facts, equal status. */
export interface StatusFacts {
  readonly instance: ContainerInstance;
  readonly isRunning: boolean;
  readonly isStarted: boolean;
  readonly isReady: boolean;
  readonly waiting: Waiting | undefined;
}

/** The facts of a container that has run, at a moment. */
export function statusFacts(
  role: ContainerRole,
  instance: ContainerInstance,
  waiting: Waiting | undefined,
  nowMs: number,
): StatusFacts {
  const isRunning = instance.exit === undefined;
  const isStarted = isRunning && nowMs >= instance.startUp.startedMs;
  const isReady = role === 'init' ? instance.exit?.code === 0 : isStarted && nowMs >= instance.startUp.readyMs;
  return { instance, isRunning, isStarted, isReady, waiting };
}

/** Whether nothing of it has changed since those facts were reported. */
export function isSameFacts(a: StatusFacts | undefined, b: StatusFacts): boolean {
  return (
    a !== undefined &&
    a.instance === b.instance &&
    a.isRunning === b.isRunning &&
    a.isStarted === b.isStarted &&
    a.isReady === b.isReady &&
    a.waiting === b.waiting
  );
}

/** A container that has run: as it is, or waiting for its next run. */
export function containerStatus(
  { name, image = '' }: Container,
  slot: ContainerSlot,
  { instance, isStarted, isReady, waiting }: StatusFacts,
  imageID: string,
  timestamps: Timestamps,
): ContainerStatus {
  const shown = stateOf(instance, timestamps);
  const before = slot.previous === undefined ? NO_STATE : stateOf(slot.previous, timestamps);
  return {
    name,
    state: waiting === undefined ? shown : { waiting },
    lastState: waiting === undefined ? before : shown,
    ready: isReady,
    restartCount: instance.attempt,
    image,
    imageID,
    containerID: instance.id,
    started: isStarted,
  };
}

function stateOf({ id, runningMs, exit }: ContainerInstance, timestamps: Timestamps): State {
  const startedAt = timestamps.toTime(runningMs);
  if (exit === undefined) return { running: { startedAt } };
  const terminated: Terminated = {
    exitCode: exit.code,
    reason: exit.code === 0 ? 'Completed' : 'Error',
    startedAt,
    finishedAt: timestamps.toTime(exit.atMs),
    containerID: id,
  };
  return { terminated };
}
