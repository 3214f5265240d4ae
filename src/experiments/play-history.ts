/** Plays what users did to another cluster, on a cluster of this house, in simulated time. */
import { readFileSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import type { Node } from '../api/objects/objects.js';
import { createCluster } from '../cluster/cluster.js';
import type { ClusterOptions } from '../cluster/options.js';
import { OptionError } from '../options/option-error.js';
import { checkedOptions, FUNCTION, MAPPING, SIGNAL, type Check, type Checks } from '../options/option-checks.js';
import { AUDIT_GROUP, parseAuditLog } from '../transfer/history/audit-log.js';
import type { History, HistoricRequest } from '../transfer/history/history.js';
import { isKwokRecord, kwokHistory } from '../transfer/record/kwok-record.js';
import { isRecording, parseRecording } from '../transfer/record/recording-file.js';
import { parseSimkube } from '../transfer/history/simkube-trace.js';
import { createTimestamps } from '../kernel/timestamps.js';
import { NodeGroupError } from '../workload/node-groups.js';
import { pictureOf } from '../transfer/import/picture.js';
import { digestOf, readBytes } from '../transfer/import/source-objects.js';
import type { Cluster } from '../cluster/cluster.js';
import { ReplayedDrains } from './replayed-drains.js';
import { Counterparts } from './counterparts.js';
import { asOfNow } from './as-of-now.js';

/** How a history is played. */
export interface HistoryOptions {
  /** The cluster, where the history has none of its own. */
  readonly cluster?: ClusterOptions;
  /** Divides all times. @defaultValue 1 */
  readonly compression?: number;
  /** Milliseconds of the history before these are passed over, and its state then is not known. @defaultValue 0 */
  readonly fromMs?: number;
  /** Of its end. */
  readonly toMs?: number;
  /** Which requests are made again. @defaultValue all */
  readonly filter?: (request: HistoricRequest) => boolean;
  /** How long the cluster runs on, in simulated time. @defaultValue 1 minute */
  readonly settleMs?: number;
  /** Given the cluster before anything happens. */
  readonly prepare?: (cluster: Cluster) => void;
  /** Given the cluster when all has been done; it is disposed afterwards. */
  readonly atEnd?: (cluster: Cluster) => void;
  readonly signal?: AbortSignal;
}

/** What became of it. */
export interface HistoryResult {
  readonly form: History['form'];
  /** That were made again. */
  readonly requests: number;
  /** What was refused here and not there, a line each; the first hundred. */
  readonly refusals: readonly string[];
  readonly refused: number;
  readonly leftOut: History['leftOut'];
  readonly nodes: number;
  readonly pods: Readonly<Record<string, number>>;
  readonly virtualMs: number;
  readonly traceHash: string;
  readonly seed: string;
}

const NUMBER: Check = ['a number >= 0', (value) => typeof value === 'number' && value >= 0];
const OPTIONS: Checks<HistoryOptions> = {
  cluster: MAPPING,
  compression: ['a number > 0', (value) => typeof value === 'number' && value > 0],
  fromMs: NUMBER,
  toMs: NUMBER,
  filter: FUNCTION,
  settleMs: NUMBER,
  prepare: FUNCTION,
  atEnd: FUNCTION,
  signal: SIGNAL,
};
const SETTLE_MS = 60_000;
const TOLD_REFUSALS = 100;
const GZIP = 0x1f;

/**
 * Reads a history, whichever of the forms it has; `undefined` = it has none of them.
 *
 * @throws ImportError that names the place
 */
export function readHistory(path: string): History | undefined {
  const file = readFileSync(path);
  // What was written before its writer was stopped is of use, too.
  const bytes = file[0] === GZIP && file[1] === 0x8b ? gunzipSync(file, { finishFlush: constants.Z_SYNC_FLUSH }) : file;
  const end = bytes.indexOf(10);
  const first = bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
  if (isRecording(first)) return parseRecording(bytes.toString('utf8'), path);
  const log = bytes.includes(AUDIT_GROUP) ? parseAuditLog(bytes.toString('utf8'), path) : undefined;
  if (log !== undefined) return log;
  const trace = parseSimkube(bytes, path);
  if (trace !== undefined) return trace;
  if (!bytes.includes('ResourcePatch')) return undefined;
  const objects = readBytes(bytes, path);
  return isKwokRecord(objects) ? kwokHistory(objects) : undefined;
}

/** See the file header. @throws OptionError, ImportError, the signal's reason */
export async function playHistory(history: History, options: HistoryOptions = {}): Promise<HistoryResult> {
  const {
    compression = 1,
    fromMs = 0,
    toMs = history.endMs,
    filter,
    settleMs = SETTLE_MS,
    signal,
  } = checkedOptions('', options, OPTIONS);
  const cluster = createCluster(clusterOf(history, options.cluster ?? {}, fromMs));
  try {
    options.prepare?.(cluster);
    await cluster.run({
      until: () => cluster.nodesAreReady,
      limit: '10m',
      ...(signal === undefined ? {} : { signal }),
    });
    const requests = history.requests.filter(
      (request) => request.atMs >= fromMs && request.atMs <= toMs && (filter?.(request) ?? true),
    );
    const startMs = cluster.nowMs;
    const player = new RequestPlayer(cluster);
    let isOver = false;
    const failures: Error[] = [];
    const fail = (error: unknown): void => {
      failures.push(error instanceof Error ? error : new Error(String(error)));
      isOver = true;
    };
    for (const request of requests) {
      cluster.scheduler.schedule(
        () => void player.make(request).catch(fail),
        Math.round((request.atMs - fromMs) / compression),
      );
    }
    const endMs = startMs + Math.round((toMs - fromMs) / compression) + settleMs;
    // Time goes on to the end also where nothing happens any more.
    cluster.scheduler.schedule(() => void (isOver = true), endMs - startMs);
    await cluster.run({ until: () => isOver, ...(signal === undefined ? {} : { signal }) });
    signal?.throwIfAborted();
    const [failure] = failures;
    if (failure !== undefined) throw failure;
    options.atEnd?.(cluster);
    const { nodes, pods } = cluster.stats();
    return {
      form: history.form,
      requests: requests.length,
      refusals: player.refusals,
      refused: player.refused,
      leftOut: history.leftOut,
      nodes: nodes.total,
      pods: pods.byPhase,
      virtualMs: cluster.nowMs,
      traceHash: cluster.traceHash,
      seed: cluster.seed,
    };
  } finally {
    await cluster.dispose();
  }
}

/** What the history begins with takes the place of what the options say. */
function clusterOf({ objects, time }: History, options: ClusterOptions, fromMs: number): ClusterOptions {
  if (objects === undefined || objects.length === 0) {
    // Jobs of cron jobs are named by the time; a cluster that was taken over has a time of its own.
    if (time === undefined || options.from !== undefined) return options;
    return { epoch: UNIX.toTime(UNIX.toMs(time) + fromMs), ...options };
  }
  const digest = digestOf(objects.map(({ value }) => JSON.stringify(value)));
  const epoch = time === undefined ? {} : { epoch: time };
  return { nodes: 0, ...epoch, ...options, from: pictureOf({ objects, digest }) };
}

const UNIX = createTimestamps('1970-01-01T00:00:00Z');

/** Where nodes register. */
const NODES = /^\/api\/v1\/nodes(?:\?|$)/;

const EVICTION = /\/eviction(?:\?|$)/;

class RequestPlayer {
  readonly refusals: string[] = [];
  refused = 0;

  readonly #counterparts: Counterparts;
  readonly #drains: ReplayedDrains;

  constructor(private readonly cluster: Cluster) {
    this.#counterparts = new Counterparts(cluster);
    this.#drains = new ReplayedDrains(cluster);
  }

  async make(made: HistoricRequest): Promise<void> {
    if (this.#drains.take(made)) return;
    const request = this.#counterparts.put(made);
    const { method, path, status: recorded = 200 } = request;
    if (method === 'POST' && NODES.test(path) && this.#hasMachine(request.body)) return;
    // A webhook may have it wait, which a call of the program cannot.
    const { status, body: answer } = await this.cluster.ask(await asOfNow(this.cluster, request));
    const message = typeof answer === 'object' && answer !== null && 'message' in answer ? String(answer.message) : '';
    if (status < 400 || recorded >= 400 || isHarmless({ method, path }, status, message)) return;
    this.refused += 1;
    if (this.refusals.length >= TOLD_REFUSALS) return;
    this.refusals.push(`${method} ${path.replace(/\?.*/, '')}: ${status} ${message}`);
  }

  /** A node that registered there has a machine here, whose kubelet registers; a request would make an object alone. */
  #hasMachine(body: HistoricRequest['body']): boolean {
    const { metadata, spec, status } = body as Partial<Node>;
    const capacity = status?.capacity;
    const name = metadata?.name ?? '';
    if (capacity === undefined || this.cluster.list('Node', { fieldSelector: `metadata.name=${name}` }).length > 0)
      return false;
    try {
      this.cluster.addNodes([
        {
          name,
          labels: metadata?.labels ?? {},
          annotations: metadata?.annotations ?? {},
          taints: (spec?.taints ?? []).filter(({ key }) => !key.startsWith('node.kubernetes.io/')),
          capacity,
          allocatable: status?.allocatable ?? capacity,
          images: [],
        },
      ]);
      return true;
    } catch (error) {
      // The request is made, and tells how it is refused.
      if (error instanceof NodeGroupError || error instanceof OptionError) return false;
      throw error;
    }
  }
}

/** What is there already, or gone already: controllers here may have been first. */
function isHarmless(
  { method, path }: Pick<HistoricRequest, 'method' | 'path'>,
  status: number,
  message: string,
): boolean {
  // An object of that name and another uid stands where the one that was deleted there has gone already.
  const isGone = status === 404 || (status === 409 && message.includes('the UID in the precondition'));
  if (EVICTION.test(path)) return isGone;
  return (method === 'DELETE' && isGone) || (method === 'POST' && status === 409);
}
