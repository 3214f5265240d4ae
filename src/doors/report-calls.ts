/** Functions of load, measurements and report for callers without types. Within the house they are called as they are. */
import { Cluster } from '../cluster/cluster.js';
import type { LivePage, LivePageOptions } from '../live/live-server.js';
import {
  runLoadTests as playLoadTests,
  type LoadTestOptions,
  type LoadTestsResult,
} from '../load/clusterloader2/run-load-tests.js';
import { runBurner as playBurner, type BurnerOptions, type BurnerResult } from '../load/kube-burner/run-burner.js';
import {
  parseThreshold as readThreshold,
  parseThresholds as readThresholds,
  thresholdText as textOfThreshold,
  type ThresholdMap,
} from '../measurements/thresholds.js';
import {
  checkedOptions,
  FLAG,
  FUNCTION,
  guarded,
  MAPPING,
  MAPPINGS,
  orAbsent,
  SIGNAL,
  TEXT,
  TEXTS,
  withFields,
  type Check,
  type Checks,
} from '../options/option-checks.js';
import { OptionError } from '../options/option-error.js';
import { junitText as textOfJunit } from '../report/junit.js';
import { openMetricsText as textOfMetrics } from '../report/open-metrics.js';
import { otlpRequests as requestsOf, otlpUrl as urlOf } from '../report/otlp.js';
import { comparisonPage as pageOfComparison, differencesOf as differences } from '../report/page/comparison-page.js';
import { runPage as pageOfRun } from '../report/page/run-page.js';
import { summarize as summaryOf } from '../report/run-summary.js';
import { arrivals as arrivalsOf } from '../workload/arrival-process.js';

const NUMBER: Check = ['a number', (value) => typeof value === 'number' && Number.isFinite(value)];
const ANYTHING: Check = ['anything', () => true];
const READING = {
  startMs: NUMBER,
  endMs: NUMBER,
  metrics: MAPPINGS,
  series: withFields('', {
    startMs: NUMBER,
    slotMs: NUMBER,
    slots: NUMBER,
    levels: MAPPINGS,
    amounts: MAPPINGS,
    spreads: MAPPING,
  }),
  marks: MAPPINGS,
  zones: MAPPINGS,
  unschedulable: MAPPINGS,
  refused: MAPPINGS,
  slowest: MAPPINGS,
  unstarted: MAPPINGS,
};
const IDENTITY = {
  title: TEXT,
  kind: TEXT,
  program: TEXT,
  seed: TEXT,
  traceHash: TEXT,
  epochMs: NUMBER,
  checks: MAPPINGS,
  thresholds: MAPPINGS,
};
const SUMMARY: Check = withFields('a summary of a run', { ...READING, ...IDENTITY });
const [, isSummary] = SUMMARY;
const SUMMARIES: Check = [
  'a list of summaries of runs',
  (value) => Array.isArray(value) && value.every((each: unknown) => isSummary(each)),
];
const GROUPS = { before: SUMMARIES, after: SUMMARIES };
const ENDPOINT: Check = [
  'a URL such as http://127.0.0.1:4318',
  (value) => typeof value === 'string' && URL.canParse(value),
];
/** What is checked by the cluster that is made of it. */
const OF_CLUSTER = { nodes: ANYTHING, seed: ANYTHING, cluster: MAPPING };
const MEASURED_LOAD = {
  thresholds: ['a mapping of metrics to expressions', (value: unknown) => typeof value === 'object' && value !== null],
  measure: FLAG,
} as const;
const LOAD_TESTS: Checks<LoadTestOptions> = {
  ...OF_CLUSTER,
  ...MEASURED_LOAD,
  configs: TEXTS,
  suite: TEXT,
  overrides: TEXTS,
  imageRegistry: TEXT,
  environment: MAPPING,
  readFile: FUNCTION,
  onStep: FUNCTION,
  onProgress: FUNCTION,
  onIgnored: FUNCTION,
  signal: SIGNAL,
  kubeApiQps: ANYTHING,
};
const BURNER: Checks<BurnerOptions> = {
  ...OF_CLUSTER,
  ...MEASURED_LOAD,
  config: TEXT,
  set: TEXTS,
  userData: TEXT,
  timeout: TEXT,
  allowMissing: FLAG,
  uuid: TEXT,
  environment: MAPPING,
  readFile: FUNCTION,
  runHook: FUNCTION,
  onMessage: FUNCTION,
  onProgress: FUNCTION,
  onIgnored: FUNCTION,
  signal: SIGNAL,
};

/** A run as JUnit XML: a test case for each check and each threshold. Times are simulated seconds. @throws OptionError */
export const junitText = guarded(textOfJunit, { summary: SUMMARY });

/** A run as OpenMetrics text (1.0) with timestamps of simulated time. @throws OptionError */
export const openMetricsText = guarded(textOfMetrics, { summary: SUMMARY });

/** Bodies of the requests that tell a collector of a run over OTLP, in order. @throws OptionError */
export const otlpRequests = guarded(requestsOf, { summary: SUMMARY });

/** Where such requests go: a URL without a path means the standard one. @throws OptionError */
export const otlpUrl = guarded(urlOf, { endpoint: ENDPOINT });

/** The report of one run as a page. @throws OptionError */
export const runPage = guarded(pageOfRun, { summary: SUMMARY });

/** Two groups of runs against each other as a page. @throws OptionError */
export const comparisonPage = guarded(pageOfComparison, GROUPS);

/** Every value of two groups of runs that differs or not, in the order of the catalogue. @throws OptionError */
export const differencesOf = guarded(differences, GROUPS);

/** Puts a measurement and what is known of its run together. @throws OptionError */
export const summarize = guarded(summaryOf, {
  reading: withFields('what a measurement read', READING),
  run: withFields(
    'what is known of a run: title, kind, program, seed, traceHash, epochMs, checks, thresholds',
    IDENTITY,
  ),
});

/** Reads a threshold such as `pod_startup_ms: p(99)<5000`. @throws OptionError */
export const parseThreshold = guarded((text: string, field?: string) => readThreshold(text, field), {
  text: TEXT,
  field: orAbsent(TEXT),
});

/** Thresholds by their metrics. @throws OptionError that names the field, what it got and what is allowed */
export const parseThresholds = guarded(
  (thresholds: ThresholdMap, field?: string) => readThresholds(thresholds, field),
  {
    thresholds: ['a mapping of metrics to expressions such as "p(99)<5000"', isReadableMapping],
    field: orAbsent(TEXT),
  },
);

/** What became of a threshold, in one line. @throws OptionError */
export const thresholdText = guarded(textOfThreshold, {
  result: withFields('what became of a threshold', { metric: TEXT, expression: TEXT, ok: FLAG }),
});

/** See {@link arrivalsOf}. @throws OptionError; ArrivalError that names the field, what it got and what is allowed */
export const arrivals = guarded(arrivalsOf, {
  clock: withFields('a cluster, or an object with a scheduler and a seed', {
    scheduler: withFields('', { now: FUNCTION }),
  }),
  process: MAPPING,
});

/** Plays tests of clusterloader2. @throws OptionError; LoadError; AbortedError when the signal is raised */
export async function runLoadTests(options: LoadTestOptions): Promise<LoadTestsResult> {
  return playLoadTests(checkedOptions('', options, LOAD_TESTS, ['readFile']));
}

/** Plays a workload of kube-burner. @throws OptionError; LoadError; AbortedError when the signal is raised */
export async function runBurner(options: BurnerOptions): Promise<BurnerResult> {
  return playBurner(checkedOptions('', options, BURNER, ['config', 'readFile']));
}

function isReadableMapping(value: unknown): boolean {
  return MAPPING[1](value) && Object.entries(value as object).length >= 0;
}

/** Serves a page of a cluster that runs, on the loopback. @throws OptionError */
export async function openLivePage(cluster: Cluster, options: LivePageOptions = {}): Promise<LivePage> {
  if (!(cluster instanceof Cluster)) throw new OptionError('cluster', 'a cluster that createCluster has made', cluster);
  const { openLivePage: open } = await import('../live/live-server.js');
  return open(cluster, options);
}
