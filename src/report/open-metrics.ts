/**
 * A run as OpenMetrics text (1.0) with timestamps of simulated time, for databases of time series: Prometheus makes
 * blocks of it by `promtool tsdb create-blocks-from openmetrics`. Pure.
 */
import { exportedFamilies, type ExportedFamily, type ExportedHistogram, type Labels } from './exported-series.js';
import type { RunSummary } from './run-summary.js';

/** The file. */
export function openMetricsText(summary: RunSummary): string {
  const run: Labels = [['seed', summary.seed]];
  return `${exportedFamilies(summary)
    .flatMap((family) => familyLines(family, run))
    .join('\n')}\n# EOF\n`;
}

function familyLines(family: ExportedFamily, run: Labels): readonly string[] {
  const { name, type, unit, help } = family;
  const suffix = type === 'counter' ? '_total' : '';
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === '' ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escaped(help)}`,
    ...family.lines.flatMap(({ labels, points }) => {
      const sample = `${name}${suffix}${labelText([...run, ...labels])}`;
      return points.map(({ atMs, value }) => `${sample} ${value} ${secondsText(atMs)}`);
    }),
    ...family.histograms.flatMap((each) => histogramLines(name, each, run)),
  ];
}

function histogramLines(
  name: string,
  { labels, atMs, count, histogram }: ExportedHistogram,
  run: Labels,
): readonly string[] {
  const { bounds, upTo, sum } = histogram;
  const all = [...run, ...labels];
  const at = secondsText(atMs);
  return [
    ...bounds.map(
      (bound, index) => `${name}_bucket${labelText([...all, ['le', numberText(bound)]])} ${upTo[index] ?? 0} ${at}`,
    ),
    `${name}_bucket${labelText([...all, ['le', '+Inf']])} ${count} ${at}`,
    `${name}_count${labelText(all)} ${count} ${at}`,
    `${name}_sum${labelText(all)} ${sum} ${at}`,
  ];
}

function labelText(labels: Labels): string {
  return labels.length === 0 ? '' : `{${labels.map(([name, value]) => `${name}="${escaped(value)}"`).join(',')}}`;
}

/** Bounds are floating point numbers: 1 is written as 1.0. */
function numberText(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function secondsText(atMs: number): string {
  return (atMs / 1000).toFixed(3);
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
