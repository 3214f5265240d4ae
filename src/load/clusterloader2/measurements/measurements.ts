/** The measurements of a test by method and identifier; what is not simulated is named once and gives nothing. */
import type { LoadPlayer } from '../../player/load-player.js';
import type { MeasurementCall } from '../load-config.js';
import { apiResponsiveness } from './api-responsiveness.js';
import { chaosMonkey } from './chaos-monkey-measurement.js';
import { containerRestarts } from './container-restarts.js';
import { ControlledPods } from './controlled-pods.js';
import { jobLifecycleLatency, waitForFinishedJobs } from './job-measurements.js';
import type { Call, Measurement, MeasurementFactory, MeasurementMeans, Outcome, Summary } from './measurement.js';
import { isSimulated, type SimulatedMethod } from './methods.js';
import { podStartupLatency } from './pod-startup-latency.js';
import { prometheusSchedulingMetrics, schedulingMetrics } from './scheduling-metrics.js';
import { schedulingThroughputPrometheus } from './scheduling-throughput-prometheus.js';
import { schedulingThroughput } from './scheduling-throughput.js';
import { sleep, timer } from './timers.js';
import { waitForControlledPodsRunning } from './wait-for-controlled-pods.js';
import {
  waitForAvailablePVs,
  waitForBoundPVCs,
  waitForGenericObjects,
  waitForNodes,
  waitForRunningPods,
} from './wait-for-objects.js';

/** A file of results and when it came. */
export interface TimedSummary extends Summary {
  readonly atMs: number;
}

/** See the file header. */
export class Measurements {
  readonly summaries: TimedSummary[] = [];
  readonly #player: LoadPlayer;
  readonly #means: MeasurementMeans;
  readonly #onIgnored: (method: string) => void;
  readonly #measurements = new Map<string, Measurement>();
  #controlledPods: Promise<ControlledPods> | undefined;

  constructor(player: LoadPlayer, namespacePrefix: string, onIgnored: (method: string) => void) {
    this.#player = player;
    this.#means = {
      player,
      namespacePrefix,
      controlledPods: () => (this.#controlledPods ??= ControlledPods.start(player)),
    };
    this.#onIgnored = onIgnored;
  }

  /** Calls all instances at once. @returns what was not as it should be, and whether the test ends with it */
  async execute({ method, instances }: MeasurementCall): Promise<{ errors: readonly string[]; isFatal: boolean }> {
    if (!isSimulated(method)) {
      this.#onIgnored(method);
      return { errors: [], isFatal: false };
    }
    const outcomes = await Promise.all(instances.map((instance) => this.#call(method, instance)));
    const errors = outcomes.flatMap(({ error }, index) => {
      if (error === undefined) return [];
      return [`measurement call ${method} - ${instances[index]?.identifier ?? ''} error: ${error}`];
    });
    return { errors, isFatal: outcomes.some((outcome) => outcome.isFatal === true) };
  }

  async dispose(): Promise<void> {
    for (const measurement of this.#measurements.values()) measurement.dispose();
    (await this.#controlledPods)?.dispose();
  }

  async #call(method: SimulatedMethod, call: Call): Promise<Outcome> {
    const key = `${method} ${call.identifier}`;
    let measurement = this.#measurements.get(key);
    if (measurement === undefined) {
      measurement = FACTORIES[method](this.#means);
      this.#measurements.set(key, measurement);
    }
    const outcome = await measurement.execute(call);
    for (const summary of outcome.summaries ?? []) this.summaries.push({ ...summary, atMs: this.#player.nowMs });
    return outcome;
  }
}

const FACTORIES: Readonly<Record<SimulatedMethod, MeasurementFactory>> = {
  APIResponsivenessPrometheus: apiResponsiveness,
  ChaosMonkey: chaosMonkey,
  ContainerRestarts: containerRestarts,
  JobLifecycleLatency: jobLifecycleLatency,
  PodStartupLatency: podStartupLatency,
  PrometheusSchedulingMetrics: prometheusSchedulingMetrics,
  SchedulingMetrics: schedulingMetrics,
  SchedulingThroughput: schedulingThroughput,
  SchedulingThroughputPrometheus: schedulingThroughputPrometheus,
  Sleep: sleep,
  Timer: timer,
  WaitForAvailablePVs: waitForAvailablePVs,
  WaitForBoundPVCs: waitForBoundPVCs,
  WaitForControlledPodsRunning: waitForControlledPodsRunning,
  WaitForFinishedJobs: waitForFinishedJobs,
  WaitForGenericK8sObjects: waitForGenericObjects,
  WaitForNodes: waitForNodes,
  WaitForRunningPods: waitForRunningPods,
};
