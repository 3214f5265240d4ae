import { setCondition } from '../../api/objects/conditions.js';
import type { Draft } from '../../api/objects/objects.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import { isFailure } from './metric-readings.js';
import type { ControllerContext } from '../runtime/controller-definition.js';
import type { Autoscaler, AutoscalerCondition, AutoscalerStatus, MetricStatus } from './autoscaler.js';

/** What is not said again when a condition is set. */
export type ConditionDraft = Omit<AutoscalerCondition, 'lastTransitionTime'>;

/** The status of an autoscaler in the course of one sync, and what it tells. */
export class AutoscalerDraft {
  readonly autoscaler: Autoscaler;
  readonly #context: ControllerContext;
  #status: AutoscalerStatus;

  constructor(context: ControllerContext, autoscaler: Autoscaler) {
    this.#context = context;
    this.autoscaler = autoscaler;
    this.#status = autoscaler.status;
  }

  get desiredReplicas(): number {
    return this.#status.desiredReplicas;
  }

  say(condition: ConditionDraft): void {
    const { conditions } = this.#status;
    const stated = setCondition(conditions, { ...condition, lastTransitionTime: this.#context.timestamp() });
    this.#status = { ...this.#status, conditions: stated };
  }

  warn(reason: string, message: string): void {
    this.#context.recorder.record(this.autoscaler, 'Warning', reason, message);
  }

  /** Notes what is there and what is wanted. */
  state(counts: {
    readonly currentReplicas: number;
    readonly desiredReplicas: number;
    readonly currentMetrics: readonly MetricStatus[] | undefined;
    readonly isRescaled: boolean;
  }): void {
    const { currentReplicas, desiredReplicas, currentMetrics = null, isRescaled } = counts;
    const { lastScaleTime: before, conditions } = this.#status;
    const lastScaleTime = isRescaled ? this.#context.timestamp() : before;
    this.#status = {
      ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
      currentReplicas,
      desiredReplicas,
      currentMetrics,
      ...(conditions === undefined ? {} : { conditions }),
    };
  }

  /** Writes the status, unless it says what it said; what goes wrong is told in an Event. */
  async write(): Promise<void> {
    const { autoscaler } = this;
    if (isSameJson(this.#status, autoscaler.status)) return;
    const draft = { ...autoscaler, status: this.#status } as unknown as Draft;
    try {
      await this.#context.api.update('HorizontalPodAutoscaler', draft, 'status');
    } catch (error) {
      if (!isFailure(error)) throw error;
      this.warn('FailedUpdateStatus', error.message);
    }
  }
}
