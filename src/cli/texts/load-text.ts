/** What `kubeloom load` prints. */
import type { Cluster, LoadStanding, LoadTestsResult, RunCheck, StepResult } from '../../index.js';
import type { Standing } from './followed-progress.js';

/** How a run was made, beside its result. */
interface LoadHost {
  readonly wallSeconds: number;
  readonly peakRssBytes: number;
  readonly nodes: number;
  readonly reportDir: string | undefined;
}

const MEBIBYTE = 1_048_576;

/** A step that begins, or what became of it, with where the cluster stands. */
export function stepText(
  { name, result }: { readonly name: string; readonly result: StepResult | undefined },
  cluster: Cluster,
): string {
  const at = `${(cluster.nowMs / 1000).toFixed(1)}s simulated · ${cluster.pods.total} pods`;
  if (result === undefined) return `${name} … · ${at}\n`;
  const failures = result.errors.map((error) => `  ${error}\n`).join('');
  if (result.errors.length > 0) return `${result.name} FAILED · ${at}\n${failures}`;
  return result.name === name ? `${name} done · ${at}\n` : '';
}

/** Where a test or a workload stands. */
export function standingOf({ title, part, parts, total, done }: LoadStanding, cluster: Cluster): Standing {
  const place = part === 0 ? '' : ` · ${part} of ${parts}`;
  const text = `${(cluster.nowMs / 1000).toFixed(1)}s simulated · ${cluster.pods.total} pods${place}`;
  return { title: title === '' ? 'nodes' : title, total, done, text };
}

/** The outcome: the tests, what is not simulated, and where the results are; or all of it as JSON. */
export function loadSummary(result: LoadTestsResult, host: LoadHost, isJson: boolean): string {
  const { tests, files, ignored, measured: _measured, ...counts } = result;
  const { reportDir, ...measured } = host;
  if (isJson) {
    const outcomes = tests.map(({ summaries, ...test }) => ({
      ...test,
      results: summaries.map(({ name, content }) => ({ name, content: JSON.parse(content) as unknown })),
    }));
    return `${JSON.stringify({ ...counts, ...measured, ignored, tests: outcomes })}\n`;
  }
  const lines = tests.flatMap(({ name, identifier, errors, chaos, durationMs }) => [
    `test ${identifier === '' ? name : identifier}: ${errors.length === 0 ? 'Success' : 'Fail'} in ${(durationMs / 1000).toFixed(1)}s simulated`,
    ...errors.map((error) => `  ${error}`),
    ...chaos.map((event) => `  chaos monkey: ${event}`),
  ]);
  const places = reportDir === undefined ? [] : [`${files.length} files in ${reportDir}`];
  const wall = `${host.nodes} nodes · ${result.pods} pods created · ${result.virtualSeconds.toFixed(1)}s simulated in ${host.wallSeconds.toFixed(1)}s`;
  return [
    ...lines,
    ...(reportDir === undefined
      ? tests.flatMap(({ summaries }) => summaries.map(({ name, content }) => `${name}: ${content}`))
      : places),
    `${wall} · peak memory ${(host.peakRssBytes / MEBIBYTE).toFixed(0)} MiB`,
    `seed ${result.seed} · trace ${result.traceHash}`,
    ...(result.failed === 0 ? [] : [`${result.failed} tests have failed!`]),
    '',
  ].join('\n');
}

/** Every test and every step of it, for reports. */
export function loadChecks({ tests }: LoadTestsResult): readonly RunCheck[] {
  return tests.flatMap(({ name, identifier, errors, steps }) => {
    const title = identifier === '' ? name : identifier;
    return [
      { name: `${title} overall`, errors },
      ...steps.map((step) => ({ ...step, name: `${title}: ${step.name}` })),
    ].map((each) => ({
      name: each.name,
      ok: each.errors.length === 0,
      problem: each.errors.join('; ') || null,
      atMs: null,
    }));
  });
}
