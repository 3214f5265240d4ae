/**
 * `npm run ways -- [WORKLOAD…] [--percentage LIST] [--rounds N] [--seed TEXT]`: by workload, which ways its pods are
 * decided in, what an attempt costs, and how many times as much without each of them. Exit code 2 for bad input.
 */
import Table from 'cli-table3';
import { ownWorkloadFiles, readWorkloads } from '../../src/cli/bench/bench-files.js';
import { measuredPlan } from '../measured-plan.js';
import { programOptions } from '../program-options.js';
import { measureWays, SWITCHES, type WayCosts } from './way-costs.js';

const ANCHORS = ['basic', 'hetero', 'spread', 'antiaffinity', 'affinity', 'preempt'];
const DEFAULT = [...ANCHORS.map((name) => `anchor/${name}/5000Nodes`), 'DifferentPods/5000Nodes_10000Pods'];

const { values, positionals } = programOptions('ways', {
  allowPositionals: true,
  options: {
    percentage: { type: 'string', default: '0,100' },
    rounds: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
  },
});
const fileOf = new Map(
  ownWorkloadFiles().flatMap((file) => readWorkloads(file, undefined).map(({ name }) => [name, file] as const)),
);
const workloads = positionals.length === 0 ? DEFAULT : positionals;
const percentages = values.percentage.split(',').map(Number);
const rounds = Number(values.rounds);
const fault = faultOf();
if (fault === undefined) await main();
else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 2;
}

async function main(): Promise<void> {
  const table = new Table({
    style: { head: [], border: [] },
    head: ['workload', 'nodes %', 'µs', ...SWITCHES.map(({ name }) => `without ${name}`), 'decided by'],
  });
  for (const workload of workloads) {
    for (const percentage of percentages) {
      const plan = measuredPlan({
        file: fileOf.get(workload) as string,
        workload,
        mode: 'algorithm',
        percentageOfNodesToScore: percentage,
        workers: 0,
        seed: values.seed,
        rounds,
      });
      const costs = await measureWays(plan, { percentage, rounds, seed: values.seed });
      table.push([workload, percentage === 0 ? 'adaptive' : percentage, ...cellsOf(costs)]);
    }
  }
  process.stdout.write(`${table.toString()}\n`);
}

function cellsOf({ shares, attemptUs, without }: WayCosts): string[] {
  const factors = SWITCHES.map(({ name }) => {
    const factor = without.get(name);
    return factor === undefined ? '' : `${factor.toFixed(2)}×`;
  });
  const ways = [...shares].map(([{ way, reason }, share]) => `${(100 * share).toFixed(1)} % ${way}: ${reason}`);
  return [attemptUs.toFixed(1), ...factors, ways.join('\n')];
}

function faultOf(): string | undefined {
  const unknown = workloads.find((name) => !fileOf.has(name));
  if (unknown !== undefined) return `workload must be one that \`npm run bench -- --list\` shows, got ${unknown}`;
  if (!percentages.every((each) => Number.isInteger(each) && each >= 0 && each <= 100))
    return `--percentage must be integers in 0..100, got ${values.percentage}`;
  if (!Number.isInteger(rounds) || rounds < 1) return `--rounds must be an integer of at least 1, got ${values.rounds}`;
  return undefined;
}
