/** Results as perfdash reads them (pkg/measurement/util/perftype.go), and quantiles as clusterloader2 takes them. */

/** A latency at three quantiles, ms. */
export interface LatencyMetric {
  readonly Perc50: number;
  readonly Perc90: number;
  readonly Perc99: number;
}

/** One line of results. */
interface DataItem {
  readonly data: Readonly<Record<string, number>>;
  readonly unit: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The element at ceil(n * percent / 100) - 1 of the sorted values; 0 of none. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0;
}

export function ascending(values: Iterable<number>): number[] {
  return [...values].sort((a, b) => a - b);
}

export function latencyMetric(values: Iterable<number>): LatencyMetric {
  const sorted = ascending(values);
  return { Perc50: percentile(sorted, 50), Perc90: percentile(sorted, 90), Perc99: percentile(sorted, 99) };
}

/** Upstream's words for the first quantile that is above its threshold. */
export function tooSlow(metric: LatencyMetric, thresholdsMs: LatencyMetric): string | undefined {
  for (const percent of [50, 90, 99] as const) {
    const key = `Perc${percent}` as const;
    if (metric[key] <= thresholdsMs[key]) continue;
    const [got, expected] = [durationText(metric[key]), durationText(thresholdsMs[key])];
    return `too high latency ${percent}th percentile: got ${got} expected: ${expected}`;
  }
  return undefined;
}

export function latencyItem(name: string, metric: LatencyMetric): DataItem {
  return { data: { ...metric }, unit: 'ms', labels: { Metric: name } };
}

export function jsonText(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

/** As Go prints a duration: `1h0m0s`, `1.5s`, `350ms`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${ms}ms`.replace(/^0ms$/, '0s');
  const [hours, minutes, seconds] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, (ms % 60_000) / 1000];
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
