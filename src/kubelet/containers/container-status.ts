/** What the API shows of one container, out of what its runtime holds. Pure. */
import type { Container, ContainerStatus } from '../../api/objects/objects.js';
import type { Timestamps } from '../../kernel/timestamps.js';
import type { ContainerExit, ContainerInstance, ContainerSlot } from './container-runtime.js';
import type { ContainerRole } from './restart-policy.js';

/** Why a container that does not run waits. */
export interface Waiting {
  readonly reason: string;
  readonly message?: string;
}

type State = NonNullable<ContainerStatus['state']>;
type Terminated = NonNullable<State['terminated']>;

const NO_STATE: State = {};
const LOST = { exitCode: 137, reason: 'ContainerStatusUnknown' };
/** As the API shows the start of a run that never started. */
const NEVER_STARTED = '1970-01-01T00:00:00Z';
const LOST_FROM_SIGHT: State = {
  terminated: {
    ...LOST,
    message: 'The container could not be located when the pod was deleted.  The container used to be Running',
  },
};

/** The state of a container that has ended in an unknown way. */
export const LOST_STATE: State = {
  terminated: { ...LOST, message: 'The container could not be located when the pod was terminated' },
};

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
  readonly instance: ContainerInstance | undefined;
  readonly isRunning: boolean;
  readonly isUnknown: boolean;
  readonly isStarted: boolean;
  readonly isReady: boolean;
  readonly waiting: Waiting | undefined;
}

/** What a kubelet's probes say of a container. */
interface ProbeResults {
  readonly isStarted: boolean;
  readonly isReady: boolean;
}

/** The facts of a container, at a moment. */
export function statusFacts(
  role: ContainerRole,
  instance: ContainerInstance | undefined,
  probes: ProbeResults,
  waiting: Waiting | undefined,
): StatusFacts {
  const isUnknown = instance?.isUnknown === true && instance.exit === undefined;
  const isRunning = instance !== undefined && instance.exit === undefined && !isUnknown;
  const isStarted = isRunning && (role === 'init' || probes.isStarted);
  const isInService = role !== 'ephemeral' && isStarted && probes.isReady;
  const isReady = role === 'init' ? instance?.exit?.code === 0 : isInService;
  return { instance, isRunning, isUnknown, isStarted, isReady, waiting };
}

/** Whether nothing of it has changed since those facts were reported. */
export function isSameFacts(a: StatusFacts | undefined, b: StatusFacts): boolean {
  return (
    a !== undefined &&
    a.instance === b.instance &&
    a.isRunning === b.isRunning &&
    a.isUnknown === b.isUnknown &&
    a.isStarted === b.isStarted &&
    a.isReady === b.isReady &&
    a.waiting === b.waiting
  );
}

/** What a status is made with. */
export interface StatusMeans {
  readonly timestamps: Timestamps;
  /** The image as its runtime names it. */
  readonly imageName: string;
  readonly imageID: string;
  /** Restarts that were shown before; a count never falls. */
  readonly restartCount: number;
}

/** A container that has run: as it is, or waiting for its next run. */
export function containerStatus(
  name: string,
  { previous }: ContainerSlot,
  instance: ContainerInstance,
  { isStarted, isReady, isUnknown, waiting }: StatusFacts,
  { timestamps, imageName, imageID, restartCount }: StatusMeans,
): ContainerStatus {
  const shown = isUnknown ? LOST_STATE : stateOf(instance, timestamps);
  const before = previous === undefined ? NO_STATE : stateOf(previous, timestamps);
  return {
    name,
    state: waiting === undefined ? shown : { waiting },
    lastState: waiting === undefined ? before : shown,
    ready: isReady,
    restartCount: Math.max(restartCount, isUnknown ? instance.attempt + 1 : instance.attempt),
    image: imageName,
    imageID,
    containerID: instance.id,
    started: isStarted,
  };
}

/**
 * A container of which the runtime knows nothing: it never ran, or its runs are forgotten. One that was
 * shown running has ended unseen.
 *
 * @param standard - as it is shown when nothing is known
 * @param before - as it was shown last
 */
export function absentStatus(
  standard: ContainerStatus,
  before: ContainerStatus | undefined,
  waiting: Waiting | undefined,
  isDeleted: boolean,
): ContainerStatus {
  const shown = before === undefined ? standard : forgottenStatus(standard, before, isDeleted);
  if (waiting === undefined) return shown;
  const lastState = shown.state?.terminated === undefined ? shown.lastState : shown.state;
  return { ...shown, state: { waiting }, ...(lastState === undefined ? {} : { lastState }), ready: false };
}

function forgottenStatus(standard: ContainerStatus, before: ContainerStatus, isDeleted: boolean): ContainerStatus {
  const { state, lastState = NO_STATE, restartCount } = before;
  if (state?.terminated !== undefined) return before;
  if (state?.running === undefined || lastState.terminated !== undefined) {
    return { ...standard, restartCount, lastState };
  }
  return { ...standard, restartCount: isDeleted ? restartCount : restartCount + 1, lastState: LOST_FROM_SIGHT };
}

function stateOf({ id, runningMs, exit }: ContainerInstance, timestamps: Timestamps): State {
  const startedAt = timestamps.toTime(runningMs);
  return exit === undefined ? { running: { startedAt } } : { terminated: terminated(id, startedAt, exit, timestamps) };
}

function terminated(id: string, startedAt: string, exit: ContainerExit, timestamps: Timestamps): Terminated {
  return {
    exitCode: exit.code,
    reason: exit.reason,
    ...(exit.message === undefined ? {} : { message: exit.message }),
    startedAt: exit.reason === 'StartError' ? NEVER_STARTED : startedAt,
    finishedAt: timestamps.toTime(exit.atMs),
    containerID: id,
  };
}
