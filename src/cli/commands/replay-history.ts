/** Plays what was recorded of another cluster: by kwokctl, by SimKube, or in the audit log of an API server. */
import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import {
  durationMs,
  playHistory,
  saveCluster,
  type ClusterOptions,
  type History,
  type HistoryResult,
} from '../../index.js';
import { clockText } from '../texts/clock-text.js';
import { readFrom } from '../input/from-option.js';
import { InterruptedError, interruption } from '../input/interruption.js';
import { readInput } from '../input/read-input.js';
import { UsageError } from '../input/usage-error.js';

/** Options of `replay` that count for histories. */
export interface HistoryFlags {
  readonly nodes?: number;
  readonly nodeGroups?: string;
  readonly from?: string;
  readonly compress?: number;
  readonly window?: readonly [startMs: number, endMs: number | undefined];
  readonly excludeNamespace?: readonly string[];
  readonly seed?: string;
  readonly save?: string;
  readonly json?: true;
}

const DEFAULT_NODES = 100;
const NAMESPACE = /\/namespaces\/([^/?]+)/;

/** Reads `10m..1h` and `10m..`. @throws UsageError */
export function windowFlag(text: string): NonNullable<HistoryFlags['window']> {
  const [start = '', end, ...rest] = text.split('..');
  if (end === undefined || rest.length > 0) {
    throw new UsageError(`--window must be two durations such as 10m..1h, got ${JSON.stringify(text)}`);
  }
  const startMs = start === '' ? 0 : durationMs('--window', start);
  const endMs = end === '' ? undefined : durationMs('--window', end);
  if (endMs === undefined || endMs > startMs) return [startMs, endMs];
  throw new UsageError(`--window must end after it begins, got ${JSON.stringify(text)}`);
}

/** @returns the exit code */
export async function replayHistory(history: History, flags: HistoryFlags): Promise<number> {
  const {
    nodes,
    nodeGroups,
    from,
    compress = 1,
    window: [fromMs, toMs] = [0, undefined],
    excludeNamespace = [],
    seed,
    save,
    json,
  } = flags;
  const hasOwn = (history.objects?.length ?? 0) > 0;
  const hasNodes = hasOwn || from !== undefined || history.requests.some(isNodeCreation);
  if (hasOwn && from !== undefined) {
    throw new UsageError('--from cannot be given with a recording that begins with a cluster of its own');
  }
  if (nodes !== undefined && nodeGroups !== undefined) {
    throw new UsageError('--nodes cannot be given with --node-groups, which says how many there are');
  }
  const groups = nodeGroups === undefined ? undefined : readGroups(nodeGroups);
  const picture = from === undefined ? undefined : readFrom(from);
  const { signal } = interruption;
  try {
    const result = await playHistory(history, {
      cluster: {
        nodes: groups ?? nodes ?? (hasNodes ? 0 : DEFAULT_NODES),
        ...(picture === undefined ? {} : { from: picture }),
        ...(seed === undefined ? {} : { seed }),
      },
      compression: compress,
      fromMs,
      ...(toMs === undefined ? {} : { toMs }),
      filter: ({ path }) => !excludeNamespace.includes(NAMESPACE.exec(path)?.[1] ?? ''),
      ...(save === undefined ? {} : { atEnd: (cluster) => saveCluster(cluster.export(), save) }),
      signal,
    });
    const plain = { ...result, leftOut: Object.fromEntries(result.leftOut) };
    process.stdout.write(json === true ? `${JSON.stringify(plain)}\n` : historyText(result));
    return result.refused === 0 ? 0 : 1;
  } catch (error) {
    if (signal.aborted) throw new InterruptedError('');
    throw error;
  }
}

/** Nodes register as they do in an audit log. */
const isNodeCreation = ({ method, path }: History['requests'][number]): boolean =>
  method === 'POST' && /^\/api\/v1\/nodes(?:\?|$)/.test(path);

/** What each group may be is said where the cluster is made. @throws UsageError */
function readGroups(path: string): NonNullable<Exclude<ClusterOptions['nodes'], number>> {
  let groups: unknown;
  try {
    groups = load(readInput('--node-groups', path), { schema: CORE_SCHEMA, filename: path });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw new UsageError(`--node-groups ${path}:${(error.mark?.line ?? 0) + 1}: ${error.reason}`);
  }
  if (Array.isArray(groups) && groups.length > 0)
    return groups as NonNullable<Exclude<ClusterOptions['nodes'], number>>;
  throw new UsageError(`--node-groups ${path} must be a list of groups, such as [{ count: 10, labels: { zone: a } }]`);
}

function historyText({ form, requests, refusals, refused, leftOut, nodes, pods, virtualMs, traceHash }: HistoryResult) {
  const counts = Object.entries(pods).filter(([, count]) => count > 0);
  return [
    `${requests} requests of a recording (${form}) in ${clockText(virtualMs)} of simulated time, on ${nodes} nodes`,
    `pods: ${counts.length === 0 ? 'none' : counts.map(([phase, count]) => `${count} ${phase}`).join(', ')}`,
    ...(leftOut.size === 0 ? [] : [`left out: ${[...leftOut].map(([what, count]) => `${count} ${what}`).join(', ')}`]),
    ...(refused === 0 ? [] : [`refused here: ${refused}`, ...refusals.map((line) => `  ${line}`)]),
    `trace hash ${traceHash}`,
    '',
  ].join('\n');
}
