import type { TimelineEntry } from '../../index.js';
import { clockText } from './clock-text.js';

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
