/** What a replay of recordings comes to, for people. */
import Table from 'cli-table3';
import type { Count, PlacedDifference, WireReport } from './tally.js';

/** Differences of a file that are told in full, and letters of each side. */
const MOST_TOLD = 12;
const LONGEST = 240;
/** Letters before the place in which long texts part. */
const BEFORE = 60;

/** The reports by the names of their files. */
export function wireText(reports: readonly (readonly [name: string, report: WireReport])[]): string {
  const table = new Table({
    head: ['recording', 'commands', 'requests', 'same status', 'same body', 'same output', 'left out', 'differences'],
    style: { head: [], border: [], compact: true },
  });
  const told: string[] = [];
  for (const [name, report] of reports) {
    const { commands, requests, status, bodies, outputs, leftOut, differing } = report;
    const left = Object.values(leftOut).reduce((sum, count) => sum + count, 0);
    const differences = differing.flatMap((each) => each.differences.map((difference) => ({ ...each, difference })));
    table.push([name, commands, requests, share(status), share(bodies), share(outputs), left, differences.length]);
    for (const [cause, count] of Object.entries(leftOut)) told.push(`${name}: left out ${count}: ${cause}`);
    for (const { line, command, difference } of differences.slice(0, MOST_TOLD)) {
      told.push(`${name}:${line}: ${command}\n${differenceText(difference)}`);
    }
    const more = differences.length - MOST_TOLD;
    if (more > 0) told.push(`${name}: and ${more} more differences (--json has all)`);
  }
  return `${table.toString()}\n${told.map((line) => `${line}\n`).join('')}`;
}

function share({ same, of }: Count): string {
  return of === 0 ? '-' : `${same} of ${of}`;
}

function differenceText({ request, field, recorded, ours }: PlacedDifference): string {
  const [left, right] = [recorded, ours].map((value) => JSON.stringify(value) ?? 'nothing') as [string, string];
  const from = left.length > LONGEST || right.length > LONGEST ? beforeDifference(left, right) : 0;
  return [`  ${request}`, `  ${field}`, `    recorded ${cut(left, from)}`, `    ours     ${cut(right, from)}`].join(
    '\n',
  );
}

/** Where to begin with two long texts: a little before they part. */
function beforeDifference(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return Math.max(0, at - BEFORE);
}

function cut(text: string, from: number): string {
  const end = from + LONGEST;
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${text.length > end ? '…' : ''}`;
}
