import { existsSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { durationMs, recordCluster } from '../../index.js';
import { clockText } from '../texts/clock-text.js';
import { interruption } from '../input/interruption.js';
import { durationFlag } from '../input/number-option.js';
import { UsageError } from '../input/usage-error.js';

interface RecordFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: string;
  readonly simkube?: string;
  readonly excludeNamespace?: readonly string[];
  readonly for?: string;
  readonly json?: true;
}

/** Adds `kubeloom record`; `finish` is told the exit code. */
export function addRecordCommand(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('record')
    .description('watch a real cluster and write down what users do to it, for kubeloom replay and SimKube')
    .option('--kubeconfig <file>', 'how to reach it (default: as kubectl finds it)')
    .option('--context <name>', 'a context of that file (default: its current one)')
    .option('-o, --output <file>', 'the recording; a name that ends in .gz has it compressed', 'recording.jsonl')
    .option('--simkube <file>', 'writes a trace of SimKube as well, such as trace.sktrace')
    .option('--exclude-namespace <name...>', 'namespaces of which nothing is recorded')
    .addOption(
      new Option(
        '--for <duration>',
        'ends by itself after so long, such as 30m (default: when it is told to)',
      ).argParser(durationFlag('--for')),
    )
    .option('--json', 'print what became of it as one JSON object')
    .allowExcessArguments(false)
    .action(async (flags: RecordFlags) => finish(await record(flags)));
}

async function record(flags: RecordFlags): Promise<number> {
  const { kubeconfig, context, output, simkube, excludeNamespace, for: duration, json } = flags;
  if (kubeconfig !== undefined && !existsSync(kubeconfig)) {
    throw new UsageError(`--kubeconfig ${kubeconfig}: there is no such file`);
  }
  const { objects, requests, leftOut, endMs } = await recordCluster({
    output,
    signal: interruption.signal,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    ...(simkube === undefined ? {} : { simkube }),
    ...(excludeNamespace === undefined ? {} : { excludeNamespaces: excludeNamespace }),
    ...(duration === undefined ? {} : { durationMs: Math.max(1, durationMs('--for', duration)) }),
    onStart: (count) => process.stderr.write(`${count} objects are there; what users do is recorded, Ctrl-C ends it\n`),
    onProblem: (text) => process.stderr.write(`${text}\n`),
  });
  // To be told to end is how a recording ends.
  interruption.accept();
  const missing = [...leftOut].map(([what, count]) => `${count} ${what}`).join(', ');
  process.stdout.write(
    json === true
      ? `${JSON.stringify({ output, objects, requests, leftOut: Object.fromEntries(leftOut), endMs })}\n`
      : `${requests} requests of users in ${clockText(endMs)}, on ${objects} objects that were there\n${missing === '' ? '' : `left out: ${missing}\n`}`,
  );
  return 0;
}
