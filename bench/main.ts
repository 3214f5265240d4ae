/**
 * The bench runner: `npm run bench -- [NAME|GROUP|LABEL …] [--json] [--workers N]`. Each workload
 * runs in a process of its own, so that one's memory does not count for another.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { formatTable } from './result-table.js';
import { runWorkload, type WorkloadResult } from './run-workload.js';
import { loadWorkloads, selectWorkloads } from './workload-file.js';

const OPTIONS = {
  json: { type: 'boolean', default: false },
  workers: { type: 'string', default: '0' },
  /** Set for the child that runs one workload. */
  child: { type: 'boolean', default: false },
} as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const workers = Number(values.workers);
  if (!Number.isInteger(workers) || workers < 0)
    throw new Error(`bench: --workers must be an integer >= 0, got ${JSON.stringify(values.workers)}`);
  const workloads = selectWorkloads(loadWorkloads(), positionals);
  const [first] = workloads;
  if (values.child && first !== undefined) {
    process.stdout.write(JSON.stringify(await runWorkload(first, { workers })));
    return 0;
  }
  const results: WorkloadResult[] = [];
  for (const { name } of workloads) {
    process.stderr.write(`${name} …\n`);
    results.push(runInChild(name, workers));
  }
  process.stdout.write(values.json ? `${JSON.stringify({ results }, undefined, 2)}\n` : formatTable(results));
  return 0;
}

function runInChild(name: string, workers: number): WorkloadResult {
  const args = [...process.execArgv, fileURLToPath(import.meta.url), name, '--child', '--workers', String(workers)];
  const child = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 24,
  });
  if (child.status !== 0)
    throw new Error(`bench: ${name} failed with exit code ${child.status ?? child.signal ?? 'unknown'}`);
  return JSON.parse(child.stdout) as WorkloadResult;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
