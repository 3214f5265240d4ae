/**
 * `npm run bench -- scale [CASE…] [--against DIR] [--repeat N] [--json]`: what it costs to run many nodes and many
 * pods, each case in processes of its own. With `--against` the same is asked of another build (its repository,
 * compiled), in turn with this one, since machines differ from minute to minute: the ratios of medians are what counts.
 * Processor time is told beside real time, because it does not hang on what else the machine does.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { largerHeapLimit } from '../../src/cli/heap-limit.js';
import { SCALE_CASES } from './cases.js';
import type { ScaleCase, ScaleResult } from './scale-case.js';
import { comparisonRows, comparisonText, type Comparison } from './comparison.js';

const PROCESS = fileURLToPath(new URL('scale-process.js', import.meta.url));
const OURS = fileURLToPath(new URL('../../..', import.meta.url));
const NODE_OPTIONS = ['--max-semi-space-size=32', '--expose-gc', ...heapOption()];
const REPEAT = 5;
const LARGEST_REPEAT = 99;

/** What cannot be done as it was asked for. */
class BadInput extends Error {}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof BadInput)) throw error;
  process.stderr.write(`kubeloom: ${error.message}\n`);
  process.exitCode = 2;
}

/** A million pods need more than the 4 GiB that Node allows at most by itself. */
function heapOption(): readonly string[] {
  const limit = largerHeapLimit();
  return limit === undefined ? [] : [`--max-old-space-size=${limit}`];
}

async function main(args: readonly string[]): Promise<void> {
  const { cases, against, repeat, isJson } = readArgs(args);
  const comparisons: Comparison[] = [];
  for (const { name } of cases) {
    process.stderr.write(`${name} …\n`);
    const ours: ScaleResult[] = [];
    const theirs: ScaleResult[] = [];
    for (let round = 0; round < repeat; round += 1) {
      ours.push(await measure(name, OURS));
      if (against !== undefined) theirs.push(await measure(name, against));
    }
    comparisons.push({ name, ours, theirs });
    if (!isJson) process.stdout.write(comparisonText(comparisons.slice(-1)));
  }
  if (isJson) process.stdout.write(`${JSON.stringify(comparisons.flatMap(comparisonRows), undefined, 2)}\n`);
}

interface Asked {
  readonly cases: readonly ScaleCase[];
  readonly against: string | undefined;
  readonly repeat: number;
  readonly isJson: boolean;
}

function readArgs(args: readonly string[]): Asked {
  const { values, positionals } = parsed(args);
  const { against, repeat = String(REPEAT), json: isJson = false } = values;
  const unknown = positionals.find((word) => !SCALE_CASES.some(({ name }) => isNamed(name, word)));
  if (unknown !== undefined) {
    throw new BadInput(`no case is called ${unknown}; known: ${SCALE_CASES.map(({ name }) => name).join(', ')}`);
  }
  const times = Number(repeat);
  if (!Number.isInteger(times) || times < 1 || times > LARGEST_REPEAT) {
    throw new BadInput(`--repeat must be an integer in 1..${LARGEST_REPEAT}, got ${repeat}`);
  }
  if (against !== undefined && !existsSync(path.join(against, 'dist/src/index.js'))) {
    throw new BadInput(`--against must be a folder with a compiled build in dist, got ${against}`);
  }
  const cases = SCALE_CASES.filter(({ name, isSmoke }) =>
    positionals.length === 0 ? isSmoke !== true : positionals.some((word) => isNamed(name, word)),
  );
  return { cases, against: against === undefined ? undefined : path.resolve(against), repeat: times, isJson };
}

function parsed(args: readonly string[]) {
  try {
    const options = { against: { type: 'string' }, repeat: { type: 'string' }, json: { type: 'boolean' } } as const;
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new BadInput((error as Error).message);
  }
}

function isNamed(name: string, word: string): boolean {
  return name === word || name.startsWith(`${word}/`);
}

async function measure(name: string, folder: string): Promise<ScaleResult> {
  const child = spawn(process.execPath, [...NODE_OPTIONS, PROCESS, name, folder], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const [result, problem] = await Promise.all([text(child.stdio[3] as Readable), text(child.stderr as Readable)]);
  if (result === '') throw new Error(`${name} of ${folder} came to nothing:\n${problem}`);
  return JSON.parse(result) as ScaleResult;
}
