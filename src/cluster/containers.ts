/** What programs of a cluster's containers say to the program that has the cluster: their logs, and commands in them. */
import type { ObjectName } from '../api/objects/objects.js';
import { chosenContainer, chosenRun } from '../server/streams/container-choice.js';
import type { NodeStreams } from '../server/streams/node-streams.js';
import { integerOption, OptionError, refuseUnknown } from '../options/option-error.js';

/** Which part of which log. */
export interface LogsOptions {
  /** @defaultValue the only one */
  readonly container?: string;
  /** Of the run before the present one. @defaultValue false */
  readonly previous?: boolean;
  /** The last lines. @defaultValue all */
  readonly tailLines?: number;
  /** Lines of the last seconds. @defaultValue all */
  readonly sinceSeconds?: number;
  /** Each line begins with its time. @defaultValue false */
  readonly timestamps?: boolean;
}

/** Where a command runs, and what it reads. */
export interface ExecOptions {
  /** @defaultValue the only one */
  readonly container?: string;
  /** Its input. @defaultValue none */
  readonly stdin?: string;
}

/** What came of a command. */
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const LOG_FIELDS: readonly (keyof LogsOptions)[] = ['container', 'previous', 'tailLines', 'sinceSeconds', 'timestamps'];
const EXEC_FIELDS: readonly (keyof ExecOptions)[] = ['container', 'stdin'];

/** @throws OptionError, ApiError 400, 404 */
export function readLogs(nodes: NodeStreams, { namespace = '', name }: ObjectName, options: LogsOptions): string {
  refuseUnknown('options', options, LOG_FIELDS);
  const { previous = false, timestamps = false } = options;
  const tailLines = integerOption('options.tailLines', options.tailLines, Infinity, 0, Number.MAX_SAFE_INTEGER);
  const sinceSeconds = integerOption(
    'options.sinceSeconds',
    options.sinceSeconds,
    Infinity,
    1,
    Number.MAX_SAFE_INTEGER,
  );
  const pod = nodes.pod(namespace, name);
  const container = chosenContainer(pod, options.container ?? '');
  const run = chosenRun(pod, container, previous, (timestamp) => nodes.toMs(timestamp));
  const sinceMs = nodes.nowMs() - sinceSeconds * 1000;
  const lines = nodes.logLines(pod, container, run).filter(({ atMs }) => atMs >= sinceMs);
  return lines
    .slice(tailLines === Infinity ? 0 : Math.max(0, lines.length - tailLines))
    .map(({ atMs, text, isPartial }) => {
      const time = timestamps ? `${nodes.toTime(atMs)} ` : '';
      return `${time}${text}${isPartial === true ? '' : '\n'}`;
    })
    .join('');
}

/** @throws OptionError, ApiError 400, 404 */
export function runCommand(
  nodes: NodeStreams,
  { namespace = '', name }: ObjectName,
  command: readonly string[],
  options: ExecOptions,
): Promise<ExecResult> {
  refuseUnknown('options', options, EXEC_FIELDS);
  const isGood = Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string');
  if (!isGood) throw new OptionError('command', 'a list of words, at least one', command);
  const pod = nodes.pod(namespace, name);
  const container = chosenContainer(pod, options.container ?? '');
  const { stdin } = options;
  return new Promise((resolve) => {
    let [stdout, stderr] = ['', ''];
    const running = nodes.exec(pod, container, command, {
      hasInput: stdin !== undefined,
      onStdout: (bytes) => {
        stdout += bytes;
      },
      onStderr: (bytes) => {
        stderr += bytes;
      },
      onEnd: ({ exitCode, startError }) =>
        resolve({ stdout: textOf(stdout), stderr: startError ?? textOf(stderr), exitCode }),
    });
    if (stdin === undefined) return;
    running.input(Buffer.from(stdin).toString('latin1'));
    running.input(undefined);
  });
}

function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}
