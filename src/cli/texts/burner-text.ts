/** What `kubeloom burner init` prints. */
import type { BurnerResult, RunCheck } from '../../index.js';

/** The outcome: quantiles of latencies, what went wrong, and where the documents are; or all of it as JSON. */
export function burnerSummary(
  result: BurnerResult,
  host: { readonly wallSeconds: number; readonly nodes: number },
  isJson: boolean,
): string {
  const { files, measured: _measured, ...outcome } = result;
  if (isJson) return `${JSON.stringify({ ...outcome, ...host, files: files.map(({ name }) => name) })}\n`;
  const latencies = result.quantiles.map(
    ({ jobName, quantileName, P50, P95, P99, max }) =>
      `${jobName}: ${quantileName} 50th: ${P50}ms 95th: ${P95}ms 99th: ${P99}ms max: ${max}ms`,
  );
  return [
    ...latencies,
    ...result.errors.map((error) => `error: ${error}`),
    ...result.directories.map((directory) => `${files.length} files in ${directory}`),
    `${host.nodes} nodes · ${result.pods} pods created · ${result.virtualSeconds.toFixed(1)}s simulated in ${host.wallSeconds.toFixed(1)}s`,
    `uuid ${result.uuid} · seed ${result.seed} · trace ${result.traceHash}`,
    '',
  ].join('\n');
}

/** Every job, and the workload as a whole, for reports. */
export function burnerChecks({ jobs, exitCode, errors }: BurnerResult): readonly RunCheck[] {
  return [
    { name: 'workload', ok: exitCode === 0, problem: errors.join('; ') || null, atMs: null },
    ...jobs.map(({ name, isPassed, endMs }) => ({ name: `job ${name}`, ok: isPassed, problem: null, atMs: endMs })),
  ];
}
