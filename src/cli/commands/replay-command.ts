import type { Command } from 'commander';
import { parseFound, playPlan, readHistory, type ScenarioEntry } from '../../index.js';
import { clockText } from '../texts/clock-text.js';
import { InterruptedError, interruption } from '../input/interruption.js';
import { addFromOption } from '../input/from-option.js';
import { fileFlag } from '../input/measurement-options.js';
import { integerFlag, positiveFlag } from '../input/number-option.js';
import { isRecording } from '../input/recording-file.js';
import { readInput } from '../input/read-input.js';
import { UsageError } from '../input/usage-error.js';
import { replayHistory, windowFlag, type HistoryFlags } from './replay-history.js';
import { replayRequests } from './replay-requests.js';
import { entryText } from '../texts/scenario-text.js';

interface ReplayFlags extends HistoryFlags {
  readonly timeline?: true;
  readonly workers?: number;
}

/** Adds `kubeloom replay`; `finish` is told the exit code. */
export function addReplayCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('replay')
    .description(
      'play again what kubeloom fuzz has found, what kubeloom serve, kwokctl or SimKube has recorded, or an audit log of an API server',
    )
    .argument('<file>', 'the file')
    .option('--timeline', 'tell everything that happens: actions, writes, events, processes')
    .option(
      '--workers <n>',
      'worker threads of the scheduler, in place of those of the file',
      integerFlag('--workers', 0, 64),
    )
    .option(
      '--nodes <n>',
      'of a recording of another cluster: its nodes, where it has none of its own (default: 100)',
      integerFlag('--nodes', 0, 100_000),
    )
    .option('--node-groups <file>', 'of such a recording: its nodes in detail, a list of groups as YAML or JSON')
    .option('--compress <factor>', 'of such a recording: divides all times by this', positiveFlag('--compress', 1e9))
    .option('--window <start..end>', 'of such a recording: a part of its time, such as 10m..1h', windowFlag)
    .option('--exclude-namespace <name...>', 'of such a recording: namespaces of which nothing is played')
    .option('--seed <seed>', 'of such a recording: what everything random comes from')
    .option(
      '--save <file>',
      'of a recording: write the cluster as it is at the end, for --from; a name that ends in .gz has it compressed',
      fileFlag('--save'),
    )
    .option('--json', 'of such a recording: prints what became of it as one JSON object');
  addFromOption(command)
    .allowExcessArguments(false)
    .action(async (file: string, flags: ReplayFlags) => finish(await replay(file, flags)));
}

async function replay(file: string, { timeline, workers, ...flags }: ReplayFlags): Promise<number> {
  const text = readInput('FILE', file);
  const history = readHistory(file);
  if (history !== undefined) return replayHistory(history, flags);
  checkOfOtherClusters(flags);
  if (isRecording(text)) return replayRequests(text, file, flags.save);
  if (flags.save !== undefined) throw new UsageError('--save cannot be given with what kubeloom fuzz has found');
  const found = parseFound(text, file);
  const outcome = await playPlan(found.plan, {
    workers,
    onEntry: timeline === true ? print : undefined,
    signal: interruption.signal,
  });
  if (interruption.isRaised) {
    const { virtualMs, traceHash } = outcome;
    throw new InterruptedError(`after ${clockText(virtualMs)} of simulated time, trace hash ${traceHash}`);
  }
  const [violation] = outcome.violations;
  const lines =
    violation === undefined
      ? ['no promise was broken']
      : [`${clockText(violation.atMs)}  ${violation.invariant}  ${violation.object}: ${violation.text}`];
  const { isSame, comparison } = compared(found, { ...outcome, broken: violation?.invariant });
  lines.push(`trace hash ${outcome.traceHash}, ${comparison}`);
  process.stdout.write(`${lines.join('\n')}\n`);
  return isSame ? 0 : 1;
}

/** Options of recordings of other clusters mean nothing for what kubeloom itself has written. @throws UsageError */
function checkOfOtherClusters({ save: _save, ...flags }: Omit<ReplayFlags, 'timeline' | 'workers'>): void {
  const [given] = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given === undefined) return;
  const option = `--${given.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UsageError(`${option} is of recordings of other clusters: this file has everything that its run needs`);
}

/** How two plays of a plan stand to each other: the hash, and the promise that was broken. */
function compared(
  found: { readonly traceHash: string; readonly invariant: string },
  { traceHash, broken }: { readonly traceHash: string; readonly broken: string | undefined },
): { readonly isSame: boolean; readonly comparison: string } {
  // A run that broke down came to no hash.
  const hasSameHash = found.traceHash === '' || traceHash === found.traceHash;
  const isSame = hasSameHash && broken === found.invariant;
  if (isSame) return { isSame, comparison: 'as it was found' };
  if (found.traceHash === '') return { isSame, comparison: 'but it broke down when it was found' };
  if (hasSameHash) return { isSame, comparison: `as it was found, but then it broke ${found.invariant}` };
  return { isSame, comparison: `but it was found as ${found.traceHash}` };
}

function print(entry: ScenarioEntry): void {
  process.stdout.write(entryText(entry));
}
