/** Plays the jobs of a workload one after the other (pkg/burner/job.go), with their measurements, churn and cleanup. */
import { assert } from '../../kernel/assert.js';
import { kindRegistry } from '../../api/kinds/registry.js';
import type { BurnerConfig, BurnerJob, BurnerMeasurement } from './burner-config.js';
import { JobRequests, LABEL, type BurnerContext } from './burner-context.js';
import { selectorOf } from './burner-objects.js';
import { CreateJob } from './create-job.js';
import { preloadImages } from './image-preload.js';
import { ItemJob } from './item-job.js';
import {
  exceeded,
  latencyQuantiles,
  type LatencyQuantiles,
  type LatencyRecord,
} from './measurements/latency-documents.js';
import { startLatency, type LatencyMeasurement } from './measurements/latency-measurements.js';
import { waitForObjects } from './object-waits.js';

/** kube-burner's exit codes; 3, of alerts, cannot come about without a Prometheus. */
const EXIT_CODE = { ok: 0, error: 1, timeout: 2, measurement: 4 } as const;

const POLL_MS = 1000;
const GC_TIMEOUT_MS = 3_600_000;

/** What became of a job. */
export interface BurnerJobResult {
  readonly name: string;
  readonly startMs: number;
  endMs: number;
  readonly churn: { readonly startMs: number; readonly endMs: number } | undefined;
  /** Execution errors up to its end. */
  readonly errors: readonly string[];
  readonly isPassed: boolean;
  readonly job: BurnerJob;
}

/** Documents of one measurement of one job. */
export interface BurnerDocuments {
  readonly metricName: string;
  readonly jobName: string;
  readonly documents: readonly unknown[];
}

/** See the file header. */
export class BurnerPlay {
  readonly jobs: BurnerJobResult[] = [];
  readonly documents: BurnerDocuments[] = [];
  readonly quantiles: LatencyQuantiles[] = [];
  readonly errors: string[] = [];
  exitCode: number = EXIT_CODE.ok;
  readonly #context: BurnerContext;
  readonly #config: BurnerConfig;
  readonly #waits: (() => Promise<string[]>)[] = [];
  #running: { readonly settings: BurnerMeasurement; readonly measurement: LatencyMeasurement }[] = [];
  #measuredJob = '';

  constructor(context: BurnerContext, config: BurnerConfig) {
    this.#context = context;
    this.#config = config;
  }

  /** Until all is done, or the workload's time is up. @throws LoadError for templates that turn out to be wrong */
  async play(): Promise<void> {
    const { player } = this.#context;
    const work = this.#playJobs();
    const isInTime = await Promise.race([
      work.then(() => true),
      player.sleep(this.#config.timeoutMs).then(() => false),
    ]);
    if (isInTime) return;
    this.errors.push(`${this.#config.timeoutMs / 1000}s timeout reached`);
    this.exitCode = EXIT_CODE.timeout;
    this.#stopMeasurements(undefined);
  }

  /** Ends it before its time. */
  end(error: string): void {
    this.#failed([error]);
    this.#stopMeasurements(undefined);
  }

  async #playJobs(): Promise<void> {
    const { jobs, gc, waitWhenFinished } = this.#config;
    for (const job of jobs) if (job.preLoadImages) await preloadImages(this.#context, job);
    for (const job of jobs) {
      await this.#playJob(job);
      if (this.exitCode === EXIT_CODE.timeout) return;
    }
    if (waitWhenFinished) for (const wait of this.#waits) this.errors.push(...(await wait()));
    if (gc) await Promise.all(jobs.map((job) => this.#collect(job)));
  }

  async #playJob(job: BurnerJob): Promise<void> {
    const { player, log } = this.#context;
    const startMs = player.nowMs;
    const before = this.errors.length;
    if (this.#running.length === 0) this.#startMeasurements(job);
    log(`triggering job ${job.name}`);
    this.#context.jobBegins(`job ${job.name}`);
    const requests = new JobRequests(this.#context, job);
    const churn = job.jobType === 'create' ? await this.#create(job, requests) : await this.#overItems(requests);
    const endMs = player.nowMs;
    if (job.jobPauseMs > 0) await player.sleep(job.jobPauseMs);
    log(`job ${job.name} took ${((endMs - startMs) / 1000).toFixed(0)}s`);
    const isChurned = (atMs: number): boolean => churn !== undefined && atMs >= churn.startMs && atMs <= churn.endMs;
    if (!job.metricsAggregate) this.#stopMeasurements(isChurned);
    if (job.gc) await this.#collect(job);
    const errors = this.errors.slice(before);
    this.jobs.push({ name: job.name, startMs, endMs, churn, errors, isPassed: this.exitCode === EXIT_CODE.ok, job });
  }

  async #create(job: BurnerJob, requests: JobRequests): Promise<BurnerJobResult['churn']> {
    const { player } = this.#context;
    const create = new CreateJob(requests);
    this.#waits.push(() => waitForObjects(requests, create.objects, ''));
    this.#failed(await create.create());
    let churn: BurnerJobResult['churn'];
    if (job.churn !== undefined) {
      const startMs = player.nowMs;
      this.#failed(await create.churn(job.churn));
      churn = { startMs, endMs: player.nowMs };
    }
    if (job.verifyObjects && !(await create.verify())) {
      if (job.errorOnVerify) this.#failed(['object verification failed']);
      else this.#context.log('object verification failed');
    }
    return churn;
  }

  async #overItems(requests: JobRequests): Promise<undefined> {
    this.#failed(await new ItemJob(requests).run());
    return undefined;
  }

  #failed(errors: readonly string[]): void {
    if (errors.length === 0) return;
    this.errors.push(...errors);
    if (this.exitCode === EXIT_CODE.ok) this.exitCode = EXIT_CODE.error;
  }

  /** Those of the workload, and of the job, which win by name. */
  #startMeasurements(job: BurnerJob): void {
    this.#measuredJob = job.name;
    const settings = new Map([...this.#config.measurements, ...job.measurements].map((each) => [each.name, each]));
    this.#running = [...settings.values()].map((each) => {
      const measurement = startLatency(this.#context, each.name);
      assert(measurement !== undefined, `measurement ${each.name} was checked when the workload was read`);
      return { settings: each, measurement };
    });
  }

  #stopMeasurements(isChurned: ((atMs: number) => boolean) | undefined): void {
    const { player, uuid, log } = this.#context;
    const jobName = this.#measuredJob;
    for (const { settings, measurement } of this.#running) {
      measurement.stop();
      const records: LatencyRecord[] = measurement.records(jobName, isChurned ?? (() => false));
      const { metricName, quantilesName } = measurement;
      const quantiles = latencyQuantiles(records, {
        uuid,
        timestamp: player.timestamp(),
        metricName: quantilesName,
        jobName,
      });
      for (const { quantileName, P50, P99, max, avg } of quantiles) {
        log(`${jobName}: ${quantileName} 50th: ${P50}ms 99th: ${P99}ms max: ${max}ms avg: ${avg}ms`);
      }
      this.quantiles.push(...quantiles);
      this.documents.push(
        { metricName, jobName, documents: records.map(({ document }) => document) },
        { metricName: quantilesName, jobName, documents: quantiles },
      );
      const late = exceeded(settings.thresholds, quantiles);
      this.errors.push(...late);
      if (late.length > 0 && this.exitCode !== EXIT_CODE.timeout) this.exitCode = EXIT_CODE.measurement;
    }
    this.#running = [];
  }

  /** Deletes what a job made: its namespaces, and what lies in none. */
  async #collect(job: BurnerJob): Promise<void> {
    if (job.jobType !== 'create') return;
    const { player, uuid, templates, runid } = this.#context;
    const { requests } = player;
    const labelSelector = selectorOf({ [LABEL.uuid]: uuid, [LABEL.job]: job.name });
    const namespaces = await requests.list('Namespace', { labelSelector });
    await Promise.all(namespaces.map(({ metadata }) => requests.delete('Namespace', { name: metadata.name }, {})));
    const kinds = new Set(
      templates.objectsOf(job, { JobName: job.name, UUID: uuid, RunID: runid }).map(({ kind }) => kind),
    );
    for (const kind of kinds) {
      if (kind === undefined || kindRegistry[kind].isNamespaced) continue;
      for (const { metadata } of await requests.list(kind, { labelSelector }))
        await requests.delete(kind, metadata, {});
    }
    const isGone = async (): Promise<boolean> => (await requests.list('Namespace', { labelSelector })).length === 0;
    await player.poll(isGone, POLL_MS, GC_TIMEOUT_MS);
  }
}
