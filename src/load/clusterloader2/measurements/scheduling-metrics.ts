/**
 * What the scheduler tells of itself (scheduler_latency.go), as far as it takes simulated time: from the moment at
 * which a client first sees a pod to that at which it sees its node. Extension points and the algorithm take none.
 */
import type { Subscription } from 'rxjs';
import { actionOf, done, type Call, type Measurement, type MeasurementMeans, type Outcome } from './measurement.js';
import { jsonText, latencyMetric } from './perf-data.js';

const METHOD = 'SchedulingMetrics';
/** Latencies are written in nanoseconds, as Go writes durations. */
const NANOSECONDS = 1_000_000;

export function schedulingMetrics({ player }: MeasurementMeans): Measurement {
  const waitingSinceMs = new Map<string, number>();
  const latencies: number[] = [];
  let watch: Subscription | undefined;
  const end = (): void => {
    watch?.unsubscribe();
    watch = undefined;
  };
  const execute = (call: Call): Outcome => {
    if (actionOf(call, ['start', 'reset', 'gather']) === 'gather') {
      end();
      const { Perc50, Perc90, Perc99 } = latencyMetric(latencies);
      const e2eSchedulingLatency = {
        Perc50: Perc50 * NANOSECONDS,
        Perc90: Perc90 * NANOSECONDS,
        Perc99: Perc99 * NANOSECONDS,
      };
      return { summaries: [{ name: METHOD, content: jsonText({ e2eSchedulingLatency }) }] };
    }
    latencies.length = 0;
    watch ??= player.connection.watch('Pod').subscribe((delivery) => {
      if (!('object' in delivery)) return;
      const { metadata, spec } = delivery.object;
      const since = waitingSinceMs.get(metadata.uid);
      if (delivery.type === 'ADDED' && (spec.nodeName ?? '') === '') waitingSinceMs.set(metadata.uid, player.nowMs);
      if (since === undefined || ((spec.nodeName ?? '') === '' && delivery.type !== 'DELETED')) return;
      waitingSinceMs.delete(metadata.uid);
      if (delivery.type !== 'DELETED') latencies.push(player.nowMs - since);
    });
    return done();
  };
  return { execute: (call) => Promise.resolve(execute(call)), dispose: end };
}
