/**
 * The file of `kubeloom serve --record`: a line of JSON for what is served, one for each request that may write, and
 * one for the end. It holds what clients sent, secrets included, and is for its owner alone.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Cluster, RecordedRequest } from '../../index.js';
import { STDIN } from './manifest-files.js';
import type { ServedSceneFlags } from './served-scene.js';
import { UsageError } from './usage-error.js';

/** What a recording begins with. */
interface Head {
  readonly recording: typeof FORM;
  /** Of simulated time 0. */
  readonly epoch: string;
  readonly flags: ServedSceneFlags;
}

/** Where a served cluster had come when it ended. */
interface RecordedEnd {
  readonly ticks: number;
  readonly atMs: number;
  readonly traceHash: string;
}

/** A recording that was read. */
export interface Recording extends Omit<Head, 'recording'> {
  readonly requests: readonly RecordedRequest[];
  /** Absent where the program was ended by force. */
  readonly end: RecordedEnd | undefined;
}

const FORM = 'kubeloom.dev/requests/v1';
const OWNER_ONLY = 0o600;

/** Writes a recording line by line. */
export class RecordingWriter {
  readonly #path: string;
  readonly #file: number;
  readonly #failed = new AbortController();

  /** @throws UsageError for a file that cannot be written */
  constructor(path: string, epoch: string, flags: ServedSceneFlags) {
    this.#path = path;
    try {
      this.#file = openSync(path, 'w', OWNER_ONLY);
    } catch (error) {
      throw this.#refusal(error);
    }
    const head: Head = { recording: FORM, epoch, flags: sceneOf(flags) };
    this.#write(head);
    this.#failed.signal.throwIfAborted();
  }

  /** Aborted, with the reason, once a line could not be written: what follows would be a recording with a gap. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  readonly add = (request: RecordedRequest): void => this.#write(request);

  /** @throws UsageError when a line could not be written */
  end({ ticks, nowMs: atMs, traceHash }: Cluster): void {
    const end: RecordedEnd = { ticks, atMs, traceHash };
    this.#write({ end });
    closeSync(this.#file);
    this.#failed.signal.throwIfAborted();
  }

  /** A client's request is answered all the same. */
  #write(line: object): void {
    if (this.#failed.signal.aborted) return;
    try {
      writeSync(this.#file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      this.#failed.abort(this.#refusal(error));
    }
  }

  #refusal(error: unknown): UsageError {
    const why = error instanceof Error ? error.message : String(error);
    return new UsageError(`--record ${this.#path} cannot be written: ${why}`);
  }
}

/** What says what is served; its files by where they are, wherever the replay is started. */
function sceneOf(flags: ServedSceneFlags): ServedSceneFlags {
  const { nodes, pods, manifest, recursive, selector, from, validate, trace, compress, limit, seed } = flags;
  const { clientLimits, workers } = flags;
  if (manifest?.includes(STDIN) === true) {
    throw new UsageError('--record cannot be given with --manifest -, which is not there a second time');
  }
  const { percentageOfNodesToScore, schedulerConfig, scripts, stages, without, speed, virtual } = flags;
  return {
    validate,
    compress,
    seed,
    ...(workers === undefined ? {} : { workers }),
    ...(nodes === undefined ? {} : { nodes }),
    ...(pods === undefined ? {} : { pods }),
    ...(manifest === undefined ? {} : { manifest: manifest.map((file) => resolve(file)) }),
    ...(recursive === undefined ? {} : { recursive }),
    ...(selector === undefined ? {} : { selector }),
    ...(from === undefined ? {} : { from: resolve(from) }),
    ...(trace === undefined ? {} : { trace: trace.map((word, index) => (index === 0 ? word : resolve(word))) }),
    ...(limit === undefined ? {} : { limit }),
    ...(clientLimits === undefined ? {} : { clientLimits }),
    ...(percentageOfNodesToScore === undefined ? {} : { percentageOfNodesToScore }),
    ...(schedulerConfig === undefined ? {} : { schedulerConfig: resolve(schedulerConfig) }),
    ...(scripts === undefined ? {} : { scripts: resolve(scripts) }),
    ...(stages === undefined ? {} : { stages: stages.map((file) => resolve(file)) }),
    ...(without === undefined ? {} : { without }),
    ...(speed === undefined ? {} : { speed }),
    ...(virtual === undefined ? {} : { virtual }),
  };
}

/** Whether a file is a recording of requests, and not what a search has found. */
export function isRecording(text: string): boolean {
  return text.startsWith(`{"recording":"${FORM}"`);
}

/** @throws UsageError that names the line */
export function readRecording(text: string, source: string): Recording {
  const [head, ...lines] = wholeLines(text)
    .filter((line) => line !== '')
    .map((line, index) => parsed(line, `${source}: line ${index + 1}`));
  if (head === undefined) throw new UsageError(`${source}: a recording must begin with what was served`);
  const { epoch, flags } = head as Head;
  const last = lines.at(-1);
  const end = last !== undefined && 'end' in last ? (last.end as RecordedEnd) : undefined;
  const requests = (end === undefined ? lines : lines.slice(0, -1)) as readonly RecordedRequest[];
  for (const [index, request] of requests.entries()) {
    const isKnown = 'command' in request ? Number.isInteger(request.command) : typeof request.method === 'string';
    if (isKnown && Number.isInteger(request.ticks) && Number.isInteger(request.atMs)) continue;
    throw new UsageError(`${source}: line ${index + 2} must be a request with method, ticks and atMs`);
  }
  return { epoch, flags, requests, end };
}

/** Without the last one where its writer was stopped in the middle of it. */
function wholeLines(text: string): readonly string[] {
  const lines = text.split('\n');
  const last = lines.at(-1) ?? '';
  if (lines.length === 1 || !last.startsWith('{')) return lines;
  try {
    JSON.parse(last);
    return lines;
  } catch {
    return lines.slice(0, -1);
  }
}

function parsed(line: string, place: string): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Told below.
  }
  throw new UsageError(`${place} must be an object of JSON, got ${JSON.stringify(line.slice(0, 40))}`);
}
