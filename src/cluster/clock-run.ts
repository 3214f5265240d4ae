/** Lets the time of a served cluster pass as its Clock object says: as it does outside, in jumps, on request, or not. */
import { checkValue, SIGNAL } from '../options/option-checks.js';
import { HOST_CLOCK } from '../kernel/engine/host-clock.js';
import type { ClockControl } from '../controls/clock-control.js';
import type { RunOptions, RunResult } from './observed-run.js';

/** Clients that have asked nothing for so long are quiet: what one asks in answer to an answer comes sooner. */
const QUIET_MS = 20;
/** Simulated time that passes at a time while they are, ms. */
const STEP_MS = 10_000;
/** Pause after a step in which nothing was written, so that what is at rest costs next to nothing. */
const REST_MS = 100;
/** As fast as the machine can. */
const HIGHEST_SPEED = 1_000_000;

/** What is driven. */
export interface DrivenCluster {
  readonly nowMs: number;
  readonly version: number;
  setSpeed(speed: number): void;
  run(options: RunOptions): Promise<RunResult>;
}

/** What says how. */
export interface ClockMeans {
  readonly control: ClockControl;
  /** Real time since a client was answered, ms. */
  readonly idleForMs: () => number;
}

/** Drives the cluster until the signal is raised, as the object says at any moment. */
export async function runByClock(cluster: DrivenCluster, means: ClockMeans, signal: AbortSignal): Promise<void> {
  checkValue('signal', signal, SIGNAL);
  const { control } = means;
  control.isFollowed = true;
  try {
    while (!signal.aborted) await runUntilChanged(cluster, means, signal);
  } finally {
    control.isFollowed = false;
  }
}

async function runUntilChanged(
  cluster: DrivenCluster,
  { control, idleForMs }: ClockMeans,
  signal: AbortSignal,
): Promise<void> {
  const { changes } = control;
  const { mode, speed, isPaused, targetMs = 0 } = control.wish;
  const isChanged = (): boolean => control.changes !== changes;
  if (cluster.nowMs < targetMs) {
    cluster.setSpeed(HIGHEST_SPEED);
    await cluster.run({ until: isChanged, limit: targetMs - cluster.nowMs, signal });
    return;
  }
  if (isPaused) {
    // What a change of the object leads to is done at this very time.
    await cluster.run({ until: isChanged, limit: 0, signal });
    return control.changed(changes, signal);
  }
  if (mode === 'RealTime') {
    cluster.setSpeed(speed);
    await cluster.run({ until: isChanged, signal });
    return;
  }
  cluster.setSpeed(HIGHEST_SPEED);
  const { version } = cluster;
  if (idleForMs() >= QUIET_MS) {
    const until = (): boolean => isChanged() || idleForMs() < QUIET_MS;
    await cluster.run({ until, limit: STEP_MS, signal });
  }
  await rested(cluster.version === version ? REST_MS : 1);
}

/** Real time, in which nothing else is to happen than that clients ask. */
function rested(ms: number): Promise<void> {
  return new Promise((resolve) => {
    HOST_CLOCK.after(ms, resolve);
  });
}
