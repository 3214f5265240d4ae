import type { KubeObject } from '../../api/objects/kube-object.js';
import type { EventLimit, EventRecorder, EventType } from '../../bus/bus-types.js';

/**
 * One event of an object and a reason in five minutes; of the ConfigMap with the status each message. Mirrors
 * getCorrelationOptions of cluster-autoscaler (utils/kubernetes/factory.go, v1.34).
 */
export class AutoscalerEventLimit implements EventLimit {
  readonly qps = 1 / 300;
  readonly burst = 1;
  /** Of the ConfigMap. */
  statusUid: string | undefined;

  keyOf({ object, reason, message }: Parameters<EventLimit['keyOf']>[0]): string {
    return object === this.statusUid ? message : `${reason}\n${object}`;
  }
}

/** What the autoscaler tells: of single objects, and, for want of a better one, of its status. */
export class AutoscalerEvents {
  /** The ConfigMap with the status, once it was written. */
  status: KubeObject | undefined;
  readonly #recorder: EventRecorder;
  readonly #limit: AutoscalerEventLimit;

  /** @param limit - that of the recorder */
  constructor(recorder: EventRecorder, limit: AutoscalerEventLimit) {
    this.#recorder = recorder;
    this.#limit = limit;
  }

  /** Of the whole; nothing is told before there is a status. */
  log(type: EventType, reason: string, message: string): void {
    if (this.status === undefined) return;
    this.#limit.statusUid = this.status.metadata.uid;
    this.#recorder.record(this.status, type, reason, message);
  }

  of(object: KubeObject, type: EventType, reason: string, message: string): void {
    this.#recorder.record(object, type, reason, message);
  }
}
