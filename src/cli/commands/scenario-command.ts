import { dirname, resolve } from 'node:path';
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import {
  parseScenario,
  runScenario,
  takeoverText,
  type Cluster,
  type RunIdentity,
  type Scenario,
  type ScenarioEntry,
  type ScenarioResult,
} from '../../index.js';
import { addFromOption, readFrom } from '../input/from-option.js';
import { interruption } from '../input/interruption.js';
import { addMeasurementOptions, isMeasured, type MeasurementFlags } from '../input/measurement-options.js';
import { readInput } from '../input/read-input.js';
import { FollowedProgress, type Standing } from '../texts/followed-progress.js';
import { writeResults } from '../texts/run-results.js';
import { entryText, resultText } from '../texts/scenario-text.js';

interface ScenarioFlags extends MeasurementFlags {
  readonly seed?: string;
  readonly from?: string;
  readonly json?: true;
  readonly timeline?: true;
}

/** Adds `kubeloom scenario`; `finish` is told the exit code. */
export function addScenarioCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('scenario')
    .description('play a scenario file: a cluster, its workloads, what happens to it when, and what is expected of it')
    .argument('<file>', 'the scenario, in YAML');
  addFromOption(command, ', beside the nodes of the file');
  addMeasurementOptions(command)
    .option('--seed <seed>', 'in place of the seed in the file')
    .option('--timeline', 'also tell the story of every pod: writes, events, processes')
    .option('--json', 'print one JSON object for each thing that happens, and one for the result')
    .allowExcessArguments(false)
    .action(async (file: string, flags: ScenarioFlags) => finish(await play(file, flags)));
}

async function play(file: string, flags: ScenarioFlags): Promise<number> {
  const { seed, json, timeline, threshold } = flags;
  const folder = dirname(file);
  const written = parseScenario(readInput('FILE', file), file, (path) => readFileSync(resolve(folder, path), 'utf8'));
  const scenario = flags.from === undefined ? written : startedFrom(written, flags.from);
  let played: Cluster | undefined;
  const progress = new FollowedProgress(process.stderr, () => played && standingOf(scenario, played));
  const onEntry = (entry: ScenarioEntry): void =>
    progress.aside(() => process.stdout.write(json === true ? `${JSON.stringify(entry)}\n` : entryText(entry)));
  const { measured, ...result } = await runScenario(scenario, {
    seed,
    timeline: timeline === true,
    thresholds: threshold,
    measure: isMeasured(flags),
    onEntry,
    prepare: (cluster) => {
      played = cluster;
    },
    signal: interruption.signal,
  }).finally(() => progress.end());
  process.stdout.write(json === true ? `${JSON.stringify({ type: 'result', ...result })}\n` : resultText(result));
  if (measured !== undefined) await writeResults(flags, measured, identityOf(scenario, result));
  return result.isMet ? 0 : 1;
}

/** By the simulated time up to which something may happen in it; it may end sooner. */
function standingOf({ endMs }: Scenario, { nowMs, pods }: Cluster): Standing {
  const text = `${(nowMs / 1000).toFixed(1)}s of ${(endMs / 1000).toFixed(1)}s simulated · ${pods.total} pods`;
  return { title: 'scenario', total: Math.ceil(endMs / 1000), done: Math.floor(nowMs / 1000), text };
}

/** Where the file does not say how many nodes there are, they are those that are taken over. */
function startedFrom(scenario: Scenario, path: string): Scenario {
  const from = readFrom(path);
  process.stderr.write(`${takeoverText(from)}\n`);
  return { ...scenario, cluster: { nodes: 0, ...scenario.cluster, from } };
}

function identityOf(scenario: Scenario, result: ScenarioResult): Omit<RunIdentity, 'program'> {
  const { seed, traceHash, epochMs, thresholds, expectations, refusals } = result;
  const checks = [
    ...expectations.map(({ title, isMet, problem = null, atMs }) => ({ name: title, ok: isMet, problem, atMs })),
    ...refusals.map((refusal) => ({ name: refusal, ok: false, problem: 'it was refused', atMs: null })),
  ];
  const title = scenario.title ?? scenario.source;
  return { title, kind: 'scenario', seed, traceHash, epochMs, checks, thresholds };
}
