import type { TimelineEntry } from '../index.js';

const HEAD = { time: 'TIME', pod: 'POD', source: 'SOURCE', by: 'BY', what: 'WHAT' };

/** Entries as a table, one line for each thing that happened; the pod is named where there are several. */
export function timelineText(entries: readonly TimelineEntry[]): string {
  const hasSeveral = new Set(entries.map(({ pod }) => pod)).size > 1;
  const rows = [HEAD, ...entries.flatMap(rowsOf)];
  const columns = (hasSeveral ? ['time', 'pod', 'source', 'by'] : ['time', 'source', 'by']) as (keyof typeof HEAD)[];
  const widths = new Map(columns.map((column) => [column, Math.max(...rows.map((row) => row[column].length))]));
  const lines = rows.map((row) => {
    const cells = columns.map((column) => row[column].padEnd(widths.get(column) ?? 0));
    return [...cells, row.what].join('  ');
  });
  return `${lines.join('\n')}\n`;
}

/** What one write changed stands on lines of its own, under one time. */
function rowsOf({ atMs, pod, source, by, text }: TimelineEntry): (typeof HEAD)[] {
  return text.map((what, index) =>
    index === 0 ? { time: clockText(atMs), pod, source, by, what } : { time: '', pod: '', source: '', by: '', what },
  );
}

/** `1h02m03.004s`: simulated time since the start of the cluster. */
function clockText(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = ((ms % 60_000) / 1000).toFixed(3);
  if (hours > 0) return `${hours}h${String(minutes).padStart(2, '0')}m${seconds.padStart(6, '0')}s`;
  return minutes > 0 ? `${minutes}m${seconds.padStart(6, '0')}s` : `${seconds}s`;
}
