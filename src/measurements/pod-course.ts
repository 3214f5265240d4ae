/** The course of one pod: when it came to each of its milestones, by the writes of the API server. Times are ms. */
import { getCondition } from '../api/objects/conditions.js';
import type { Pod } from '../api/objects/objects.js';

/** Volumes that a pod may have and still count as stateless, by the SLO of pod startup. */
const STATELESS_VOLUMES: ReadonlySet<string> = new Set(['configMap', 'secret', 'downwardAPI', 'emptyDir', 'projected']);

/** Milestones that a report tells, in the order in which a pod comes to them. */
export const MILESTONES = [
  'created',
  'refused',
  'scheduled',
  'pull began',
  'pull ended',
  'init began',
  'init ended',
  'running',
  'started',
  'ready',
] as const;

/** See {@link MILESTONES}. */
export type Milestone = (typeof MILESTONES)[number];

/** A moment in the course of a pod. */
export interface PodMoment {
  readonly atMs: number;
  readonly what: Milestone;
}

/** See the file header. */
export class PodCourse {
  readonly createdMs: number;
  /** When its last scheduling gate was gone; its creation, if it had none. */
  ungatedMs: number | undefined;
  refusedMs: number | undefined;
  /** Why it was refused then. */
  refusal: string | undefined;
  scheduledMs: number | undefined;
  pullBeganMs: number | undefined;
  pullEndedMs: number | undefined;
  initBeganMs: number | undefined;
  initEndedMs: number | undefined;
  runningMs: number | undefined;
  startedMs: number | undefined;
  readyMs: number | undefined;
  deletingMs: number | undefined;

  constructor(createdMs: number) {
    this.createdMs = createdMs;
  }

  /** Milestones that it has come to, in order of time. */
  moments(): PodMoment[] {
    const times: Readonly<Record<Milestone, number | undefined>> = {
      created: this.createdMs,
      refused: this.refusedMs,
      scheduled: this.scheduledMs,
      'pull began': this.pullBeganMs,
      'pull ended': this.pullEndedMs,
      'init began': this.initBeganMs,
      'init ended': this.initEndedMs,
      running: this.runningMs,
      started: this.startedMs,
      ready: this.readyMs,
    };
    return MILESTONES.flatMap((what) => {
      const atMs = times[what];
      return atMs === undefined ? [] : [{ atMs, what }];
    }).toSorted((a, b) => a.atMs - b.atMs);
  }

  /** Time for which its images were pulled or its init containers ran, until it was started: one span or two, counted once. */
  get excludedMs(): number {
    const endMs = this.startedMs ?? Infinity;
    const spans = [
      [this.pullBeganMs, this.pullEndedMs],
      [this.initBeganMs, this.initEndedMs],
    ].flatMap(([from, to]) =>
      from === undefined || from >= endMs ? [] : [{ from, to: Math.min(to ?? endMs, endMs) }],
    );
    let sum = 0;
    let untilMs = -Infinity;
    for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
      sum += Math.max(0, to - Math.max(from, untilMs));
      untilMs = Math.max(untilMs, to);
    }
    return Number.isFinite(sum) ? sum : 0;
  }
}

/** Whether its volumes are none that outlive it, or that are somewhere else. */
export function isStateless({ spec }: Pod): boolean {
  return (spec.volumes ?? []).every((volume) =>
    Object.keys(volume).every((field) => field === 'name' || STATELESS_VOLUMES.has(field)),
  );
}

/** Whether every container is reported to run, as the kubelet's own SLI has it (`hasPodStartedSLO`). */
export function hasStarted({ status, spec }: Pod): boolean {
  const statuses = status.containerStatuses ?? [];
  return statuses.length >= spec.containers.length && statuses.every(({ state }) => state?.running !== undefined);
}

/** Whether an init container that is no sidecar has begun. */
export function hasInitBegun({ spec, status }: Pod): boolean {
  return (status.initContainerStatuses ?? []).some(
    ({ name, state }) =>
      (state?.running !== undefined || state?.terminated !== undefined) &&
      spec.initContainers?.find((container) => container.name === name)?.restartPolicy !== 'Always',
  );
}

/** Whether all init containers have done what was to be done. */
export function isInitialized({ status }: Pod): boolean {
  return getCondition(status.conditions, 'Initialized')?.status === 'True';
}
