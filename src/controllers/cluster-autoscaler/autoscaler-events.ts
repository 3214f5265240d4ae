import type { KubeObject } from '../../api/objects/kube-object.js';
import type { EventRecorder, EventType } from '../../bus/bus-types.js';

/** What the autoscaler tells: of single objects, and, for want of a better one, of its status. */
export class AutoscalerEvents {
  /** The ConfigMap with the status, once it was written. */
  status: KubeObject | undefined;
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  /** Of the whole; nothing is told before there is a status. */
  log(type: EventType, reason: string, message: string): void {
    if (this.status !== undefined) this.#recorder.record(this.status, type, reason, message);
  }

  of(object: KubeObject, type: EventType, reason: string, message: string): void {
    this.#recorder.record(object, type, reason, message);
  }
}
