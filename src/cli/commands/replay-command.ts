import type { Command } from 'commander';
import { parseFound, playPlan, type ScenarioEntry } from '../../index.js';
import { clockText } from '../texts/clock-text.js';
import { InterruptedError, interruption } from '../input/interruption.js';
import { integerFlag } from '../input/number-option.js';
import { isRecording } from '../input/recording-file.js';
import { readInput } from '../input/read-input.js';
import { replayRequests } from './replay-requests.js';
import { entryText } from '../texts/scenario-text.js';

interface ReplayFlags {
  readonly timeline?: true;
  readonly workers?: number;
}

/** Adds `kubeloom replay`; `finish` is told the exit code. */
export function addReplayCommand(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('replay')
    .description('play again what kubeloom fuzz has found, or kubeloom serve has recorded')
    .argument('<file>', 'the file')
    .option('--timeline', 'tell everything that happens: actions, writes, events, processes')
    .option(
      '--workers <n>',
      'worker threads of the scheduler, in place of those of the file',
      integerFlag('--workers', 0, 64),
    )
    .allowExcessArguments(false)
    .action(async (file: string, flags: ReplayFlags) => finish(await replay(file, flags)));
}

async function replay(file: string, { timeline, workers }: ReplayFlags): Promise<number> {
  const text = readInput('FILE', file);
  if (isRecording(text)) return replayRequests(text, file);
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
