import { hostname } from 'node:os';
import type { Command } from 'commander';
import { durationMs, serveQueue } from '../../index.js';
import { interruption } from '../input/interruption.js';
import { durationFlag, integerFlag } from '../input/number-option.js';
import { addQueueName } from '../input/queue-options.js';
import { VERSION } from '../input/version.js';

interface WorkerFlags {
  readonly queue: string;
  readonly queueName: string;
  readonly workers: number;
  readonly name?: string;
  readonly idle?: string;
  readonly lostAfter: string;
}

/** Adds `kubeloom worker`; `finish` is told the exit code. */
export function addWorkerCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('worker')
    .description('play what sweeps and searches have put into a queue, until it is told to end')
    .requiredOption('--queue <url>', 'redis://…, rediss://… or postgres://…');
  addQueueName(command)
    .option('--workers <n>', 'threads that play', integerFlag('--workers', 1, 1024), 1)
    .option('--name <name>', 'how rows call this machine (default: its host name and process)')
    .option('--idle <duration>', 'ends when there was nothing to do for so long, such as 10m', durationFlag('--idle'))
    .option(
      '--lost-after <duration>',
      'a worker that is gone for so long has lost its jobs, and others play them',
      durationFlag('--lost-after'),
      '30s',
    )
    .allowExcessArguments(false)
    .action(async (flags: WorkerFlags) => finish(await work(flags)));
}

async function work({ queue, queueName, workers, name, idle, lostAfter }: WorkerFlags): Promise<number> {
  const machine = name ?? `${hostname()}/${process.pid}`;
  let [jobs, runs] = [0, 0];
  await serveQueue({
    url: queue,
    name: queueName,
    workers,
    machine,
    lostAfterMs: durationMs('--lost-after', lostAfter),
    signal: interruption.signal,
    ...(idle === undefined ? {} : { idleMs: durationMs('--idle', idle) }),
    onReady: () => {
      const threads = workers === 1 ? '1 thread' : `${workers} threads`;
      process.stderr.write(`kubeloom ${VERSION}: ${machine} plays on ${threads}\n`);
    },
    onJob: (count, seconds) => {
      jobs += 1;
      runs += count;
      process.stderr.write(`${jobs} jobs, ${runs} runs; the last took ${seconds.toFixed(1)} s\n`);
    },
  });
  return 0;
}
