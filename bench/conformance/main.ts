/**
 * `npm run conformance -- FILE… [--workers N] [--plain] [--json]`: replays decisions recorded from the real
 * kube-scheduler against ours, and prints per file what was compared and what differs. Exit code 1 when
 * anything does, 2 for bad input.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { SingleBar } from 'cli-progress';
import { createAhead } from './ahead.js';
import { readRecordings } from './recording.js';
import { emptyReport, replayScenario, type ReplayReport } from './replay.js';

/** Mismatches that are printed in full. */
const SHOWN = 5;

interface FileReport extends ReplayReport {
  readonly family: string;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      workers: { type: 'string', default: '0' },
      plain: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const workers = Number(values.workers);
  if (!Number.isInteger(workers) || workers < 0 || workers > 64) {
    throw new Error(`--workers must be an integer in 0..64, got ${JSON.stringify(values.workers)}`);
  }
  if (positionals.length === 0) throw new Error('name at least one file of recordings (.jsonl or .jsonl.gz)');
  const missing = positionals.find((file) => !existsSync(file));
  if (missing !== undefined) throw new Error(`cannot read ${missing}: no such file`);
  const reports: FileReport[] = [];
  for (const file of positionals) reports.push(await replayFile(file, workers, values.plain));
  process.stdout.write(values.json ? `${JSON.stringify({ reports })}\n` : textOf(reports));
  return reports.some(({ mismatches }) => mismatches.length > 0) ? 1 : 0;
}

async function replayFile(file: string, workers: number, isPlain: boolean): Promise<FileReport> {
  const family = path.basename(file).replace(/\.jsonl(\.gz)?$/, '');
  const recordings = readRecordings(file);
  const report: FileReport = { family, ...emptyReport() };
  const bar = process.stderr.isTTY
    ? new SingleBar({
        format: `${family} [{bar}] {value}/{total} scenarios`,
        stream: process.stderr,
        clearOnComplete: true,
      })
    : undefined;
  const ahead = createAhead(workers);
  bar?.start(recordings.length, 0);
  for (const recording of recordings) {
    await replayScenario(recording, report, { isPlain, ahead });
    bar?.increment();
  }
  bar?.stop();
  await ahead?.close();
  return report;
}

function textOf(reports: readonly FileReport[]): string {
  const table = new Table({
    head: ['family', 'decisions', 'compared', 'mismatches', 'by field'],
    style: { head: [], border: [], compact: true },
  });
  for (const { family, decisions, compared, mismatches } of reports) {
    const all = Object.values(compared).reduce((sum, count) => sum + count, 0);
    const byField = new Map<string, number>();
    for (const { field } of mismatches) {
      const [kind = field] = field.split(' ');
      byField.set(kind, (byField.get(kind) ?? 0) + 1);
    }
    const fields = [...byField].map(([field, count]) => `${field} ${count}`).join(', ');
    table.push([family, decisions, all, mismatches.length, fields]);
  }
  const examples = reports.flatMap(({ mismatches }) => mismatches).slice(0, SHOWN);
  return `${table.toString()}\n${examples.map((mismatch) => `${JSON.stringify(mismatch, undefined, 2)}\n`).join('')}`;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`conformance: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
