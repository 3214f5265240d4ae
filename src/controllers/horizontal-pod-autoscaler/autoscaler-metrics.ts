import type { Metrics } from '../../metrics/metrics.js';

/** What a sync, or the evaluation of a metric, came to. */
export type Action = 'scale_up' | 'scale_down' | 'none';
/** What went wrong in it. */
export type SyncFault = 'spec' | 'internal' | 'none';

/** The direction of a change. */
export function actionOf(from: number, to: number): Action {
  if (to === from) return 'none';
  return to > from ? 'scale_up' : 'scale_down';
}

/** The controller's counters, under upstream's names (pkg/controller/podautoscaler/monitor). */
export function autoscalerMetrics(metrics: Metrics): {
  synced(action: Action, error: SyncFault): void;
  computed(action: Action, error: SyncFault, type: string): void;
} {
  const syncs = metrics.counter(
    'horizontal_pod_autoscaler_controller_reconciliations_total',
    "Number of reconciliations of HPA controller. The label 'action' should be either 'scale_down', 'scale_up', or 'none'. Also, the label 'error' should be either 'spec', 'internal', or 'none'.",
    ['action', 'error'],
  );
  const computations = metrics.counter(
    'horizontal_pod_autoscaler_controller_metric_computation_total',
    "Number of metric computations. The label 'action' should be either 'scale_down', 'scale_up', or 'none'. Also, the label 'error' should be either 'spec', 'internal', or 'none'. The label 'metric_type' corresponds to HPA.spec.metrics[*].type",
    ['action', 'error', 'metric_type'],
  );
  return {
    synced: (action, error) => syncs.inc({ action, error }),
    computed: (action, error, type) => computations.inc({ action, error, metric_type: type }),
  };
}
