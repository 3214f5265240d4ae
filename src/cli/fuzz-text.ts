import type { Discovery, SearchSummary } from '../index.js';
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
  const { seeds, virtualMs, actions, refused, evaluated, asked, discoveries } = summary;
  const hours = virtualMs / HOUR_MS;
  const rate = `${(seeds / seconds).toFixed(1)} seeds/s, ${Math.round(hours / (seconds / 3600))} simulated hours per hour`;
  return [
    `${seeds} seeds, ${hours.toFixed(1)} simulated hours in ${seconds.toFixed(1)} s (${rate})`,
    `actions: ${countsText(actions)}; refused: ${refused}`,
    `invariants evaluated: ${countsText(evaluated)}`,
    `risks taken knowingly: ${asked}`,
    `violations: ${discoveries.length === 0 ? 'none' : discoveries.map(({ seed }) => `seed ${seed}`).join(', ')}`,
    '',
  ].join('\n');
}

function countsText(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
}
