import Table from 'cli-table3';
import type { WorkloadResult } from './run-workload.js';

/** Results for people: one row per workload. */
export function formatTable(results: readonly WorkloadResult[]): string {
  const table = new Table({
    head: ['workload', 'wall s', 'peak MB', 'pods/s', 'p50 µs', 'p99 µs', 'anchor pods/s', 'ratio', 'hash'],
    style: { head: [], border: [] },
  });
  for (const result of results) {
    table.push([
      result.name,
      result.wallSeconds.toFixed(2),
      Math.round(result.peakRssBytes / 1e6),
      Math.round(result.podsPerSecond),
      figure(result.p50Us),
      figure(result.p99Us),
      figure(result.anchor),
      result.ratio === null ? '–' : `${result.ratio.toFixed(1)}×`,
      result.hash.slice(0, 12),
    ]);
  }
  return `${table.toString()}\n`;
}

function figure(value: number | null): string {
  return value === null ? '–' : String(Math.round(value * 10) / 10);
}
