/** `pods/log`: what a container has logged, and, where it is followed, what it logs until it ends. */
import type { Writable } from 'node:stream';
import { ApiError } from '../../api/errors/api-error.js';
import { forbidden, invalid, invalidError } from '../../api/errors/field-errors.js';
import type { FieldError } from '../../api/objects/resource-kind.js';
import { checkNode, chosenContainer, chosenRun } from './container-choice.js';
import type { ContainerRun, NodeLogLine, NodeStreams } from './node-streams.js';

/** Which lines of which container; see the query of `pods/log`. */
interface LogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Simulated ms; earlier lines are left out. */
  readonly sinceMs: number;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
}

/** Real time between two looks for new lines of a log that is followed. */
const LOOK_EVERY_MS = 100;

/** A log that is ready to be written; nothing has been refused. */
export interface OpenLog {
  /** Of a pod that has no node there is nothing, not even a text. */
  readonly hasContent: boolean;
  /** Writes what there is, and goes on where it is followed. */
  write(out: Writable): void;
}

/** @throws ApiError 400, 404, 422 */
export function openLog(nodes: NodeStreams, namespace: string, name: string, query: URLSearchParams): OpenLog {
  const options = readOptions(nodes, name, query);
  const pod = nodes.pod(namespace, name);
  const container = chosenContainer(pod, options.container);
  if (pod.spec.nodeName === undefined) return { hasContent: false, write: (out) => out.end() };
  checkNode(pod, nodes);
  const run = chosenRun(pod, container, options.previous, (timestamp) => nodes.toMs(timestamp));
  const linesOf = (now: ContainerRun): readonly NodeLogLine[] =>
    nodes.logLines(pod, container, now).filter(({ atMs }) => atMs >= options.sinceMs);
  // A node that does not answer is told of before anything is written.
  const first = linesOf(run);
  return {
    hasContent: true,
    write(out) {
      const writer = new LogWriter(nodes, options, out);
      writer.write(
        options.tailLines === undefined ? first : first.slice(Math.max(0, first.length - options.tailLines)),
      );
      if (!options.follow || run.endedMs !== undefined) return void out.end();
      let told = first.at(-1)?.atMs ?? -1;
      let count = first.filter(({ atMs }) => atMs === told).length;
      const timer = setInterval(() => {
        const present = presentRun(nodes, namespace, name, container, run);
        const all = linesOf(present);
        // Lines of one moment are told apart by their number.
        const isNew = all.filter(({ atMs }) => atMs > told);
        const late = all.filter(({ atMs }) => atMs === told).slice(count);
        writer.write([...late, ...isNew]);
        told = all.at(-1)?.atMs ?? told;
        count = all.filter(({ atMs }) => atMs === told).length;
        if (present.endedMs !== undefined || writer.isFull) out.end();
      }, LOOK_EVERY_MS);
      out.on('close', () => clearInterval(timer));
    },
  };
}

/** How the run stands that is followed; one of a pod that is gone, or that is not known any more, has ended by now. */
function presentRun(
  nodes: NodeStreams,
  namespace: string,
  name: string,
  container: string,
  run: ContainerRun,
): ContainerRun {
  const toMs = (timestamp: string): number => nodes.toMs(timestamp);
  try {
    const pod = nodes.pod(namespace, name);
    const now = chosenRun(pod, container, false, toMs);
    if (now.startedMs === run.startedMs) return now;
    // Another run has followed it.
    const before = chosenRun(pod, container, true, toMs);
    if (before.startedMs === run.startedMs) return before;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  return { ...run, endedMs: nodes.nowMs() };
}

class LogWriter {
  readonly #nodes: NodeStreams;
  readonly #options: LogOptions;
  readonly #out: Writable;
  #left: number;

  constructor(nodes: NodeStreams, options: LogOptions, out: Writable) {
    this.#nodes = nodes;
    this.#options = options;
    this.#out = out;
    this.#left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  }

  get isFull(): boolean {
    return this.#left <= 0;
  }

  write(lines: readonly NodeLogLine[]): void {
    if (lines.length === 0 || this.isFull) return;
    const bytes = Buffer.from(lines.map((line) => this.#textOf(line)).join(''));
    const part = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= part.length;
    this.#out.write(part);
  }

  /** A timestamp as the container runtime writes it, with nanoseconds. */
  #textOf({ atMs, text: bare, isPartial }: NodeLogLine): string {
    const text = isPartial === true ? bare : `${bare}\n`;
    if (!this.#options.timestamps) return text;
    const second = this.#nodes.toTime(atMs).slice(0, -1);
    const fraction = ((atMs % 1000) * 1_000_000).toString().padStart(9, '0');
    return `${second}.${fraction}Z ${text}`;
  }
}

const KIND = { kind: 'PodLogOptions', group: '' };

function readOptions(nodes: NodeStreams, name: string, query: URLSearchParams): LogOptions {
  const sinceSeconds = wholeNumber(query, 'sinceSeconds');
  const tailLines = wholeNumber(query, 'tailLines');
  const limitBytes = wholeNumber(query, 'limitBytes');
  const sinceTime = query.get('sinceTime');
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(invalid('tailLines', tailLines, 'must be greater than or equal to 0'));
  }
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(invalid('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== null) {
    errors.push(forbidden('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  }
  if (errors.length > 0) throw invalidError(KIND, name, errors);
  const sinceMs = sinceTime === null ? undefined : nodes.toMs(sinceTime);
  if (sinceMs !== undefined && Number.isNaN(sinceMs)) {
    throw new ApiError(400, 'BadRequest', `parsing time ${JSON.stringify(sinceTime)}: it is no RFC 3339 timestamp`);
  }
  const agoMs = sinceSeconds === undefined ? Number.NEGATIVE_INFINITY : nodes.nowMs() - sinceSeconds * 1000;
  return {
    container: query.get('container') ?? '',
    follow: flag(query, 'follow'),
    previous: flag(query, 'previous'),
    timestamps: flag(query, 'timestamps'),
    sinceMs: sinceMs ?? agoMs,
    tailLines,
    limitBytes,
  };
}

function flag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && text !== 'false' && text !== '0';
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw new ApiError(400, 'BadRequest', `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}
