/**
 * What clients have done to a served cluster, as data: each request that may write, each command in a container, and
 * the place at which it entered. The same cluster that takes them at the same places comes to the same trace hash.
 * Reads are left out, as they change nothing, but for those that servers in containers answer.
 */
import type { InputPlace, PlannedInput } from '../kernel/engine/external-inputs.js';
import { ReplayedCommands, type CommandNodes, type RecordedCommand } from './recorded-commands.js';
import { AdmissionPending, type RequestAttempts } from '../apiserver/store/request-context.js';
import { ApiError } from '../api/errors/api-error.js';
import type {
  ApiAnswer,
  ApiRequest,
  AuthorizationMode,
  RequestBody,
  RequestUser,
  StreamAnswer,
} from '../requests/api-request.js';
import { proxied, type ProxyMeans } from './streams/pod-proxy.js';

/** What is recorded, plain data. */
export type RecordedRequest = RecordedWrite | RecordedCommand;

/** A request that may have written. */
export interface RecordedWrite extends InputPlace {
  readonly method: string;
  readonly path: string;
  /** As in the URL, without the question mark. */
  readonly query: string;
  /** Without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly user?: RequestUser;
  /** Where it was not what roles allow. */
  readonly authorization?: AuthorizationMode;
  readonly body?: RequestBody;
  /** Of the answer. */
  readonly status: number;
}

/** How far a replay has come. */
export interface RequestReplay {
  /** Requests that have not come to their place yet. */
  readonly left: number;
  /** What was answered otherwise than in the recording, one line each. */
  readonly differences: readonly string[];
}

type Answerer = (request: ApiRequest, attempts?: RequestAttempts) => ApiAnswer;

/** Whether a request is one that a recording leaves out. */
function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Answers, and tells `record` of what may have been written. */
export function recordingAnswerer(
  answer: Answerer,
  record: ((request: RecordedRequest) => void) | undefined,
): (request: ApiRequest, place: InputPlace, attempts?: RequestAttempts) => ApiAnswer {
  if (record === undefined) return (request, _place, attempts) => answer(request, attempts);
  return (request, place, attempts) => {
    const { headers, user, body, method, path, authorization } = request;
    const told: { -readonly [K in keyof RecordedWrite]: RecordedWrite[K] } = {
      ticks: place.ticks,
      atMs: place.atMs,
      method,
      path,
      query: request.query.toString(),
      headers: Object.fromEntries(
        Object.entries(headers).filter((each): each is [string, string] => each[1] !== undefined),
      ),
      ...(user === undefined ? {} : { user }),
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { body }),
      status: 500,
    };
    try {
      const answered = answer(request, attempts);
      told.status = statusOf(answered);
      // A server in a container may do anything, whatever it is asked.
      if (!isRead(method) || isProxied(answered)) record(told);
      return answered;
    } catch (error) {
      // What waits has written nothing, and is recorded where it has been answered.
      if (!isRead(method) && !(error instanceof AdmissionPending)) record(told);
      throw error;
    }
  };
}

/** What answers requests. */
interface Answering {
  answer(request: ApiRequest): ApiAnswer;
}

/** The recorded requests as inputs of an engine, and how far they have come. */
export async function replayed(
  requests: readonly RecordedRequest[],
  answering: Answering,
  nodes: CommandNodes & ProxyMeans,
): Promise<{ readonly inputs: readonly PlannedInput[]; readonly replay: RequestReplay }> {
  // A server is asked in the tick in which it was asked before.
  await nodes.servers.load();
  const differences: string[] = [];
  const replay = { left: requests.length, differences };
  const commands = new ReplayedCommands(nodes);
  const inputs = requests.map((request) => ({
    ticks: request.ticks,
    atMs: request.atMs,
    input: () => {
      replay.left -= 1;
      const difference = 'command' in request ? commands.play(request) : againAnswered(request, answering, nodes);
      if (difference !== undefined) differences.push(difference);
    },
  }));
  return { inputs, replay };
}

/** How the answer differs. */
function againAnswered(
  { status, query, ...recorded }: RecordedWrite,
  answering: Answering,
  nodes: ProxyMeans,
): string | undefined {
  const request: ApiRequest = { ...recorded, query: new URLSearchParams(query) };
  const answer = answering.answer(request);
  if (isProxied(answer)) askAgain(nodes, answer, request);
  const got = statusOf(answer);
  if (got === status) return undefined;
  return `${request.method} ${request.path} was answered ${got}, and ${status} in the recording`;
}

function isProxied(answer: ApiAnswer): answer is StreamAnswer {
  return answer.type === 'stream' && answer.verb === 'proxy';
}

/** What the server says is nobody's to hear; one that there is not has been missing before. */
function askAgain(nodes: ProxyMeans, answer: StreamAnswer, request: ApiRequest): void {
  nodes.servers.begin();
  try {
    proxied(nodes, answer, request);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

function statusOf(answer: ApiAnswer): number {
  return answer.type === 'stream' ? 101 : answer.status;
}
