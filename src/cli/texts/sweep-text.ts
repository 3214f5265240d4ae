import Table from 'cli-table3';
import type { SweepResult, VariantAggregate } from '../../index.js';

/** What is shown where a plan names no metrics. */
const SHOWN: readonly string[] = [
  'pod_startup_ms p(99)',
  'pod_scheduling_ms p(99)',
  'unschedulable max',
  'api_errors count',
];
const MOST_SHOWN = 6;
const MOST_PROBLEMS = 10;

/** A sweep for people: a line for each variant, what did not pass, and what came out differently. */
export function sweepText(
  { title, runs, kept, checked, mismatches, variants, shard }: SweepResult,
  isAll: boolean,
): string {
  const names = shownMetrics(variants, isAll);
  const table = new Table({
    head: ['variant', 'passed', ...names],
    style: { head: [], border: [] },
  });
  table.push(...variants.map((variant) => rowOf(variant, names)));
  const problems = variants.flatMap(({ variant, problems: own }) =>
    own.map(
      ({ problem, runs: count, seed }) =>
        `  ${variant}, seed ${seed}: ${problem}${count > 1 ? ` (${count} runs)` : ''}`,
    ),
  );
  const part = shard === null ? '' : ` (part ${shard.index} of ${shard.count})`;
  return [
    `${title}${part}: ${runs} runs${kept > 0 ? `, ${kept} of them kept from before` : ''}`,
    table.toString(),
    ...(names.length === 0 ? [] : ['median (10 % … 90 % of runs)']),
    ...(problems.length === 0 ? [] : ['did not pass:', ...problems.slice(0, MOST_PROBLEMS)]),
    checkText(checked, mismatches),
    '',
  ].join('\n');
}

function shownMetrics(variants: readonly VariantAggregate[], isAll: boolean): readonly string[] {
  const names = [...new Set(variants.flatMap(({ metrics }) => Object.keys(metrics)))];
  return (isAll ? names : names.filter((name) => SHOWN.includes(name))).slice(0, MOST_SHOWN);
}

function rowOf({ variant, runs, passed, metrics }: VariantAggregate, names: readonly string[]): string[] {
  const cells = names.map((name) => {
    const values = metrics[name];
    return values === undefined ? '' : `${text(values.med)} (${text(values.p10)} … ${text(values.p90)})`;
  });
  return [variant, `${passed}/${runs}`, ...cells];
}

function checkText(checked: number, mismatches: SweepResult['mismatches']): string {
  if (mismatches.length === 0) return `played twice: ${checked} runs, all came out the same`;
  const lines = mismatches.slice(0, MOST_PROBLEMS).map(({ variant, seed, runs }) => {
    const each = runs.map(
      ({ traceHash, machine, node }) => `${traceHash ?? 'broken off'} on ${machine} (Node ${node})`,
    );
    return `  ${variant}, seed ${seed}: ${each.join('; ')}`;
  });
  return [`played twice: ${checked} runs, ${mismatches.length} of them came out differently:`, ...lines].join('\n');
}

function text(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
