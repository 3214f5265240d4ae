/**
 * The most pods a second that were bound in any five seconds (scheduling_throughput_prometheus.go): upstream's query is
 * over the rate between two scrapes, which are five seconds apart.
 */
import type { Subscription } from 'rxjs';
import { actionOf, done, type Call, type Measurement, type MeasurementMeans, type Outcome } from './measurement.js';
import { jsonText } from './perf-data.js';
import { watchScheduled } from './scheduled-pods.js';

const METHOD = 'SchedulingThroughputPrometheus';
const SCRAPE_MS = 5000;

export function schedulingThroughputPrometheus({ player }: MeasurementMeans): Measurement {
  let watch: Subscription | undefined;
  let [scrape, bound, most] = [0, 0, 0];
  const end = (): void => {
    watch?.unsubscribe();
    watch = undefined;
  };
  const note = (): void => {
    const now = Math.floor(player.nowMs / SCRAPE_MS);
    if (now !== scrape) [scrape, bound] = [now, 0];
    bound += 1;
    most = Math.max(most, bound);
  };
  const gather = ({ params }: Call): Outcome => {
    end();
    const threshold = params.has('threshold') ? Number(params.value('threshold')) : 0;
    const max = most / (SCRAPE_MS / 1000);
    const summaries = [{ name: METHOD, content: jsonText({ max }) }];
    if (max >= threshold || !params.flag('enableViolations', false)) return { summaries };
    const problem = `actual throughput ${max.toFixed(6)} lower than threshold ${threshold.toFixed(6)}`;
    return { summaries, error: `scheduler throughput_prometheus: ${problem}` };
  };
  const execute = (call: Call): Outcome => {
    if (actionOf(call, ['start', 'gather']) === 'gather') return gather(call);
    end();
    most = 0;
    watch = watchScheduled(player, note);
    return done();
  };
  return { execute: (call) => Promise.resolve(execute(call)), dispose: end };
}
