/**
 * `npm run conformance -- FILE… [--workers N] [--plain | --eager] [--kubectl PROGRAM | none] [--json]`: replays decisions
 * recorded from the real kube-scheduler against ours, stories of a whole control plane (stories/), and what kubectl
 * and a real API server said to each other (wire/), told apart by their first line, and prints per file what was
 * compared and what differs. Exit code 1 when anything does, 2 for bad input.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { SingleBar } from 'cli-progress';
import { createAhead } from './ahead.js';
import { parseLine, readLines, RecordingError, type JsonObject } from './recorded-lines.js';
import { readRecordings } from './recording.js';
import { emptyReport, replayScenario, type ReplayReport } from './replay.js';
import { replayStory, type StoryReport } from './stories/replay-story.js';
import { isStoryLine, readStories, type Story } from './stories/story.js';
import { stepOf, storyText } from './stories/story-text.js';
import { findKubectl, versionOf } from './wire/kubectl.js';
import { replayWire } from './wire/replay-wire.js';
import type { WireReport } from './wire/tally.js';
import { isWireLine, readWireRecording, recordedMinor } from './wire/wire-recording.js';
import { wireText } from './wire/wire-text.js';
import type { Forms } from './world.js';

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
      eager: { type: 'boolean', default: false },
      kubectl: { type: 'string' },
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
  const told: ToldStory[] = [];
  const wires: (readonly [name: string, report: WireReport])[] = [];
  for (const file of positionals) {
    const first = firstLine(file);
    if (isWireLine(first)) wires.push([familyOf(file), await replayWireFile(file, values.kubectl)]);
    else if (isStoryLine(first)) told.push(...(await replayStoryFile(file)));
    else reports.push(await replayFile(file, workers, { isPlain: values.plain, isEager: values.eager }));
  }
  if (values.json) {
    const wire = wires.map(([recording, report]) => ({ recording, ...report }));
    process.stdout.write(`${JSON.stringify({ reports, stories: told.map(plainStory), wire })}\n`);
  } else {
    if (reports.length > 0) process.stdout.write(textOf(reports));
    if (wires.length > 0) process.stdout.write(wireText(wires));
    for (const { name, story, report } of told) process.stdout.write(storyText(name, story, report));
  }
  const isSame =
    reports.every(({ mismatches }) => mismatches.length === 0) &&
    wires.every(([, { differing }]) => differing.length === 0) &&
    told.every(({ report }) => report.differences.length === 0);
  return isSame ? 0 : 1;
}

interface ToldStory {
  readonly name: string;
  readonly story: Story;
  readonly report: StoryReport;
}

/** @throws RecordingError for a file without lines, or with a first line that is not JSON */
function firstLine(file: string): JsonObject {
  const [first] = readLines(file);
  if (first === undefined) throw new RecordingError(`${file}:1: the file is empty`);
  return parseLine(file, ...first);
}

function familyOf(file: string): string {
  return path.basename(file).replace(/\.jsonl(\.gz)?$/, '');
}

/** @param kubectl - a program, or `none`; absent = the recorded version, where it is found */
async function replayWireFile(file: string, kubectl: string | undefined): Promise<WireReport> {
  const commands = readWireRecording(file);
  const program = kubectl === 'none' ? undefined : (kubectl ?? findKubectl(recordedMinor(commands)));
  if (kubectl !== undefined && program !== undefined && versionOf(program) === undefined) {
    throw new Error(`--kubectl must be a kubectl or \`none\`, got ${JSON.stringify(kubectl)}`);
  }
  return replayWire(commands, { kubectl: program });
}

async function replayStoryFile(file: string): Promise<readonly ToldStory[]> {
  const name = familyOf(file);
  const stories = readStories(file);
  const told: ToldStory[] = [];
  for (const [index, story] of stories.entries()) {
    const isOnly = stories.length === 1;
    told.push({ name: isOnly ? name : `${name} #${index + 1}`, story, report: await replayStory(story) });
  }
  return told;
}

function plainStory({ name, story, report }: ToldStory): object {
  const differences = report.differences.map((each) => ({ mark: stepOf(story, each), ...each }));
  return { story: name, ...report, differences };
}

async function replayFile(file: string, workers: number, forms: Forms): Promise<FileReport> {
  const family = familyOf(file);
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
    await replayScenario(recording, report, { ...forms, ahead });
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
