/**
 * Tests of clusterloader2 against a cluster of its own, in virtual time: the same configs, overrides and modules, the
 * same files of results. All are read and checked before the first one is played.
 */
import { basename, dirname } from 'node:path';
import { createCluster, type Cluster } from '../../cluster/cluster.js';
import type { ClusterOptions } from '../../cluster/options.js';
import { nodesOption } from '../input/nodes-option.js';
import { randomStream } from '../../kernel/random.js';
import { LoadPlayer } from '../player/load-player.js';
import type { LoadStanding } from '../player/load-progress.js';
import { ENDED_BY_THRESHOLD, MeasuredLoad, type LoadMeasured, type LoadMeasuring } from '../player/measured-load.js';
import type { Dict } from '../../templates/values.js';
import { devicesFor } from './dependencies.js';
import { imagesOnNodes } from './images-on-nodes.js';
import type { LoadConfig } from './load-config.js';
import { LoadTest, type StepResult } from './load-test.js';
import { templateValues } from './overrides.js';
import { readConfig } from './read-config.js';
import { configFile, junitFile, summaryFiles, type PlayedTest, type ReportFile } from './report-files.js';
import { readSuite } from './read-suite.js';
import { TemplateFiles, type FileReader } from './template-files.js';
import { registerTestImages } from './test-images.js';
import { loadFunctions } from './template-functions.js';

/** What is to be played. */
export interface LoadTestOptions extends LoadMeasuring {
  /** Paths of configs, played one after the other on one cluster. */
  readonly configs?: readonly string[];
  /** Path of a test suite in the place of configs: a list of identifier, configPath and overridePaths. */
  readonly suite?: string | undefined;
  /** Paths of overrides; the later ones win, and those of a suite over these. */
  readonly overrides?: readonly string[];
  /** Nodes of the cluster, 1..100000. @defaultValue 100 */
  readonly nodes?: number;
  /** @defaultValue that of `createCluster` */
  readonly seed?: number | string | undefined;
  /** Registry of upstream's images. @defaultValue registry.k8s.io */
  readonly imageRegistry?: string;
  /** Where variables `CL2_…` are looked for. @defaultValue none */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly readFile: FileReader;
  /** Told of each step when it begins, and of what became of it. */
  readonly onStep?: (
    step: { readonly name: string; readonly result: StepResult | undefined },
    cluster: Cluster,
  ) => void;
  /** Given where the load stands, before it begins: what is given can be read at any time. */
  readonly onProgress?: (standing: LoadStanding, cluster: Cluster) => void;
  /** Told once of each thing that a test asks for and that is not simulated. */
  readonly onIgnored?: (what: string) => void;
  readonly signal?: AbortSignal | undefined;
  /**
   * Requests a second, and at once, of the controller manager and of the scheduler, each: `--kube-api-qps` and
   * `--kube-api-burst` of upstream's clusters for such tests. @defaultValue 100
   */
  readonly kubeApiQps?: number;
  /** Further options of the cluster. */
  readonly cluster?: Omit<ClusterOptions, 'nodes' | 'seed'>;
}

/** What became of them. */
export interface LoadTestsResult extends LoadMeasured {
  readonly tests: readonly PlayedTest[];
  /** Failed cases of junit.xml. */
  readonly failed: number;
  /** Those that are taken over among them. */
  readonly nodes: number;
  readonly files: readonly ReportFile[];
  /** What is not simulated, in the order in which it was met. */
  readonly ignored: readonly string[];
  readonly seed: string;
  readonly traceHash: string;
  readonly virtualSeconds: number;
  /** Pods that were created. */
  readonly pods: number;
}

const DEFAULT_NODES = 100;
const DEFAULT_QPS = 100;

interface PlannedTest {
  readonly path: string;
  /** Of a suite's test, in the names of its files; may be empty. */
  readonly identifier: string;
  readonly config: LoadConfig;
  readonly files: TemplateFiles;
  readonly values: Dict;
  /** That it expects on every machine. */
  readonly images: ReadonlySet<string>;
}

/**
 * See the file header.
 *
 * @throws LoadError for files that cannot be used; OptionError; AbortedError when the signal is raised
 */
export async function runLoadTests(options: LoadTestOptions): Promise<LoadTestsResult> {
  const { nodes = DEFAULT_NODES, seed } = options;
  const { kubeApiQps: qps = DEFAULT_QPS } = options;
  const measured = new MeasuredLoad(options);
  const machines = nodesOption(nodes, options.cluster?.from !== undefined);
  const cluster = createCluster({
    controllerManager: { kubeAPIQPS: qps, kubeAPIBurst: qps },
    scheduler: { clientConnection: { qps, burst: qps } },
    ...options.cluster,
    nodes: [],
    ...(seed === undefined ? {} : { seed }),
  });
  try {
    // Those that are taken over are there; the others come, with what the tests expect on them.
    const all = cluster.list('Node').length + nodes;
    const tests = scenariosOf(options).map((scenario) => plan(scenario, all, cluster.seed, options));
    const images = [...new Set(tests.flatMap((test) => [...test.images]))].map((name) => ({ names: [name] }));
    const devices = devicesFor(tests.flatMap(({ config }) => config.dependencies));
    cluster.addNodes(machines.map((group) => ({ ...group, images, ...(devices.length === 0 ? {} : { devices }) })));
    registerTestImages(cluster);
    measured.begin(cluster);
    return await play(cluster, tests, { ...options, measured });
  } finally {
    await cluster.dispose();
  }
}

type Scenario = Pick<PlannedTest, 'path' | 'identifier'> & { readonly overrides: readonly string[] };

function scenariosOf({ configs = [], suite, overrides = [], readFile }: LoadTestOptions): readonly Scenario[] {
  if (suite === undefined) return configs.map((path) => ({ path, identifier: '', overrides }));
  return readSuite(suite, readFile).map(({ overrides: own, ...scenario }) => ({
    ...scenario,
    overrides: [...overrides, ...own],
  }));
}

function plan(
  { path, identifier, overrides }: Scenario,
  nodes: number,
  seed: string,
  options: LoadTestOptions,
): PlannedTest {
  const { readFile: read, environment = {}, imageRegistry = 'registry.k8s.io' } = options;
  const filesOf = (purpose: string): TemplateFiles => {
    const random = randomStream(seed, `clusterloader2/${purpose}/${path}`);
    return new TemplateFiles(dirname(path), read, (readFile) => loadFunctions({ random, readFile }));
  };
  const files = filesOf('templates');
  const values = templateValues({ files: overrides, read, environment, nodes, imageRegistry });
  const config = readConfig(basename(path), files, values);
  // From a stream of its own: what is looked for beforehand draws nothing of the test's.
  const images = imagesOnNodes(config, filesOf('images'), values);
  return { path, identifier, files, values, config, images };
}

async function play(
  cluster: Cluster,
  tests: readonly PlannedTest[],
  options: LoadTestOptions & { readonly measured: MeasuredLoad },
): Promise<LoadTestsResult> {
  const player = new LoadPlayer(cluster, 'clusterloader2');
  options.onProgress?.(player.progress, cluster);
  const ignored = new Set<string>();
  const onIgnored = (what: string): void => {
    if (ignored.has(what)) return;
    ignored.add(what);
    options.onIgnored?.(what);
  };
  const { measured, signal } = options;
  /** @returns whether it was played to its end */
  const played = async (part: () => Promise<void>): Promise<boolean> => {
    try {
      await part();
      return true;
    } catch (error) {
      return !measured.isEndedBy(error);
    }
  };
  let isWhole = await played(() => player.nodesReady(signal));
  const nodes = cluster.list('Node').length;
  const results: PlayedTest[] = [];
  for (const { path, identifier, ...means } of isWhole ? tests : []) {
    const onStep = (step: StepOf): void => {
      if (step.result === undefined) measured.step(step.name);
      options.onStep?.(step, cluster);
    };
    const test = new LoadTest({ ...means, player, onIgnored, onStep });
    isWhole = await played(() => player.play(() => test.play(), signal));
    const errors = [...test.result.errors, ...(isWhole ? [] : [ENDED_BY_THRESHOLD])];
    results.push({ ...test.result, errors, path, identifier });
    if (!isWhole) break;
  }
  player.dispose();
  const timestampOf = (atMs: number): string => player.timestampOf(atMs);
  return {
    tests: results,
    failed: results
      .flatMap(({ steps, errors }) => [errors, ...steps.map((step) => step.errors)])
      .filter((errors) => errors.length > 0).length,
    nodes,
    files: [
      junitFile(results),
      ...tests.map(({ config }) => configFile(config)),
      ...results.flatMap((result) => summaryFiles(result, timestampOf)),
    ],
    ignored: [...ignored],
    seed: cluster.seed,
    traceHash: cluster.traceHash,
    virtualSeconds: cluster.nowMs / 1000,
    pods: cluster.stats().podsCreated,
    ...measured.end(),
  };
}

type StepOf = Parameters<NonNullable<LoadTestOptions['onStep']>>[0];
