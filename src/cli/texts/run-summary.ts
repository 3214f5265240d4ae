import Table from 'cli-table3';
import { thresholdText, type ClientLimits, type Cluster, type SceneResult, type ThresholdResult } from '../../index.js';

/** What a run measured on the host, beside what it simulated. */
export interface HostFigures {
  readonly wallSeconds: number;
  readonly peakRssBytes: number;
}

/** The machine-readable result of a run; `--json` prints it. */
export interface RunReport {
  readonly seed: string;
  readonly traceHash: string;
  readonly virtualSeconds: number;
  readonly wallSeconds: number;
  readonly peakRssBytes: number;
  readonly pods: { readonly total: number; readonly ready: number; readonly byPhase: Readonly<Record<string, number>> };
  readonly scheduling: { readonly podsPerSecond: number; readonly attempts: number };
  readonly startupSeconds: { readonly p50: number | null; readonly p90: number | null; readonly p99: number | null };
  readonly unschedulable: readonly { readonly reason: string; readonly count: number; readonly example: string }[];
  /** Pods that could not be placed at their first attempt, whatever became of them. */
  readonly waited: RunReport['unschedulable'];
  readonly ignoredKinds: readonly string[];
  /** Absent without any. */
  readonly thresholds?: readonly ThresholdResult[];
}

/** Gathers the report of a cluster after its run. */
export function reportOf(
  cluster: Cluster,
  result: SceneResult,
  host: HostFigures,
  thresholds: readonly ThresholdResult[],
): RunReport {
  const { nowMs, pods, scheduling, startupSeconds } = cluster.stats();
  return {
    seed: cluster.seed,
    traceHash: cluster.traceHash,
    virtualSeconds: nowMs / 1000,
    wallSeconds: round(host.wallSeconds, 3),
    peakRssBytes: host.peakRssBytes,
    pods,
    scheduling: {
      podsPerSecond: host.wallSeconds > 0 ? Math.round(scheduling.scheduled / host.wallSeconds) : 0,
      attempts: scheduling.attempts,
    },
    startupSeconds: {
      p50: startupSeconds?.p50 ?? null,
      p90: startupSeconds?.p90 ?? null,
      p99: startupSeconds?.p99 ?? null,
    },
    unschedulable: cluster.unschedulable(),
    waited: cluster.waited(),
    ignoredKinds: result.ignoredKinds,
    ...(thresholds.length === 0 ? {} : { thresholds }),
  };
}

/** The report for people. @param clientLimits - how fast components might send */
export function summaryText(
  report: RunReport,
  result: SceneResult,
  notes: readonly string[],
  clientLimits: ClientLimits,
): string {
  const table = new Table({ style: { head: [], border: [], compact: true } });
  const phases = Object.entries(report.pods.byPhase).filter(([, count]) => count > 0);
  const { p50, p90, p99 } = report.startupSeconds;
  table.push(
    ['pods', `${report.pods.total} (${phases.map(([phase, count]) => `${phase} ${count}`).join(', ') || 'none'})`],
    ['ready', String(report.pods.ready)],
    ['pod startup', p50 === null ? '–' : `p50 ${p50}s · p90 ${p90}s · p99 ${p99}s (simulated)`],
    ['client limits', clientLimits],
    ['scheduling', `${report.scheduling.podsPerSecond} pods/s of wall time, ${report.scheduling.attempts} attempts`],
    ['time', `${report.wallSeconds.toFixed(1)} s wall, ${report.virtualSeconds} s simulated`],
    ['peak memory', `${Math.round(report.peakRssBytes / 1e6)} MB`],
    ['seed', report.seed],
    ['trace hash', report.traceHash],
  );
  const parts = [table.toString()];
  if (report.unschedulable.length > 0) parts.push(reasonsText('unschedulable', report.unschedulable));
  if (report.waited.length > 0) parts.push(reasonsText('had to wait', report.waited));
  if (report.ignoredKinds.length > 0) parts.push(`not simulated, ignored: ${report.ignoredKinds.join(', ')}`);
  parts.push(...notes, goalText(result), ...(report.thresholds ?? []).map(thresholdText));
  return `${parts.join('\n')}\n`;
}

/** Reasons that are shown; the rest is counted. */
const SHOWN_REASONS = 10;

function reasonsText(title: string, groups: RunReport['unschedulable']): string {
  const table = new Table({
    head: [title, 'reason', 'as kube-scheduler writes it'],
    colWidths: [15, 40, 70],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { count, reason, example } of groups.slice(0, SHOWN_REASONS)) table.push([count, reason, example]);
  const rest = groups.slice(SHOWN_REASONS);
  const pods = rest.reduce((sum, { count }) => sum + count, 0);
  return rest.length === 0
    ? table.toString()
    : `${table.toString()}\n… and ${pods} pods for ${rest.length} more reasons`;
}

/** Lines of missing workloads that are shown; the rest is counted. */
const SHOWN_MISSING = 10;

function goalText({ isReached, goal, missing }: SceneResult): string {
  if (isReached) return `goal reached: ${goal}`;
  const lines = missing.slice(0, SHOWN_MISSING).map((line) => `  ${line}`);
  if (missing.length > SHOWN_MISSING) lines.push(`  … and ${missing.length - SHOWN_MISSING} more`);
  return [`goal not reached: ${goal}; missing:`, ...lines].join('\n');
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
