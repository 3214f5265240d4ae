/** Documents of latencies as kube-burner indexes them (pkg/measurements/metrics): one for each object, and quantiles. */
import type { LatencyThreshold } from '../burner-config.js';

/** A document for one object; its latencies by the name of their quantiles. */
export interface LatencyRecord {
  readonly document: Readonly<Record<string, unknown>>;
  /** ms. */
  readonly latencies: Readonly<Record<string, number>>;
}

/** Quantiles of one latency over all objects, ms. */
export interface LatencyQuantiles {
  readonly quantileName: string;
  readonly uuid: string;
  readonly P99: number;
  readonly P95: number;
  readonly P50: number;
  readonly min: number;
  readonly max: number;
  readonly avg: number;
  readonly timestamp: string;
  readonly metricName: string;
  readonly jobName: string;
}

/** What quantiles carry beside the numbers. */
export type QuantileLabels = Pick<LatencyQuantiles, 'uuid' | 'timestamp' | 'metricName' | 'jobName'>;

/** Of each latency that the records have. */
export function latencyQuantiles(records: readonly LatencyRecord[], labels: QuantileLabels): LatencyQuantiles[] {
  const [first] = records;
  return Object.keys(first?.latencies ?? {}).map((quantileName) => {
    const sorted = records.map(({ latencies }) => latencies[quantileName] ?? 0).sort((a, b) => a - b);
    const sum = sorted.reduce((total, value) => total + value, 0);
    return {
      quantileName,
      uuid: labels.uuid,
      P99: Math.trunc(percentile(sorted, 99)),
      P95: Math.trunc(percentile(sorted, 95)),
      P50: Math.trunc(percentile(sorted, 50)),
      min: sorted[0] ?? 0,
      max: sorted.at(-1) ?? 0,
      avg: Math.trunc(sum / sorted.length),
      timestamp: labels.timestamp,
      metricName: labels.metricName,
      jobName: labels.jobName,
    };
  });
}

/** The value at the place `percent` of the way; between two places their mean, as github.com/montanaflynn/stats has it. */
function percentile(sorted: readonly number[], percent: number): number {
  const place = (percent / 100) * sorted.length;
  const before = Math.floor(place);
  if (before < 1) return sorted[0] ?? 0;
  const value = sorted[before - 1] ?? 0;
  return place === before ? value : (value + (sorted[before] ?? value)) / 2;
}

/** kube-burner's words for each quantile that is above its threshold. */
export function exceeded(thresholds: readonly LatencyThreshold[], quantiles: readonly LatencyQuantiles[]): string[] {
  return thresholds.flatMap(({ conditionType, metric, thresholdMs }) =>
    quantiles
      .filter(({ quantileName }) => quantileName === conditionType)
      .flatMap((each) => {
        const value =
          { P99: each.P99, P95: each.P95, P50: each.P50, Min: each.min, Max: each.max, Avg: each.avg }[metric] ?? 0;
        if (value <= thresholdMs) return [];
        const seconds = (value / 1000).toFixed(2);
        return [
          `${each.metricName}: ${metric} ${conditionType} latency (${seconds}s) higher than configured threshold: ${thresholdMs / 1000}s`,
        ];
      }),
  );
}
