import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { BenchCase, BenchResult } from './bench-result.js';
import { CASE_PROCESS } from '../case-process.js';
import { UsageError } from '../input/usage-error.js';
import { leftText } from '../texts/time-left.js';

/** The results of all runs of one case. */
export interface CaseResult extends BenchResult {
  /** Every run's figure, in order; the other fields are those of the run in the middle. */
  readonly runsPodsPerSecond: readonly number[];
}

/** A case that came to nothing. */
export interface CaseFailure {
  readonly workload: string;
  readonly problem: string;
}

/** Room for young objects: what a scheduler of thousands of nodes needs not to copy them all the time. */
const NODE_OPTIONS = ['--max-semi-space-size=32'];

/**
 * Runs the cases one after the other, each run in a process of its own.
 *
 * @param signal - ends it after the runs that are done
 */
export async function runCases(
  cases: readonly BenchCase[],
  repeat: number,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<{ readonly results: readonly (readonly BenchResult[])[]; readonly failures: readonly CaseFailure[] }> {
  const results: BenchResult[][] = [];
  const failures: CaseFailure[] = [];
  const startMs = performance.now();
  for (const [index, given] of cases.entries()) {
    if (signal.aborted) break;
    const rate = index / ((performance.now() - startMs) / 1000 || 1);
    const left = index === 0 ? '' : ` · ${leftText(rate, cases.length - index)} left`;
    tell(`${titleOf(given)} … · ${index + 1} of ${cases.length}${left}`);
    const runs: BenchResult[] = [];
    for (let run = 0; run < repeat; run += 1) {
      const outcome = await runOnce(given, signal);
      if (outcome === undefined) break;
      if ('problem' in outcome) failures.push(outcome);
      else runs.push(outcome);
    }
    if (runs.length > 0) results.push(runs);
  }
  return { results, failures };
}

/** What is run, in one line. */
export function titleOf(given: Pick<BenchCase, 'workload' | 'mode' | 'percentageOfNodesToScore' | 'workers'>): string {
  const { workload, mode, percentageOfNodesToScore, workers } = given;
  const nodes = percentageOfNodesToScore === 0 ? 'adaptive' : `${percentageOfNodesToScore} %`;
  return `${workload}, ${mode}, ${nodes}, ${workers} ${workers === 1 ? 'worker' : 'workers'}`;
}

/** The run in the middle by its rate, with the rates of all. */
export function medianOf(runs: readonly BenchResult[]): CaseResult | undefined {
  const ordered = runs.toSorted((a, b) => rateOf(a) - rateOf(b));
  const middle = ordered[Math.floor((ordered.length - 1) / 2)];
  return middle && { ...middle, runsPodsPerSecond: runs.map(({ podsPerSecond }) => podsPerSecond) };
}

function rateOf({ warm, podsPerSecond }: BenchResult): number {
  return (warm ?? { podsPerSecond }).podsPerSecond;
}

/** `undefined` = it was ended before its time. */
async function runOnce(given: BenchCase, signal: AbortSignal): Promise<BenchResult | CaseFailure | undefined> {
  const args = [...NODE_OPTIONS, ...process.execArgv, CASE_PROCESS, JSON.stringify(given)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, name) => resolve(code ?? name ?? 'nothing'));
  });
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  signal.removeEventListener('abort', kill);
  if (signal.aborted) return undefined;
  if (status === 0) return JSON.parse(stdout) as BenchResult;
  const problem = `${titleOf(given)}: ${stderr.trim()}`;
  // A process that broke down ends with 1 as well, and tells where in the code it was.
  const isOneLine = !stderr.trim().includes('\n');
  if (status === 1 && isOneLine) return { workload: given.workload, problem };
  if (status === 2 && isOneLine) throw new UsageError(problem);
  throw new Error(`${titleOf(given)} ended with ${status}:\n${stderr}`);
}
