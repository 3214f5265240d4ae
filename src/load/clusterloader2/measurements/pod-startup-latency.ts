/**
 * How long pods take to start (slos/pod_startup_latency.go), as a client sees it over its link: created = first seen,
 * scheduled = first seen with a node, running = first seen in the phase Running, not Ready.
 */
import type { Subscription } from 'rxjs';
import type { Pod } from '../../../api/objects/objects.js';
import type { LoadFields } from '../../input/load-fields.js';
import {
  actionOf,
  done,
  type Call,
  type Measurement,
  type MeasurementMeans,
  type Outcome,
  type Summary,
} from './measurement.js';
import { selectionOf } from './object-selection.js';
import { jsonText, latencyItem, latencyMetric, tooSlow, type LatencyMetric } from './perf-data.js';

const METHOD = 'PodStartupLatency';
const THRESHOLD_MS = 5000;

interface PodTimes {
  readonly createdMs: number;
  scheduledMs: number | undefined;
  runningMs: number | undefined;
  isStateless: boolean;
}

/** Transitions by name; that seen by a watch is the one that runs. */
const TRANSITIONS: readonly (readonly [
  string,
  (times: PodTimes) => readonly [number | undefined, number | undefined],
])[] = [
  ['create_to_run', ({ createdMs, runningMs }) => [createdMs, runningMs]],
  ['create_to_schedule', ({ createdMs, scheduledMs }) => [createdMs, scheduledMs]],
  ['pod_startup', ({ createdMs, runningMs }) => [createdMs, runningMs]],
  ['run_to_watch', ({ runningMs }) => [runningMs, runningMs]],
  ['schedule_to_run', ({ scheduledMs, runningMs }) => [scheduledMs, runningMs]],
  ['schedule_to_watch', ({ scheduledMs, runningMs }) => [scheduledMs, runningMs]],
];

export function podStartupLatency(means: MeasurementMeans): Measurement {
  return new PodStartupLatency(means);
}

class PodStartupLatency implements Measurement {
  readonly #means: MeasurementMeans;
  readonly #pods = new Map<string, PodTimes>();
  #thresholds: LatencyMetric = { Perc50: THRESHOLD_MS, Perc90: THRESHOLD_MS, Perc99: THRESHOLD_MS };
  #watch: Subscription | undefined;

  constructor(means: MeasurementMeans) {
    this.#means = means;
  }

  execute(call: Call): Promise<Outcome> {
    return Promise.resolve(
      actionOf(call, ['start', 'gather']) === 'start' ? this.#start(call.params) : this.#gather(call),
    );
  }

  dispose(): void {
    this.#watch?.unsubscribe();
    this.#watch = undefined;
  }

  #start(params: LoadFields): Outcome {
    if (this.#watch !== undefined) return done();
    const threshold = params.durationMs('threshold', THRESHOLD_MS);
    this.#thresholds = {
      Perc50: params.durationMs('perc50Threshold', threshold),
      Perc90: params.durationMs('perc90Threshold', threshold),
      Perc99: params.durationMs('perc99Threshold', threshold),
    };
    const { player } = this.#means;
    this.#watch = player.connection.watch('Pod', selectionOf(params)).subscribe((delivery) => {
      if (delivery.type === 'LISTED') for (const pod of delivery.items) this.#see(pod);
      else if ('object' in delivery) this.#see(delivery.object);
    });
    return done();
  }

  #see(pod: Pod): void {
    const { namespace = '', name } = pod.metadata;
    const key = `${namespace}/${name}`;
    const nowMs = this.#means.player.nowMs;
    let times = this.#pods.get(key);
    if (times === undefined) {
      times = { createdMs: nowMs, scheduledMs: undefined, runningMs: undefined, isStateless: isStateless(pod) };
      this.#pods.set(key, times);
    }
    if (times.scheduledMs === undefined && (pod.spec.nodeName ?? '') !== '') times.scheduledMs = nowMs;
    if (times.runningMs === undefined && pod.status.phase === 'Running') times.runningMs = nowMs;
  }

  #gather({ identifier }: Call): Outcome {
    if (this.#watch === undefined) return { error: `metric ${METHOD} has not been started` };
    this.dispose();
    const summaries: Summary[] = [];
    let error: string | undefined;
    for (const [prefix, isCounted] of CHECKS) {
      const times = [...this.#pods.values()].filter(isCounted);
      const metrics = TRANSITIONS.map(([name, ends]) => [name, latencyMetric(latencies(times, ends))] as const);
      const startup = metrics.find(([name]) => name === 'pod_startup')?.[1];
      const problem = startup === undefined ? undefined : tooSlow(startup, this.#thresholds);
      if (problem !== undefined) error = `pod startup: ${problem}`;
      const content = { version: '1.0', dataItems: metrics.map(([name, metric]) => latencyItem(name, metric)) };
      summaries.push({ name: `${prefix}${METHOD}_${identifier}`, content: jsonText(content) });
    }
    return { summaries, ...(error === undefined ? {} : { error }) };
  }
}

const CHECKS: readonly (readonly [string, (times: PodTimes) => boolean])[] = [
  ['', () => true],
  ['Stateless', ({ isStateless: is }) => is],
  ['Stateful', ({ isStateless: is }) => !is],
];

function* latencies(
  pods: readonly PodTimes[],
  ends: (times: PodTimes) => readonly [number | undefined, number | undefined],
): Generator<number> {
  for (const times of pods) {
    const [from, to] = ends(times);
    if (from !== undefined && to !== undefined) yield Math.max(0, to - from);
  }
}

/** Its volumes come with it and go with it. */
function isStateless({ spec: { volumes = [] } }: Pod): boolean {
  return volumes.every(
    ({ emptyDir, downwardAPI, configMap, secret, projected }) =>
      (emptyDir ?? downwardAPI ?? configMap ?? secret ?? projected) !== undefined,
  );
}
