/**
 * What the scheduler tells of itself (scheduler_latency.go, prometheus_scheduler_latency.go), as far as it takes
 * simulated time: from the moment at which a client first sees a pod to that at which it sees its node. Extension points
 * and the algorithm take none.
 */
import type { Subscription } from 'rxjs';
import { actionOf, done, type Call, type Measurement, type MeasurementMeans, type Outcome } from './measurement.js';
import { jsonText, latencyMetric } from './perf-data.js';
import { watchScheduled } from './scheduled-pods.js';

/** Latencies are written in nanoseconds, as Go writes durations. */
const NANOSECONDS = 1_000_000;

export function schedulingMetrics(means: MeasurementMeans): Measurement {
  return measured(means, ['start', 'reset', 'gather'], () => 'SchedulingMetrics');
}

/** The same, by the way of Prometheus, and with the identifier in the file's name. */
export function prometheusSchedulingMetrics(means: MeasurementMeans): Measurement {
  return measured(means, ['start', 'gather'], (identifier) => `${identifier}_PrometheusSchedulingMetrics`);
}

function measured(
  { player }: MeasurementMeans,
  actions: readonly ['start', ...('reset' | 'gather')[]],
  nameOf: (identifier: string) => string,
): Measurement {
  const latencies: number[] = [];
  let watch: Subscription | undefined;
  const end = (): void => {
    watch?.unsubscribe();
    watch = undefined;
  };
  const execute = (call: Call): Outcome => {
    if (actionOf(call, actions) === 'gather') {
      end();
      const { Perc50, Perc90, Perc99 } = latencyMetric(latencies);
      const e2eSchedulingLatency = {
        Perc50: Perc50 * NANOSECONDS,
        Perc90: Perc90 * NANOSECONDS,
        Perc99: Perc99 * NANOSECONDS,
      };
      return { summaries: [{ name: nameOf(call.identifier), content: jsonText({ e2eSchedulingLatency }) }] };
    }
    latencies.length = 0;
    watch ??= watchScheduled(player, (tookMs) => latencies.push(tookMs));
    return done();
  };
  return { execute: (call) => Promise.resolve(execute(call)), dispose: end };
}
