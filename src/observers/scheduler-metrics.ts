/** What is told of the schedulers' own workings. Nothing is kept: values are computed when read. */
import type { Metrics } from '../metrics/metrics.js';
import type { SchedulerReplicas } from '../assembly/scheduler-replicas.js';

/** Registers it. Upstream has one way only, and no such metric. */
export function exposeSchedulerMetrics(metrics: Metrics, schedulers: Pick<SchedulerReplicas, 'stats'>): void {
  metrics.computed(
    'kubeloom_scheduler_decisions_total',
    'Scheduling decisions by the way that the engine took and why; every way gives the same decision',
    'counter',
    () => schedulers.stats.ways.map(({ way, reason, count }) => ({ labels: { way, reason }, value: count })),
  );
}
