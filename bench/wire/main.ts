/**
 * `npm run wire -- MEASUREMENT [--nodes N] [--pods N] [--watchers N] [--limit SECONDS] [--programs FOLDER] [--manifests FOLDER]`: what is measured of a
 * served cluster, from outside.
 */
import { programOptions } from '../program-options.js';
import { runNeighbours } from './neighbours.js';
import { runRequestRates } from './request-rates.js';
import { runLists, runReadiness } from './scale.js';
import { runWatchers } from './watchers.js';

const MEASUREMENTS = ['readiness', 'lists', 'watchers', 'requests', 'neighbours'];

const { values, positionals } = programOptions('wire', {
  allowPositionals: true,
  options: {
    nodes: { type: 'string', default: '1000' },
    pods: { type: 'string', default: '5000' },
    programs: { type: 'string' },
    manifests: { type: 'string' },
    limit: { type: 'string', default: '600' },
    watchers: { type: 'string', default: '100' },
  },
});
const [word = ''] = positionals;

function refuse(text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = 2;
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** @returns `undefined` where it is none */
function wholeNumber(name: 'nodes' | 'pods' | 'limit' | 'watchers'): number | undefined {
  if (/^\d{1,6}$/.test(values[name])) return Number(values[name]);
  refuse(`--${name} must be an integer in 0..999999, got ${values[name]}`);
  return undefined;
}

async function main(): Promise<void> {
  const [nodes, pods, limitSeconds, watchers] = (['nodes', 'pods', 'limit', 'watchers'] as const).map(wholeNumber);
  if (nodes === undefined || pods === undefined || limitSeconds === undefined || watchers === undefined) return;
  if (word === 'neighbours') {
    const { programs, manifests } = values;
    if (programs === undefined) return refuse('--programs must name a folder with the real programs');
    const isReady = await runNeighbours({ programs, manifests, nodes, pods, limitSeconds, tell });
    if (!isReady) process.exitCode = 1;
  } else if (word === 'readiness') await runReadiness({ nodes, pods, tell });
  else if (word === 'lists') await runLists({ nodes, pods, tell });
  else if (word === 'requests') await runRequestRates({ nodes, tell });
  else if (word === 'watchers') {
    if (!(await runWatchers({ nodes, pods, watchers, limitSeconds, tell }))) process.exitCode = 1;
  } else refuse(`the measurement must be one of ${MEASUREMENTS.join(', ')}, got ${word}`);
}

await main();
