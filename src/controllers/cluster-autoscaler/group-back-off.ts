import type { InstanceError } from './autoscaler-seams.js';
import type { AutoscalerSettings } from './autoscaler-settings.js';

interface Entry {
  readonly durationMs: number;
  readonly untilMs: number;
  readonly failedMs: number;
  readonly error: InstanceError;
}

/** Groups that are left alone after a scale-up of theirs has failed. Mirrors cluster-autoscaler v1.34 `utils/backoff`. */
export class GroupBackOff {
  readonly #settings: AutoscalerSettings;
  readonly #entries = new Map<string, Entry>();

  constructor(settings: AutoscalerSettings) {
    this.#settings = settings;
  }

  begin(group: string, error: InstanceError, nowMs: number): void {
    const { initialNodeGroupBackoffDuration, maxNodeGroupBackoffDuration } = this.#settings;
    const known = this.#entries.get(group);
    let durationMs = known?.durationMs ?? initialNodeGroupBackoffDuration;
    // Several failures at once count as one.
    if (known !== undefined && known.untilMs < nowMs)
      durationMs = Math.min(2 * durationMs, maxNodeGroupBackoffDuration);
    this.#entries.set(group, { durationMs, untilMs: nowMs + durationMs, failedMs: nowMs, error });
  }

  /** Why a group is left alone now; `undefined` = it is not. */
  reasonOf(group: string, nowMs: number): InstanceError | undefined {
    const entry = this.#entries.get(group);
    return entry === undefined || entry.untilMs < nowMs ? undefined : entry.error;
  }

  /** Forgets failures of long ago. */
  forgetOld(nowMs: number): void {
    for (const [group, { failedMs }] of this.#entries) {
      if (failedMs + this.#settings.nodeGroupBackoffResetTimeout < nowMs) this.#entries.delete(group);
    }
  }
}
