import { FAULT_VERBS, type Discovery, type SearchSummary } from '../../index.js';
import { clockText } from './clock-text.js';

const HOUR_MS = 3_600_000;

/** What was found under one seed. */
export function foundLines({ seed, shrunk, shrunkOutcome, plan }: Discovery, file: string, version: string): string {
  const [violation] = shrunkOutcome.violations;
  if (violation === undefined) return '';
  const { invariant, promise, object, text, atMs } = violation;
  return [
    `seed ${seed} (version ${version}) broke ${invariant}: ${promise}`,
    `  ${clockText(atMs)}  ${object}: ${text}`,
    `  ${shrunk.actions.length} of ${plan.actions.length} actions and ${shrunk.workloads.length} of ${plan.workloads.length} objects matter:`,
    ...shrunk.actions.map((action) => `    ${JSON.stringify(action)}`),
    `  trace hash ${shrunkOutcome.traceHash}`,
    `  written to ${file}; play it again: npx kubeloom replay ${file} --timeline`,
    '',
  ].join('\n');
}

/** What a search has exercised. */
export function summaryLines(summary: SearchSummary, seconds: number): string {
  const { seeds, virtualMs, actions, refused, asked, discoveries } = summary;
  const { failedRequests, podsCreated, processesStarted } = summary;
  const hours = virtualMs / HOUR_MS;
  const rate = `${(seeds / seconds).toFixed(1)} seeds/s, ${Math.round(hours / (seconds / 3600))} simulated hours per hour`;
  return [
    `${seeds} seeds, ${hours.toFixed(1)} simulated hours in ${seconds.toFixed(1)} s (${rate})`,
    '',
    ...faultTable(summary),
    '',
    ...table(['promise', 'looked at', 'broken'], promiseRows(summary)),
    '',
    `what users did: ${countsText([...actions].filter(([verb]) => !FAULT_VERBS.some((each) => each === verb)))}`,
    `crashes: ${countsText([...summary.crashes])}`,
    `pods created: ${podsCreated}, runs of containers: ${processesStarted}, requests of components that failed: ${failedRequests}`,
    `actions refused: ${refused}, risks taken knowingly: ${asked}`,
    `violations: ${discoveries.length === 0 ? 'none' : discoveries.map(({ seed }) => `seed ${seed}`).join(', ')}`,
    '',
  ].join('\n');
}

/** Every kind of fault there is, also those that were never drawn. */
function faultTable({ actions, faults }: SearchSummary): readonly string[] {
  const rows = FAULT_VERBS.map((verb) => {
    const { injected = 0, tookEffect = 0, effects = 0 } = faults.get(verb) ?? {};
    const share = injected === 0 ? '' : `${Math.round((100 * tookEffect) / injected)} %`;
    return [verb, actions.get(verb) ?? 0, tookEffect, share, effects];
  });
  return table(['fault', 'planned', 'took effect', 'share', 'times'], rows);
}

function promiseRows({ evaluated, discoveries }: SearchSummary): readonly (readonly (string | number)[])[] {
  const broken = discoveries.map(({ outcome }) => outcome.violations[0]?.invariant);
  return [...evaluated].map(([name, times]) => [name, times, broken.filter((each) => each === name).length]);
}

/** Texts to the left, numbers to the right. */
function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): readonly string[] {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => String(cells[column]).length)));
  return lines.map((cells) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? String(cell).padEnd(width) : String(cell).padStart(width);
      })
      .join('  '),
  );
}

/** By name: parts of a search come back in any order. */
function countsText(counts: readonly (readonly [name: string, count: number])[]): string {
  const sorted = counts.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.length === 0 ? 'none' : sorted.map(([name, count]) => `${name} ${count}`).join(', ');
}
