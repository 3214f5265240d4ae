/** Plays the jobs of a workload one after the other (pkg/burner/job.go), with their measurements, churn and cleanup. */
import { assert } from '../../kernel/assert.js';
import type { BurnerConfig, BurnerJob, BurnerMeasurement } from './burner-config.js';
import { JobRequests, LABEL, type BurnerContext } from './burner-context.js';
import { selectorOf } from './burner-objects.js';
import { clusterProblems } from './cluster-health.js';
import { CreateJob } from './create-job.js';
import { preloadImages } from './image-preload.js';
import { ItemJob } from './item-job.js';
import { JobHooks, type HookStage } from './job-hooks.js';
import { openWatchers } from './job-watchers.js';
import { stepsOf, type IncrementalLoad } from './load-steps.js';
import {
  exceeded,
  latencyQuantiles,
  type LatencyQuantiles,
  type LatencyRecord,
} from './measurements/latency-documents.js';
import { startLatency, type LatencyMeasurement } from './measurements/latency-measurements.js';
import { waitForObjects } from './object-waits.js';
import { waitingText } from '../player/waiting-text.js';

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
  /** Of a step of a load that grows. */
  readonly incrementalLoadUUID?: string;
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
  readonly #ofJobs = new Map<string, JobHooks>();

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
    this.errors.push(`${this.#config.timeoutMs / 1000}s timeout reached${waitingText(player.cluster)}`);
    this.exitCode = EXIT_CODE.timeout;
    this.#stopMeasurements(undefined);
  }

  /** Ends it before its time. */
  end(error: string): void {
    this.#failed([error]);
    this.#stopMeasurements(undefined);
  }

  async #playJobs(): Promise<void> {
    const { jobs, gc, gcMetrics, waitWhenFinished, clusterHealth } = this.#config;
    if (clusterHealth && !(await this.#isHealthy())) return;
    for (const job of jobs) if (job.preLoadImages) await preloadImages(this.#context, job);
    // Nothing is left of an earlier run here, but commands are run around its deletion.
    for (const job of jobs) {
      if (job.jobType !== 'create' || job.plain['cleanup'] === false) continue;
      await this.#hooks(job, 'beforeGC');
      await this.#hooks(job, 'afterGC');
    }
    this.#context.player.progress.restart(jobs.length);
    for (const job of jobs) {
      this.#context.player.progress.next(`job ${job.name}`);
      await this.#playJob(job);
      if (this.exitCode === EXIT_CODE.timeout) return;
    }
    if (waitWhenFinished) for (const wait of this.#waits) this.errors.push(...(await wait()));
    if (gc) await Promise.all(jobs.map((job) => this.#collect(job)));
    if (gc && gcMetrics) for (const job of jobs) await this.#hooks(job, 'afterCleanup');
    for (const hooks of this.#ofJobs.values()) this.#failed(await hooks.collect());
  }

  async #isHealthy(): Promise<boolean> {
    const problems = await clusterProblems(this.#context.player);
    if (problems.length > 0) this.#failed([`cluster is not healthy: ${problems.join(', ')}`]);
    return problems.length === 0;
  }

  /** Runs the commands of a stage; what goes wrong with them is noted, and the job goes on. */
  async #hooks(job: BurnerJob, stage: HookStage): Promise<void> {
    const { hooks: means } = this.#context;
    if (means === undefined || job.hooks.length === 0) return;
    let hooks = this.#ofJobs.get(job.name);
    if (hooks === undefined) this.#ofJobs.set(job.name, (hooks = new JobHooks(job.name, job.hooks, means)));
    const problems = await hooks.at(stage);
    if (stage !== 'onEachIteration') this.#failed(problems);
    else for (const problem of problems) this.#context.log(problem);
  }

  async #playJob(job: BurnerJob): Promise<void> {
    const { player, log } = this.#context;
    const startMs = player.nowMs;
    const before = this.errors.length;
    const closeWatchers = await openWatchers(new JobRequests(this.#context, job));
    if (this.#running.length === 0 && job.incrementalLoad === undefined) this.#startMeasurements(job, this.#context);
    log(`triggering job ${job.name}`);
    this.#context.jobBegins(`job ${job.name}`);
    const requests = new JobRequests(this.#context, job);
    await this.#hooks(job, 'beforeJobExecution');
    const steps: BurnerJobResult[] = [];
    const churn = job.jobType === 'create' ? await this.#create(job, requests, steps) : await this.#overItems(requests);
    await this.#hooks(job, 'beforeCleanup');
    const jobEndMs = player.nowMs;
    if (job.jobPauseMs > 0) await player.sleep(job.jobPauseMs);
    log(`job ${job.name} took ${((jobEndMs - startMs) / 1000).toFixed(0)}s`);
    const endMs = job.metricsClosing === 'afterJob' ? jobEndMs : player.nowMs;
    const isChurned = (atMs: number): boolean => churn !== undefined && atMs >= churn.startMs && atMs <= churn.endMs;
    if (!job.metricsAggregate) this.#stopMeasurements(isChurned);
    closeWatchers();
    if (job.gc) {
      await this.#collect(job);
      await this.#hooks(job, 'afterCleanup');
    }
    this.#failed((await this.#ofJobs.get(job.name)?.collect()) ?? []);
    const ended = {
      name: job.name,
      endMs,
      churn,
      errors: this.errors.slice(before),
      isPassed: this.exitCode === EXIT_CODE.ok,
      job,
    };
    const [first] = steps;
    if (first === undefined) this.jobs.push({ ...ended, startMs });
    else {
      const lastMs = steps.at(-1)?.endMs ?? startMs;
      this.jobs.push({ ...ended, startMs, endMs: first.startMs }, ...steps, { ...ended, startMs: lastMs });
    }
  }

  /**
   * The whole job again and again with more iterations each time, measured and deleted each time; it ends with the first
   * step that goes wrong.
   */
  async #createInSteps(job: BurnerJob, load: IncrementalLoad): Promise<BurnerJobResult[]> {
    const { player, log, idOf } = this.#context;
    const done: BurnerJobResult[] = [];
    for (const [index, iterations] of stepsOf(load, job.jobIterations).entries()) {
      if (index > 0 && load.stepDelayMs > 0) await player.sleep(load.stepDelayMs);
      const runid = idOf(`step/${job.name}/${index}`);
      const step = { ...job, jobIterations: iterations };
      const context = { ...this.#context, runid };
      log(`job ${job.name}: step ${index + 1} of ${iterations} iterations`);
      this.#startMeasurements(job, context);
      const startMs = player.nowMs;
      const create = new CreateJob(new JobRequests(context, step), () => this.#hooks(job, 'onEachIteration'));
      const errors = await create.create();
      if (errors.length === 0 && job.verifyObjects && !(await create.verify())) {
        log('object verification failed');
        if (job.errorOnVerify) errors.push(`object verification failed at total iterations: ${iterations}`);
      }
      if (errors.length === 0) errors.push(...(await this.#stepProblems(job, load)));
      this.#stopMeasurements(undefined, runid);
      if (errors.length > 0) {
        this.#failed(errors);
        return done;
      }
      await this.#collect(job);
      const endMs = player.nowMs;
      const isPassed = this.exitCode === EXIT_CODE.ok;
      done.push({
        name: job.name,
        startMs,
        endMs,
        churn: undefined,
        errors,
        isPassed,
        incrementalLoadUUID: runid,
        job,
      });
    }
    return done;
  }

  /** By its script, if it names one and commands are run; else by its nodes. */
  async #stepProblems(job: BurnerJob, { healthCheckScript: script }: IncrementalLoad): Promise<string[]> {
    const { player, hooks: means, onIgnored } = this.#context;
    if (script !== '' && means !== undefined) {
      const cmd = ['/bin/sh', ...script.split(' ')];
      const [problem] = await new JobHooks(job.name, [{ cmd, when: 'afterJobExecution', background: false }], means).at(
        'afterJobExecution',
      );
      return problem === undefined ? [] : [`health check script failed: ${problem}`];
    }
    if (script !== '') onIgnored('healthCheckScript (the nodes are looked at instead)');
    const problems = await clusterProblems(player);
    return problems.length === 0 ? [] : [`cluster is not healthy: ${problems.join(', ')}`];
  }

  /** @param steps - filled with those of a load that grows */
  async #create(job: BurnerJob, requests: JobRequests, steps: BurnerJobResult[]): Promise<BurnerJobResult['churn']> {
    const { player } = this.#context;
    const create = new CreateJob(requests, () => this.#hooks(job, 'onEachIteration'));
    this.#waits.push(() => waitForObjects(requests, create.objects, ''));
    if (job.incrementalLoad === undefined) this.#failed(await create.create());
    else steps.push(...(await this.#createInSteps(job, job.incrementalLoad)));
    await this.#hooks(job, 'afterJobExecution');
    let churn: BurnerJobResult['churn'];
    if (job.churn !== undefined) {
      await this.#hooks(job, 'beforeChurn');
      const startMs = player.nowMs;
      this.#failed(await create.churn(job.churn));
      churn = { startMs, endMs: player.nowMs };
      await this.#hooks(job, 'afterChurn');
    }
    if (job.incrementalLoad === undefined && job.verifyObjects && !(await create.verify())) {
      if (job.errorOnVerify) this.#failed(['object verification failed']);
      else this.#context.log('object verification failed');
    }
    return churn;
  }

  async #overItems(requests: JobRequests): Promise<undefined> {
    this.#failed(await new ItemJob(requests).run());
    await this.#hooks(requests.job, 'afterJobExecution');
    return undefined;
  }

  #failed(errors: readonly string[]): void {
    if (errors.length === 0) return;
    this.errors.push(...errors);
    if (this.exitCode === EXIT_CODE.ok) this.exitCode = EXIT_CODE.error;
  }

  /** Those of the workload, and of the job, which win by name. */
  #startMeasurements(job: BurnerJob, context: BurnerContext): void {
    this.#measuredJob = job.name;
    const settings = new Map([...this.#config.measurements, ...job.measurements].map((each) => [each.name, each]));
    this.#running = [...settings.values()].map((each) => {
      const measurement = startLatency(context, each.name);
      assert(measurement !== undefined, `measurement ${each.name} was checked when the workload was read`);
      return { settings: each, measurement };
    });
  }

  /** @param step - the identifier of a step of a load that grows */
  #stopMeasurements(isChurned: ((atMs: number) => boolean) | undefined, step?: string): void {
    const { player, uuid, log } = this.#context;
    const jobName = this.#measuredJob;
    const marked = (document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
      step === undefined ? document : { ...document, metadata: { incrementalLoadUUID: step } };
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
        { metricName, jobName, documents: records.map(({ document }) => marked(document)) },
        { metricName: quantilesName, jobName, documents: quantiles.map((each) => marked({ ...each })) },
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
    const objects = templates.objectsOf(job, { JobName: job.name, UUID: uuid, RunID: runid }, player.kinds);
    const kinds = new Set(objects.flatMap((object) => [...object.kinds]));
    for (const kind of kinds) {
      if (player.kinds.describe(kind).isNamespaced) continue;
      for (const { metadata } of await requests.list(kind, { labelSelector }))
        await requests.delete(kind, metadata, {});
    }
    const isGone = async (): Promise<boolean> => (await requests.list('Namespace', { labelSelector })).length === 0;
    await player.poll(isGone, POLL_MS, GC_TIMEOUT_MS);
  }
}
