/** The form of a recording of kubectl and a real API server, and how its file is read. */
import { isObject, parseLine, readLines, RecordingError, type Json, type JsonObject } from '../recorded-lines.js';

/** What was answered to a request. */
export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON as JSON, other text as text; `null` = there was none. Of a watch {@link RecordedAnswer.lines} instead. */
  readonly body: Json;
  readonly lines: readonly RecordedFrame[] | undefined;
}

/** A line of a watch. */
export interface RecordedFrame {
  /** Since the command began. */
  readonly ms: number;
  readonly line: Json;
}

/** A request that a command sent. */
export interface RecordedExchange {
  /** Since the command began. */
  readonly ms: number;
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly answer: RecordedAnswer;
}

/** A command, what it sent, and what its user saw. */
export interface RecordedCommand {
  readonly line: number;
  readonly argv: readonly string[];
  /** Files that were written before it, by name; they stay. */
  readonly files: Readonly<Record<string, string>>;
  readonly stdin: string | undefined;
  /** It was interrupted then. */
  readonly stopAfterMs: number | undefined;
  readonly exchanges: readonly RecordedExchange[];
  /** `undefined` = it was too long to be kept. */
  readonly stdout: string | undefined;
  readonly stderr: string;
  readonly exit: number | string;
}

/** Whether the line is one of such a recording. */
export function isWireLine(line: JsonObject): boolean {
  return 'argv' in line && 'requests' in line;
}

/** @throws RecordingError that names the line */
export function readWireRecording(path: string): readonly RecordedCommand[] {
  return readLines(path).map(([number, text]) => {
    const refuse = (why: string): never => {
      throw new RecordingError(`${path}:${number}: ${why}`);
    };
    return commandOf(parseLine(path, number, text), number, refuse);
  });
}

type Refuse = (why: string) => never;

function commandOf(value: JsonObject, line: number, refuse: Refuse): RecordedCommand {
  const { argv, files, stdin, stopAfterMs, requests, stdout, stderr, exit } = value;
  if (!Array.isArray(argv) || !argv.every((word) => typeof word === 'string')) {
    return refuse('`argv` must be a list of texts');
  }
  if (!Array.isArray(requests)) return refuse('`requests` must be a list');
  if (typeof exit !== 'number' && typeof exit !== 'string') return refuse('`exit` must be a number or a signal');
  return {
    line,
    argv,
    files: textsOf(files),
    stdin: typeof stdin === 'string' ? stdin : undefined,
    stopAfterMs: typeof stopAfterMs === 'number' ? stopAfterMs : undefined,
    exchanges: (requests as readonly Json[]).map((each) => exchangeOf(each, refuse)),
    stdout: typeof stdout === 'string' ? stdout : undefined,
    stderr: typeof stderr === 'string' ? stderr : '',
    exit,
  };
}

function exchangeOf(value: Json, refuse: Refuse): RecordedExchange {
  if (!isObject(value)) return refuse('a request must be an object');
  const { ms, method, path, query, headers, body, answer } = value;
  if (typeof ms !== 'number') return refuse('`ms` of a request must be a number');
  if (typeof method !== 'string' || typeof path !== 'string' || !path.startsWith('/')) {
    return refuse('a request must have a method and a path');
  }
  if (!isObject(answer) || typeof answer['status'] !== 'number') return refuse('an answer must have a status');
  const { status, headers: given, body: said, lines } = answer;
  return {
    ms,
    method,
    path,
    query: typeof query === 'string' ? query : '',
    headers: textsOf(headers),
    body: body ?? null,
    answer: {
      status,
      headers: textsOf(given),
      body: said ?? null,
      lines: Array.isArray(lines) ? (lines as readonly Json[]).map((each) => frameOf(each, refuse)) : undefined,
    },
  };
}

function frameOf(value: Json, refuse: Refuse): RecordedFrame {
  if (!isObject(value) || typeof value['ms'] !== 'number') return refuse('a line of a watch must have `ms`');
  return { ms: value['ms'], line: value['line'] ?? null };
}

function textsOf(value: Json): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** What stands for a body that the recording does not hold. */
export function isLeftOut(body: Json): boolean {
  return isObject(body) && typeof body['bytes'] === 'number' && !('kind' in body);
}

/** The version of kubectl that was recorded, such as `1.33`; empty when nothing was sent. */
export function recordedMinor(commands: readonly RecordedCommand[]): string {
  for (const { exchanges } of commands) {
    for (const { headers } of exchanges) {
      const minor = /\/v(\d+\.\d+)\./.exec(headers['user-agent'] ?? '')?.[1];
      if (minor !== undefined) return minor;
    }
  }
  return '';
}
