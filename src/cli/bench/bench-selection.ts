import type { PerfWorkload } from '../../index.js';
import type { BenchCase, BenchMode } from './bench-result.js';
import { UsageError } from '../input/usage-error.js';

/** Every mode, in the order in which they run. */
export const BENCH_MODES = ['algorithm', 'full'] as const satisfies readonly BenchMode[];

/** A workload and where it is described. */
export interface KnownWorkload {
  readonly file: string;
  readonly templates: string | undefined;
  readonly workload: PerfWorkload;
}

/** In which settings workloads run; what is absent has a default. */
export interface BenchSettings {
  readonly mode?: readonly BenchMode[];
  readonly percentage?: readonly number[];
  readonly workers?: readonly number[];
  readonly all?: true;
  readonly pods?: number;
  readonly rounds?: number;
  readonly seed: string;
}

/** Rounds: the first tells of a cold process, the last two of a long-lived one. */
const ROUNDS = 5;

/** The label of the sizes that are worth measuring. */
const PERFORMANCE = 'performance';

/**
 * Those that the words name: a whole name, or a test case or label, of which the sizes labelled
 * `performance` are taken if there are any; without words all of these.
 *
 * @throws UsageError for a word that names nothing
 */
export function selectWorkloads(known: readonly KnownWorkload[], words: readonly string[]): readonly KnownWorkload[] {
  if (words.length === 0) return worthMeasuring(known);
  const chosen = new Set(words.flatMap((word) => named(known, word)));
  return known.filter((each) => chosen.has(each));
}

/** Every case of the workloads. @throws UsageError, SchedulerPerfError for a workload that cannot be run */
export function casesOf(chosen: readonly KnownWorkload[], settings: BenchSettings): readonly BenchCase[] {
  const { all, pods, seed } = settings;
  const percentages = settings.percentage ?? (all === true ? [0, 100] : [0]);
  const threads = settings.workers ?? (all === true ? [0, 1, 2] : [0]);
  return chosen.flatMap(({ file, templates, workload }) =>
    modesOf(workload, settings.mode).flatMap((mode) =>
      percentages.flatMap((percentageOfNodesToScore) =>
        threads.map((workers) => ({
          file,
          templates,
          workload: workload.name,
          mode,
          percentageOfNodesToScore,
          workers,
          seed,
          pods,
          rounds: settings.rounds ?? (hasKubelets(workload) ? 1 : ROUNDS),
        })),
      ),
    ),
  );
}

function named(known: readonly KnownWorkload[], word: string): readonly KnownWorkload[] {
  const exact = known.filter(({ workload }) => workload.name === word);
  if (exact.length > 0) return exact;
  const found = known.filter(({ workload }) => workload.testCase === word || workload.labels.includes(word));
  if (found.length > 0) return worthMeasuring(found);
  const names = [...new Set(known.flatMap(({ workload }) => [workload.testCase, ...workload.labels]))];
  throw new UsageError(`no workload, test case or label is called ${JSON.stringify(word)}; known: ${names.join(', ')}`);
}

function worthMeasuring(known: readonly KnownWorkload[]): readonly KnownWorkload[] {
  const labelled = known.filter(({ workload }) => workload.labels.includes(PERFORMANCE));
  return labelled.length > 0 ? labelled : known;
}

/** Kubelets have no place in the algorithm. */
function modesOf(workload: PerfWorkload, wanted: readonly BenchMode[] | undefined): readonly BenchMode[] {
  if (!hasKubelets(workload)) return wanted ?? BENCH_MODES;
  if (wanted?.includes('full') === false)
    throw new UsageError(
      `--mode must be full for ${workload.name}, whose nodes have kubelets, got ${wanted.join(',')}`,
    );
  return ['full'];
}

function hasKubelets(workload: PerfWorkload): boolean {
  return workload.plan().operations.some((operation) => operation.opcode === 'createNodes' && operation.kubelets);
}
