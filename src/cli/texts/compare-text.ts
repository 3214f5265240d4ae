import Table from 'cli-table3';
import { METRICS, type CompareResult, type ComparedValue, type Comparison } from '../../index.js';

/** A comparison for people: what differs, the sure differences first; pods that were placed elsewhere. */
export function compareText({ seeds, summaries, comparisons }: CompareResult): string {
  const failed = summaries.map((group) => group.filter(({ passed }) => !passed).length);
  const lines = comparisons.map((comparison, index) =>
    comparisonText(comparison, seeds.length, [failed[0] ?? 0, failed[index + 1] ?? 0]),
  );
  return lines.join('\n');
}

function comparisonText(
  { before, after, values, placements, moves, verdict }: Comparison,
  seeds: number,
  failed: readonly [number, number],
): string {
  const differing = values.filter((value) => value.before !== value.after);
  const sorted = [...differing.filter(({ isSure }) => isSure), ...differing.filter(({ isSure }) => !isSure)];
  const table = new Table({
    head: ['value', 'A', 'B', 'difference by seed', '95 % confidence', 'B above A', 'sure', ''],
    style: { head: [], border: [] },
  });
  table.push(...sorted.map(rowOf));
  const share = placements.common === 0 ? 0 : (placements.moved / placements.common) * 100;
  const goals = failed.some((count) => count > 0)
    ? [`runs that did not come to their goal: ${failed[0]} of A, ${failed[1]} of B`]
    : [];
  return [
    `A: ${before}`,
    `B: ${after}`,
    ...verdict.sentences,
    `${seeds} seeds; ${differing.length} of ${values.length} values differ`,
    ...goals,
    ...(differing.length === 0 ? [] : [table.toString()]),
    `placed differently: ${placements.moved} of ${placements.common} pods that both placed (${share.toFixed(1)} %)`,
    ...moves.flatMap(({ pod, why }) => [`  ${pod}`, ...why.map((line) => `    ${line}`)]),
    '',
  ].join('\n');
}

function rowOf({
  metric,
  value,
  before,
  after,
  shift,
  interval,
  superiority,
  isSure,
  isBetter,
}: ComparedValue): string[] {
  const { unit } = METRICS[metric];
  return [
    `${metric} ${value}${unit === '' ? '' : `, ${unit}`}`,
    text(before),
    text(after),
    signed(shift),
    interval === undefined ? 'too few seeds' : `${signed(interval[0])} … ${signed(interval[1])}`,
    `${Math.round(superiority * 100)} %`,
    isSure ? 'yes' : 'no',
    isBetter === undefined ? '' : isBetter ? 'better' : 'worse',
  ];
}

function signed(value: number): string {
  return value > 0 ? `+${text(value)}` : text(value);
}

function text(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
