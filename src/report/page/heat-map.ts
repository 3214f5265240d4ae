/**
 * Heat maps as SVG. Cells of one level are one path, so that 5,000 nodes are eleven elements. The scale goes by
 * lightness, so that it can be read without colours and on paper. Pure.
 */
import type { RunSummary } from '../run-summary.js';
import { durationText, escapeHtml, roundTimes } from './html.js';

/** Steps of the scale: 0, more than 0 up to a tenth, … up to all, and more than all. */
const LEVELS = 12;
/** Columns of the map over time. */
const MOST_COLUMNS = 160;
const WIDTH = 1000;
const LABEL_WIDTH = 120;
const ROW = 26;
const CELL = 9;
const AXIS = 22;

/** What the map over time shows. */
export type HeatOf = 'cpu' | 'memory';

/** The level of a share: 1 = all. */
export function levelOf(share: number): number {
  if (share <= 0) return 0;
  return Math.min(LEVELS - 1, Math.ceil(share * 10 - 1e-9));
}

interface Square {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly share: number;
}

/** Zones over time: how much of what their nodes offer is asked for; a line says so where nothing is. */
export function zoneHeatMap(summary: RunSummary, of: HeatOf): string {
  const { series, startMs, endMs } = summary;
  const rows = series.levels.filter(({ name }) => name.startsWith(`${of} `));
  if (rows.every(({ values }) => values.every((value) => value === 0)))
    return `<p class="nothing">no pod asked for ${of === 'cpu' ? 'CPU' : 'memory'}</p>`;
  const columns = Math.min(MOST_COLUMNS, series.slots);
  const width = (WIDTH - LABEL_WIDTH - 60) / columns;
  const squares = rows.flatMap(({ values }, row) =>
    Array.from({ length: columns }, (_, column) => {
      const from = Math.floor((column * series.slots) / columns);
      const to = Math.max(from + 1, Math.floor(((column + 1) * series.slots) / columns));
      const share = Math.max(...values.slice(from, to));
      return { x: LABEL_WIDTH + column * width, y: row * ROW, width, height: ROW - 2, share };
    }),
  );
  const labels = rows.map(({ name, values }, row) => {
    const y = row * ROW + ROW / 2 + 3;
    const zone = name.slice(of.length + 1);
    const last = `${Math.round((values.at(-1) ?? 0) * 100)} %`;
    return `<text x="${LABEL_WIDTH - 8}" y="${y}" text-anchor="end">${escapeHtml(zone === '' ? 'no zone' : zone)}</text><text x="${WIDTH - 54}" y="${y}">${last}</text>`;
  });
  const height = rows.length * ROW + AXIS;
  const ticks = roundTimes(endMs - startMs).map((ms) => {
    const x = LABEL_WIDTH + (ms / Math.max(1, endMs - startMs)) * columns * width;
    return `<text x="${x}" y="${rows.length * ROW + 14}" text-anchor="middle">${durationText(ms)}</text>`;
  });
  const title = `${of === 'cpu' ? 'CPU' : 'Memory'} that pods ask for, by zone over time`;
  return svg(title, WIDTH, height, `${paths(squares)}${labels.join('')}${ticks.join('')}`);
}

/** Every node as a cell, zone by zone, by the most that was asked for of its CPU. */
export function nodeHeatMap({ zones }: RunSummary): string {
  const columns = Math.floor((WIDTH - LABEL_WIDTH) / CELL);
  const squares: Square[] = [];
  const labels: string[] = [];
  let top = 0;
  for (const { zone, names, peakCpu } of zones) {
    peakCpu.forEach((share, index) => {
      const x = LABEL_WIDTH + (index % columns) * CELL;
      squares.push({ x, y: top + Math.floor(index / columns) * CELL, width: CELL - 1, height: CELL - 1, share });
    });
    const height = Math.max(ROW, Math.ceil(names.length / columns) * CELL);
    labels.push(
      `<text x="${LABEL_WIDTH - 8}" y="${top + 11}" text-anchor="end">${escapeHtml(zone === '' ? 'no zone' : zone)}</text>`,
    );
    top += height + 6;
  }
  return svg(
    'The most that was asked for of the CPU of each node, zone by zone',
    WIDTH,
    top,
    `${paths(squares)}${labels.join('')}`,
  );
}

/** What the levels mean. */
export function heatLegend(): string {
  const cells = Array.from({ length: LEVELS }, (_, level) => {
    const text = level === 0 ? '0' : level === LEVELS - 1 ? '&gt;100' : String(level * 10);
    return `<span class="heat-key"><svg width="22" height="14" aria-hidden="true"><path class="heat h${level}" d="M0 0h22v14h-22z"/></svg>${text}</span>`;
  });
  return `<p class="legend">up to % of what is allocatable: ${cells.join(' ')}</p>`;
}

function paths(squares: readonly Square[]): string {
  const byLevel = new Map<number, string[]>();
  for (const { x, y, width, height, share } of squares) {
    const level = levelOf(share);
    const parts = byLevel.get(level) ?? [];
    byLevel.set(level, parts);
    parts.push(`M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`);
  }
  return [...byLevel]
    .toSorted(([a], [b]) => a - b)
    .map(([level, parts]) => `<path class="heat h${level}" d="${parts.join('')}"/>`)
    .join('');
}

function short(value: number): string {
  return String(Number(value.toFixed(2)));
}

/** A drawing that takes the width of its place. */
export function svg(title: string, width: number, height: number, content: string): string {
  return `<svg class="drawing" viewBox="0 0 ${width} ${Math.max(1, Math.ceil(height))}" role="img" aria-label="${escapeHtml(title)}"><title>${escapeHtml(title)}</title>${content}</svg>`;
}
