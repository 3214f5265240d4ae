/** A thread that plays whole runs, one after the other: a scenario file, or a manifest on a number of nodes. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parentPort } from 'node:worker_threads';
import type * as Kubeloom from 'kubeloom';
import { fieldsOf, ScriptError, textOf, type Fields } from './contract.js';
import type { Measured, Reply } from './protocol.js';
import { ToldMeasurement } from './told-measurement.js';

type Outcome = Omit<Reply, 'id'>;

/** What came of a run, beside what was measured. */
interface Run {
  readonly problems: readonly string[];
  readonly seed: string;
  readonly traceHash: string;
  readonly virtualMs: number;
  readonly measurement: Kubeloom.Measurement | undefined;
}

const library = await import('kubeloom');
const OF_SCENARIO = ['scenario', 'seed', 'thresholds'];
const OF_MANIFEST = ['manifest', 'seed', 'thresholds', 'nodes', 'readyPods', 'within', 'cluster'];

async function play(args: Fields): Promise<Outcome> {
  const started = performance.now();
  let run: Run | undefined;
  let failure: Outcome['failure'];
  try {
    run = await ('scenario' in args ? playScenario(args) : playManifest(args));
    if (run.problems.length > 0)
      failure = { code: 'RunFailed', message: `seed ${run.seed}: ${run.problems.join('; ')}` };
  } catch (error) {
    failure =
      error instanceof Error ? { code: error.name, message: error.message } : { code: 'Error', message: String(error) };
  }
  const value = run === undefined ? {} : { seed: run.seed, traceHash: run.traceHash, virtualMs: run.virtualMs };
  const measured = measuredIn(run, failure === undefined, performance.now() - started);
  return { value, ...(failure === undefined ? {} : { failure }), measured };
}

async function playScenario(args: Fields): Promise<Run> {
  const { scenario: file, seed, thresholds } = fieldsOf('run', args, OF_SCENARIO);
  const path = textOf('run.scenario', file);
  const read = (other: string): string => readFileSync(resolve(dirname(path), other), 'utf8');
  const scenario = library.parseScenario(readFileSync(path, 'utf8'), path, read);
  let measurement: Kubeloom.Measurement | undefined;
  const result = await library.runScenario(scenario, {
    ...(seed === undefined ? {} : { seed: seedOf(seed) }),
    ...(thresholds === undefined ? {} : { thresholds: thresholds as Kubeloom.ThresholdMap }),
    measure: true,
    onMeasurement: (begun) => {
      measurement = begun;
    },
  });
  const problems = [
    ...result.refusals,
    ...result.expectations
      .filter(({ isMet }) => !isMet)
      .map(({ title, problem }) => `${title}: ${problem ?? 'not met'}`),
    ...result.thresholds.filter(({ ok }) => !ok).map((each) => library.thresholdText(each)),
  ];
  return { problems, seed: result.seed, traceHash: result.traceHash, virtualMs: result.endMs, measurement };
}

async function playManifest(args: Fields): Promise<Run> {
  const {
    manifest,
    seed,
    thresholds = {},
    nodes = 100,
    readyPods,
    within = '10m',
    cluster: more,
  } = fieldsOf('run', args, OF_MANIFEST);
  if (!Number.isSafeInteger(readyPods))
    throw new ScriptError('run.readyPods', 'how many pods are to be ready', readyPods);
  const cluster = library.createCluster({
    ...(more === undefined ? {} : fieldsOf('run.cluster', more)),
    nodes: nodes as number,
    ...(seed === undefined ? {} : { seed: seedOf(seed) }),
  });
  try {
    await cluster.ready();
    const measurement = cluster.measure({ thresholds: thresholds as Kubeloom.ThresholdMap });
    cluster.apply(manifest as string | Kubeloom.Draft);
    const goal = { readyPods: readyPods as number };
    const { end } = await cluster.run({ until: goal, limit: within as Kubeloom.Duration });
    measurement.stop();
    const missing =
      end === 'done' ? [] : [`${cluster.readyPods} of ${goal.readyPods} pods ready within ${String(within)}`];
    const broken = measurement.check().filter(({ ok }) => !ok);
    const problems = [...missing, ...broken.map((each) => library.thresholdText(each))];
    return { problems, seed: cluster.seed, traceHash: cluster.traceHash, virtualMs: cluster.nowMs, measurement };
  } finally {
    await cluster.dispose();
  }
}

function seedOf(seed: unknown): number | string {
  return typeof seed === 'number' ? seed : textOf('run.seed', seed);
}

function measuredIn(run: Run | undefined, isPassed: boolean, hostMs: number): Measured {
  const measurement = run?.measurement;
  const told = measurement === undefined ? undefined : new ToldMeasurement(measurement, library.METRICS).take();
  const virtual: Measured['values'] = run === undefined ? [] : [['run_virtual_ms', [[run.virtualMs, 1]]]];
  return {
    counters: [...(told?.counters ?? []), [isPassed ? 'runs_passed' : 'runs_failed', 1]],
    values: [...(told?.values ?? []), ['run_host_ms', [[hostMs, 1]]], ...virtual],
  };
}

parentPort?.on('message', (args: Fields) => void play(args).then((outcome) => parentPort?.postMessage(outcome)));
