import type { Job, JobCondition, JobStatus } from '../../api/objects/batch-objects.js';

/** The status of a job while a sync works on it; zeros that Kubernetes leaves out are left out when it is written. */
export class StatusDraft {
  active: number;
  succeeded: number;
  failed: number;
  ready: number | undefined;
  terminating: number | undefined;
  startTime: string | undefined;
  completionTime: string | undefined;
  conditions: readonly JobCondition[];
  /** UIDs of pods that have ended and are not in the counts yet. */
  uncountedSucceeded: readonly string[];
  uncountedFailed: readonly string[];
  completedIndexes: string;
  failedIndexes: string | undefined;

  constructor({ status }: Job) {
    this.active = status.active ?? 0;
    this.succeeded = status.succeeded ?? 0;
    this.failed = status.failed ?? 0;
    this.ready = status.ready;
    this.terminating = status.terminating;
    this.startTime = status.startTime;
    this.completionTime = status.completionTime;
    this.conditions = status.conditions ?? [];
    this.uncountedSucceeded = status.uncountedTerminatedPods?.succeeded ?? [];
    this.uncountedFailed = status.uncountedTerminatedPods?.failed ?? [];
    this.completedIndexes = status.completedIndexes ?? '';
    this.failedIndexes = status.failedIndexes;
  }

  /** Pods that have ended and are not in the counts yet. */
  get uncounted(): number {
    return this.uncountedSucceeded.length + this.uncountedFailed.length;
  }

  /** Moves pods that are let go from the lists into the counts. Says whether there were any. */
  count(isHeld: (uid: string) => boolean): boolean {
    const succeeded = this.uncountedSucceeded.filter(isHeld);
    const failed = this.uncountedFailed.filter(isHeld);
    const moved = this.uncounted - succeeded.length - failed.length;
    this.succeeded += this.uncountedSucceeded.length - succeeded.length;
    this.failed += this.uncountedFailed.length - failed.length;
    this.uncountedSucceeded = succeeded;
    this.uncountedFailed = failed;
    return moved > 0;
  }

  /** As it is stored. */
  toStatus(): JobStatus {
    const { active, succeeded, failed, ready, terminating, startTime, completionTime, failedIndexes } = this;
    return {
      ...(this.conditions.length === 0 ? {} : { conditions: [...this.conditions] }),
      ...(startTime === undefined ? {} : { startTime }),
      ...(completionTime === undefined ? {} : { completionTime }),
      ...(active === 0 ? {} : { active }),
      ...(succeeded === 0 ? {} : { succeeded }),
      ...(failed === 0 ? {} : { failed }),
      ...(terminating === undefined ? {} : { terminating }),
      ...(this.completedIndexes === '' ? {} : { completedIndexes: this.completedIndexes }),
      ...(failedIndexes === undefined ? {} : { failedIndexes }),
      uncountedTerminatedPods: {
        ...(this.uncountedSucceeded.length === 0 ? {} : { succeeded: [...this.uncountedSucceeded] }),
        ...(this.uncountedFailed.length === 0 ? {} : { failed: [...this.uncountedFailed] }),
      },
      ...(ready === undefined ? {} : { ready }),
    };
  }
}
