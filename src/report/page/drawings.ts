/** What of a run is drawn without a library: what happened when, how startups are distributed, the course of pods. Pure. */
import type { MetricReading } from '../../measurements/metric-store.js';
import type { RunMark } from '../../measurements/measurement.js';
import type { PodStoryline } from '../../measurements/pod-metrics.js';
import type { RunSummary } from '../run-summary.js';
import { svg } from './heat-map.js';
import { durationText, escapeHtml, numberText, roundTimes } from './html.js';

const WIDTH = 1000;
const LABEL_WIDTH = 120;
const LANE = 24;

/** Lanes of what happened, in their order. */
const LANES: readonly (readonly [kind: RunMark['kind'], label: string])[] = [
  ['step', 'steps'],
  ['fault', 'faults'],
  ['violation', 'broken promises'],
  ['expectation', 'expectations'],
  ['note', 'remarks'],
];

/** A mark with its number; equal ones of one moment that follow each other are told together. */
export interface NumberedMark extends RunMark {
  /** Such as `4`, or `4–33`. */
  readonly number: string;
}

/** Every mark with its number, by which charts name it; those of one kind and time as one. */
export function groupedMarks({ marks }: RunSummary): readonly NumberedMark[] {
  const groups: { mark: RunMark; first: number; last: number }[] = [];
  marks.forEach((mark, index) => {
    const group = groups.at(-1);
    if (group !== undefined && isSameMoment(group.mark, mark)) group.last = index + 1;
    else groups.push({ mark, first: index + 1, last: index + 1 });
  });
  return groups.map(({ mark, first, last }) => {
    if (first === last) return { ...mark, number: String(first) };
    return { ...mark, number: `${first}–${last}`, text: `${mark.text} and ${last - first} more` };
  });
}

function isSameMoment(left: RunMark, right: RunMark): boolean {
  return left.kind === right.kind && left.atMs === right.atMs && left.untilMs === right.untilMs && left.ok === right.ok;
}

/** Faults and steps on the axis of time. */
export function markLanes(summary: RunSummary): string {
  const { startMs, endMs } = summary;
  const scale = (WIDTH - LABEL_WIDTH - 20) / Math.max(1, endMs - startMs);
  const lanes = LANES.filter(([kind]) => summary.marks.some((mark) => mark.kind === kind));
  const drawn = lanes.map(([kind, label], lane) => {
    const y = lane * LANE;
    const marks = groupedMarks(summary).filter((mark) => mark.kind === kind);
    const shapes = marks.map((mark) => markShape(mark, y, LABEL_WIDTH + (mark.atMs - startMs) * scale, scale, endMs));
    return `<text x="${LABEL_WIDTH - 8}" y="${y + 16}" text-anchor="end">${label}</text><line class="rule" x1="${LABEL_WIDTH}" x2="${WIDTH}" y1="${y + LANE - 1}" y2="${y + LANE - 1}"/>${shapes.join('')}`;
  });
  const bottom = lanes.length * LANE + 14;
  const ticks = roundTimes(endMs - startMs).map(
    (ms) => `<text x="${LABEL_WIDTH + ms * scale}" y="${bottom}" text-anchor="middle">${durationText(ms)}</text>`,
  );
  return svg('What happened when', WIDTH, bottom + 6, `${drawn.join('')}${ticks.join('')}`);
}

function markShape(
  { atMs, untilMs, kind, text, ok, number }: NumberedMark,
  y: number,
  x: number,
  scale: number,
  endMs: number,
): string {
  const title = `<title>${number}: ${escapeHtml(text)} (${durationText(atMs)})</title>`;
  if (kind === 'fault') {
    const width = Math.max(3, ((untilMs ?? endMs) - atMs) * scale);
    return `<g><rect class="mark fault" x="${x}" y="${y + 4}" width="${width}" height="${LANE - 9}" rx="2"/><text class="mark-number" x="${x + 3}" y="${y + 16}">${number}</text>${title}</g>`;
  }
  const shape =
    ok === false
      ? `<path class="mark bad" d="M${x - 5} ${y + 6}l10 10m0 -10l-10 10"/>`
      : `<circle class="mark ${kind}" cx="${x}" cy="${y + 11}" r="5"/>`;
  // At the right edge a number stands before its mark.
  const [place, anchor] = x > WIDTH - 20 - 7 * number.length ? [x - 8, 'end'] : [x + 7, 'start'];
  return `<g>${shape}<text class="mark-number" x="${place}" y="${y + 15}" text-anchor="${anchor}">${number}</text>${title}</g>`;
}

/** How long startups took: bars by length, with how many there were. */
export function distribution(readings: readonly MetricReading[], title: string): string {
  const shown = readings.filter(({ values }) => (values['count'] ?? 0) > 0);
  const bounds = shown[0]?.histogram?.bounds ?? [];
  const counts = shown.map(({ histogram, values }) => {
    const upTo = [...(histogram?.upTo ?? []), values['count'] ?? 0];
    return upTo.map((count, index) => count - (upTo[index - 1] ?? 0));
  });
  const used = Array.from({ length: bounds.length + 1 }, (_, index) => index).filter((index) =>
    counts.some((each) => (each[index] ?? 0) > 0),
  );
  const [first = 0] = used;
  const last = used.at(-1) ?? 0;
  const most = Math.max(1, ...counts.flat());
  const group = (WIDTH - 40) / Math.max(1, last - first + 1);
  const width = Math.min(60, group / Math.max(1, shown.length) - 4);
  const base = 200;
  const bars = Array.from({ length: last - first + 1 }, (_, offset) => first + offset).map((index) => {
    const x = 20 + (index - first) * group + group / 2;
    const each = counts.map((count, line) => {
      const value = count[index] ?? 0;
      const height = (value / most) * (base - 30);
      const left = x - (width * counts.length) / 2 + line * width;
      const label =
        value > 0
          ? `<text class="bar-value" x="${left + width / 2}" y="${base - height - 4}" text-anchor="middle">${numberText(value)}</text>`
          : '';
      return `<rect class="bar b${line}" x="${left}" y="${base - height}" width="${Math.max(1, width - 2)}" height="${height}"/>${label}`;
    });
    const upper = bounds[index];
    const text = upper === undefined ? `> ${durationText(bounds.at(-1) ?? 0)}` : `≤ ${durationText(upper)}`;
    const row = last - first > 10 ? (index - first) % 2 : 0;
    return `${each.join('')}<text x="${x}" y="${base + 16 + row * 15}" text-anchor="middle">${text}</text>`;
  });
  return svg(
    title,
    WIDTH,
    base + 41,
    `<line class="rule" x1="10" x2="${WIDTH - 10}" y1="${base}" y2="${base}"/>${bars.join('')}`,
  );
}

/** Parts of the way of a pod, with the letters that name them in its bar. */
const PARTS = [
  { from: 'created', to: 'scheduled', letter: 'Q', label: 'waits for a node', level: 0 },
  { from: 'scheduled', to: 'pull began', letter: 'N', label: 'reaches its node, volumes, sandbox', level: 1 },
  { from: 'pull began', to: 'pull ended', letter: 'P', label: 'images are pulled', level: 2 },
  { from: 'pull ended', to: 'started', letter: 'S', label: 'containers start', level: 3 },
  { from: 'started', to: 'ready', letter: 'R', label: 'becomes Ready', level: 4 },
] as const;

/** What the letters mean. */
export function partLegend(): string {
  return `<p class="legend">${PARTS.map(({ letter, label, level }) => `<span class="part-key p${level}">${letter}</span> ${label}`).join(' · ')}; init containers run between N and S</p>`;
}

/** The course of a pod as a bar, against the slowest of all. */
export function podBar({ moments }: PodStoryline, longestMs: number): string {
  const at = new Map(moments.map(({ what, atMs }) => [what, atMs]));
  const createdMs = at.get('created') ?? 0;
  const scale = 600 / Math.max(1, longestMs);
  const bars: string[] = [];
  let beginMs = createdMs;
  for (const { to, letter, level, label } of PARTS) {
    // A pod without a pull goes on from where it was.
    const endMs = at.get(to);
    if (endMs === undefined || endMs < beginMs) continue;
    const x = (beginMs - createdMs) * scale;
    const width = (endMs - beginMs) * scale;
    const text =
      width > 12 ? `<text class="part-letter" x="${x + width / 2}" y="12" text-anchor="middle">${letter}</text>` : '';
    bars.push(
      `<g><rect class="part p${level}" x="${x}" y="0" width="${Math.max(0.5, width)}" height="16"/>${text}<title>${label}: ${durationText(endMs - beginMs)}</title></g>`,
    );
    beginMs = endMs;
  }
  return `<svg class="pod-bar" viewBox="0 0 600 16" role="img" aria-label="course of the pod">${bars.join('')}</svg>`;
}
