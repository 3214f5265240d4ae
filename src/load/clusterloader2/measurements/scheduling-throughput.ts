/** How many pods are scheduled in each interval (scheduling_throughput.go): pods with a node that are not deleted. */
import type { Pod } from '../../../api/objects/objects.js';
import type { Informer } from '../../../bus/bus-types.js';
import type { LoadFields } from '../../input/load-fields.js';
import { actionOf, done, type Call, type Measurement, type MeasurementMeans, type Outcome } from './measurement.js';
import { selectionOf } from './object-selection.js';
import { ascending, jsonText, percentile } from './perf-data.js';

const METHOD = 'SchedulingThroughput';
const INTERVAL_MS = 5000;

export function schedulingThroughput(means: MeasurementMeans): Measurement {
  return new SchedulingThroughput(means);
}

class SchedulingThroughput implements Measurement {
  readonly #means: MeasurementMeans;
  readonly #perSecond: number[] = [];
  #informer: Informer<'Pod'> | undefined;
  #scheduled = 0;

  constructor(means: MeasurementMeans) {
    this.#means = means;
  }

  execute(call: Call): Promise<Outcome> {
    const isStart = actionOf(call, ['start', 'gather']) === 'start';
    return Promise.resolve(isStart ? this.#start(call.params) : this.#gather(call.params));
  }

  dispose(): void {
    if (this.#informer !== undefined) this.#means.player.connection.release(this.#informer);
    this.#informer = undefined;
  }

  #start(params: LoadFields): Outcome {
    if (this.#informer !== undefined) return done();
    const intervalMs = params.durationMs('measurmentInterval', INTERVAL_MS);
    if (intervalMs < 1000) throw params.refusal('measurmentInterval', 'must be a duration of 1s or more');
    const informer = this.#means.player.connection.select('Pod', selectionOf(params));
    informer.addHandler({
      onAdd: (pod) => this.#count(undefined, pod),
      onUpdate: (previous, pod) => this.#count(previous, pod),
      onDelete: (pod) => this.#count(pod, undefined),
    });
    informer.start();
    this.#informer = informer;
    this.#sample(informer, Math.floor(intervalMs / 1000), intervalMs, 0);
    return done();
  }

  #count(previous: Pod | undefined, pod: Pod | undefined): void {
    this.#scheduled +=
      Number(pod !== undefined && isScheduled(pod)) - Number(previous !== undefined && isScheduled(previous));
  }

  #sample(informer: Informer<'Pod'>, seconds: number, intervalMs: number, before: number): void {
    this.#means.player.clock.schedule(intervalMs, () => {
      if (this.#informer !== informer) return;
      const scheduled = this.#scheduled;
      this.#perSecond.push((scheduled - before) / seconds);
      this.#sample(informer, seconds, intervalMs, scheduled);
    });
  }

  #gather(params: LoadFields): Outcome {
    if (this.#informer === undefined) return { error: 'measurement is not running' };
    this.dispose();
    const threshold = params.has('threshold') ? Number(params.value('threshold')) : 0;
    const sorted = ascending(this.#perSecond);
    const [perc50, perc90, perc99] = [50, 90, 99].map((percent) => percentile(sorted, percent));
    const max = sorted.at(-1) ?? 0;
    const summaries = [{ name: METHOD, content: jsonText({ perc50, perc90, perc99, max }) }];
    if (threshold <= max || !params.flag('enableViolations', true)) return { summaries };
    const got = max.toFixed(6);
    return {
      summaries,
      error: `scheduler throughput: actual throughput ${got} lower than threshold ${threshold.toFixed(6)}`,
    };
  }
}

function isScheduled({ metadata, spec }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && (spec.nodeName ?? '') !== '';
}
