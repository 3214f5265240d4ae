import { isPodAvailable, isPodReady } from '../../api/objects/conditions.js';
import type { Pod, StatefulSet } from '../../api/objects/objects.js';
import type { Kernel } from '../../kernel/engine/kernel.js';

/** Whether a pod is being deleted. */
export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether a pod runs and is ready. */
export function isRunningAndReady(pod: Pod): boolean {
  return pod.status.phase === 'Running' && isPodReady(pod);
}

/** Judges the pods of one set at one time. */
export class Availability {
  readonly #minReadySeconds: number;
  readonly #nowMs: number;
  readonly #toMs: (text: string) => number;

  constructor({ spec }: StatefulSet, { clock, timestamps }: Kernel) {
    this.#minReadySeconds = spec.minReadySeconds ?? 0;
    this.#nowMs = clock.now();
    this.#toMs = (text) => timestamps.toMs(text);
  }

  /** Whether a pod has been ready for the set's `minReadySeconds`. */
  isAvailable(pod: Pod): boolean {
    return isPodAvailable(pod, this.#minReadySeconds, this.#nowMs, this.#toMs);
  }

  /** Whether a pod does not count as available: it is not there, not available, or on its way out. */
  isUnavailable(pod: Pod | undefined): boolean {
    return pod === undefined || isTerminating(pod) || !this.isAvailable(pod);
  }
}
