/**
 * The door of a served cluster: takes a request off the wire, finds its user, has the engine answer it at a
 * definite place, and writes the answer. It knows nothing of Kubernetes but the form of its answers.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { ApiError } from '../api/errors/api-error.js';
import { AdmissionPending, RequestAttempts } from '../apiserver/store/request-context.js';
import type { EngineClock } from '../kernel/engine/clock.js';
import type { ExternalInput, InputPlace } from '../kernel/engine/external-inputs.js';
import type {
  AnswerHeaders,
  ApiAnswer,
  ApiRequest,
  ListAnswer,
  RemoteTarget,
  RequestUser,
  StreamAnswer,
  WatchAnswer,
} from '../requests/api-request.js';
import { OPENAPI_PROTOBUF } from '../requests/openapi/openapi.js';
import { asksToWatch } from '../requests/routes.js';
import { inAskedType } from '../requests/negotiation.js';
import { statusAnswer } from '../requests/status-answer.js';
import { ConnectionLost } from './connection-lost.js';
import { isForPeople, listText, objectText } from './answer-text.js';
import { FrameTexts } from './frame-texts.js';
import { encodeOpenApi } from './protobuf/encode-openapi.js';
import { readBody } from './read-body.js';
import { requestBody } from './request-body.js';
import { checkNode, chosenContainer } from './streams/container-choice.js';
import { openLog } from './streams/log-stream.js';
import { answerHeaders, type RemoteServers } from './remote/remote-servers.js';
import { proxied } from './streams/pod-proxy.js';
import type { ServerAnswer } from '../apiserver/requests/pod-servers.js';
import type { NodeStreams } from './streams/node-streams.js';
import { ServerMetrics } from './server-metrics.js';
import { Turns } from './turns.js';
import { WatchWriter, type WatchMeans } from './watch-writer.js';

/** A request as Node gives it, over either version of the protocol. */
export type WireRequest = IncomingMessage | Http2ServerRequest;
/** Its answer. */
export type WireResponse = ServerResponse | Http2ServerResponse;

/** What the door stands on. */
export interface DoorMeans {
  /** Where requests enter simulated time. */
  readonly clock: Pick<EngineClock, 'admit'>;
  /** The user of the request; `undefined` = the credentials are wrong or missing. */
  readonly userOf: (request: WireRequest) => RequestUser | undefined;
  /** Answers at the place at which it is called. @throws AdmissionPending */
  readonly answer: (request: ApiRequest, place: InputPlace, attempts: RequestAttempts) => ApiAnswer;
  /** The text of all metrics, in Prometheus' form. */
  readonly metrics: () => Promise<string>;
  readonly nodes: NodeStreams;
  /** Servers outside of the cluster that serve group versions of their own. @defaultValue there are none */
  readonly remotes?: RemoteServers | undefined;
}

/** Requests that are being answered at a time, as kube-apiserver's `--max-requests-inflight` and its mutating sibling. */
const MOST_READS = 400;
const MOST_WRITES = 200;

/** A body must have come within this time, and an answer too: upstream's `--request-timeout`. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Answers are compressed from this size on, as upstream (gzip's level 1). */
const GZIP_FROM_BYTES = 128 * 1024;
const GZIP_LEVEL = 1;

/** Paths of requests that last as long as they are wanted, as upstream's `--min-request-timeout` and its pattern. */
const LASTING_PATH = /\/(?:log|exec|attach|portforward|proxy)(?:\/|$)/;

/** Paths under which it is told what other servers serve. */
const DISCOVERY_PATH = /^\/apis\/?$/;

/** See the file header. */
export class RequestDoor {
  readonly #means: DoorMeans;
  readonly #turns = new Turns();
  readonly #texts = new FrameTexts();
  readonly #watches = new Set<WatchWriter>();
  /** Answers that go on until their reader has enough: logs that are followed. */
  readonly #followed = new Set<WireResponse>();
  readonly #inFlight = { reads: 0, writes: 0 };
  readonly #metrics = new ServerMetrics(this.#inFlight);
  /** Bodies as they came, for servers outside of the cluster. */
  readonly #bodies = new WeakMap<ApiRequest, Uint8Array>();
  /** For how long requests have waited for webhooks, ms. */
  readonly #waits = new WeakMap<ApiRequest, number>();
  /** When the last request was answered. */
  #lastMs = performance.now();
  #isClosing = false;

  constructor(means: DoorMeans) {
    this.#means = means;
  }

  /** Answers a request; never rejects. */
  async take(request: WireRequest, response: WireResponse): Promise<void> {
    const broken = new AbortController();
    response.on('close', () => broken.abort());
    response.on('error', () => broken.abort());
    request.on('error', () => broken.abort());
    try {
      await this.#take(request, response, broken.signal);
    } catch (error) {
      if (broken.signal.aborted || response.headersSent || error instanceof ConnectionLost) response.destroy();
      else {
        const answer = inAskedType(refusal(error), request.headers.accept);
        await this.#write(request, response, answer, broken.signal);
      }
    }
  }

  /** Real time since a request was under way that does not last as long as it is wanted, ms; 0 = one is. */
  get idleForMs(): number {
    const { reads, writes } = this.#inFlight;
    return reads + writes > 0 ? 0 : performance.now() - this.#lastMs;
  }

  /** Ends all watches; requests that come from now on are told to go elsewhere. */
  close(): void {
    this.#isClosing = true;
    for (const watch of this.#watches) watch.end();
    for (const response of this.#followed) response.end();
  }

  /** What a watch shares with others. @param asked - the request that asked for it */
  watching(asked: Pick<ApiRequest, 'method' | 'path' | 'query'>): WatchMeans {
    return { texts: this.#texts, turns: this.#turns, told: this.#metrics.eventsOf(asked) };
  }

  /** Does something inside the simulation, at a definite place. */
  within(task: ExternalInput): void {
    this.#means.clock.admit(task);
  }

  /** What the engine answers to a request that wants its connection for itself. @throws ApiError 401, 504 */
  upgraded(request: WireRequest): Promise<ApiAnswer> {
    const user = this.#means.userOf(request);
    if (user === undefined) throw new ApiError(401, 'Unauthorized', 'Unauthorized');
    const target = targetOf(request);
    const asked = { method: request.method ?? 'GET', ...target, headers: headersOf(request), user };
    return new Promise((resolve, reject) => this.#ask(asked, resolve, reject));
  }

  async #take(request: WireRequest, response: WireResponse, broken: AbortSignal): Promise<void> {
    const user = this.#means.userOf(request);
    if (user === undefined) throw new ApiError(401, 'Unauthorized', 'Unauthorized');
    const { path, query } = targetOf(request);
    const lasts = isLasting(path, query);
    const lane = isRead(request) ? 'reads' : 'writes';
    if (!lasts && this.#inFlight[lane] >= (lane === 'reads' ? MOST_READS : MOST_WRITES)) {
      return this.#write(request, response, TOO_MANY, broken);
    }
    if (!lasts) this.#inFlight[lane] += 1;
    const beganMs = performance.now();
    try {
      if (path === METRICS_PATH && request.method !== 'DELETE') {
        return await this.#write(request, response, await this.#metricsFor({ request, path, query, user }), broken);
      }
      const bytes = await this.#bytes(request, response);
      const isRemote = this.#means.remotes?.serve(path) === true;
      // What is theirs they read themselves.
      const isForOthers = bytes === undefined || isRemote;
      const body = isForOthers ? undefined : requestBody(bytes, request.headers['content-type']);
      const asked: ApiRequest = {
        method: request.method ?? 'GET',
        path,
        query,
        headers: headersOf(request),
        user,
        ...(body === undefined ? {} : { body }),
      };
      if (bytes !== undefined) this.#bodies.set(asked, bytes);
      if (this.#means.remotes !== undefined && DISCOVERY_PATH.test(path)) await this.#means.remotes.refresh();
      if (lasts) response.on('close', this.#metrics.begun(asked));
      await this.#admitted(asked, request, response, broken);
      if (!lasts) this.#metrics.answered(asked, performance.now() - beganMs, this.#waits.get(asked));
    } finally {
      if (!lasts) this.#inFlight[lane] -= 1;
      this.#lastMs = performance.now();
    }
  }

  /** The engine knows of users, and not of metrics. */
  async #metricsFor({
    request,
    ...asked
  }: Pick<ApiRequest, 'path' | 'query' | 'user'> & { readonly request: WireRequest }): Promise<ApiAnswer> {
    const headers = headersOf(request);
    const answer = await new Promise<ApiAnswer>((resolve, reject) =>
      this.#ask({ ...asked, method: 'GET', headers }, resolve, reject),
    );
    if ('status' in answer && answer.status !== 404) return answer;
    return metricsAnswer(`${await this.#means.metrics()}\n${await this.#metrics.text()}`);
  }

  async #bytes(request: WireRequest, response: WireResponse): Promise<Uint8Array | undefined> {
    if (isRead(request)) {
      request.resume();
      return undefined;
    }
    const late = setTimeout(() => response.destroy(), REQUEST_TIMEOUT_MS);
    try {
      return await readBody(request, Number(request.headers['content-length'] ?? 0));
    } catch (error) {
      // What has not been read yet would be taken for the next request of the connection.
      if (request.httpVersionMajor === 1) response.setHeader('connection', 'close');
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** Has the engine answer, between two of its ticks. */
  #admitted(asked: ApiRequest, request: WireRequest, response: WireResponse, broken: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        isLate = true;
        reject(timedOut());
      }, REQUEST_TIMEOUT_MS);
      let isLate = false;
      const answered = (answer: ApiAnswer): void => {
        clearTimeout(late);
        if (answer.type === 'watch') {
          this.#stream(answer, asked, request, response);
          resolve();
        } else if (answer.type === 'stream' && answer.verb === 'proxy') {
          this.#proxied(answer, asked, refused, (got) => {
            writeProxied(request, response, got);
            resolve();
          });
        } else if (answer.type === 'stream') {
          this.#streamOfNode(answer, asked, request, response);
          resolve();
        } else if (answer.type === 'text' && answer.remote !== undefined && this.#reaches(answer.remote)) {
          resolve(this.#forward(answer.remote, asked, response, broken));
        } else resolve(this.#write(request, response, answer, broken));
      };
      const refused = (error: Error): void => {
        clearTimeout(late);
        reject(error);
      };
      this.#ask(asked, answered, refused, () => {
        if (!isLate && !broken.aborted) return false;
        clearTimeout(late);
        resolve();
        return true;
      });
    });
  }

  /**
   * Has the engine answer at a place of its own, and again, at another, when admission has the request wait.
   *
   * @param isOver - whether nothing waits for the answer any more
   */
  #ask(
    asked: ApiRequest,
    answered: (answer: ApiAnswer) => void,
    refused: (error: Error) => void,
    isOver: () => boolean = () => false,
    attempts = new RequestAttempts(),
  ): void {
    this.#means.clock.admit((place) => {
      if (isOver()) return;
      try {
        answered(this.#means.answer(asked, place, attempts));
      } catch (error) {
        if (error instanceof AdmissionPending) {
          const sinceMs = performance.now();
          void error.settled.then(() => {
            this.#waits.set(asked, (this.#waits.get(asked) ?? 0) + performance.now() - sinceMs);
            this.#ask(asked, answered, refused, isOver, attempts);
          });
        } else refused(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  /** Asks a server in a container; what plays those that images start by themselves is loaded first. */
  #proxied(
    answer: StreamAnswer,
    asked: ApiRequest,
    refused: (error: Error) => void,
    answered: (answer: ServerAnswer) => void,
  ): void {
    const { nodes, clock } = this.#means;
    const { servers } = nodes;
    if (servers.isLoaded || servers.isAtHand) {
      servers.begin();
      return answered(proxied(nodes, answer, asked));
    }
    const ask = (): void => {
      servers.begin();
      try {
        answered(proxied(nodes, answer, asked));
      } catch (error) {
        refused(error as Error);
      }
    };
    void servers.load().then(() => clock.admit(ask), refused);
  }

  #reaches({ service }: RemoteTarget): boolean {
    return this.#means.remotes?.reaches(service) === true;
  }

  /** Takes a request to a server outside of the cluster, and its answer back as it comes. @throws ApiError 503 */
  async #forward(target: RemoteTarget, asked: ApiRequest, response: WireResponse, broken: AbortSignal): Promise<void> {
    const { method, path, query, headers } = asked;
    const search = query.size === 0 ? '' : `?${query.toString()}`;
    const request = { method, path: path + search, headers, body: this.#bodies.get(asked) };
    const answer = await this.#means.remotes?.ask(target, request, broken).catch((error: unknown) => {
      throw new ApiError(503, 'ServiceUnavailable', `error trying to reach service: ${(error as Error).message}`, {});
    });
    if (answer === undefined || broken.aborted) return;
    for (const [name, value] of Object.entries(answerHeaders(answer))) response.setHeader(name, value);
    response.statusCode = answer.statusCode ?? 502;
    if ('flushHeaders' in response) response.flushHeaders();
    await pipeline(answer, response).catch(() => response.destroy());
  }

  /** What a node gives as an ordinary answer: logs. Everything else needs the connection for itself. */
  #streamOfNode(
    { verb, namespace = '', name }: StreamAnswer,
    { query }: ApiRequest,
    request: WireRequest,
    response: WireResponse,
  ): void {
    const { nodes } = this.#means;
    if (verb !== 'log') {
      const pod = nodes.pod(namespace, name);
      if (verb !== 'portforward') chosenContainer(pod, query.get('container') ?? '');
      checkNode(pod, nodes);
      throw new ApiError(400, 'BadRequest', 'Upgrade request required');
    }
    const log = openLog(nodes, namespace, name, query);
    setHeaders(request, response, LOG_HEADERS);
    response.statusCode = log.hasContent ? 200 : 204;
    if ('flushHeaders' in response) response.flushHeaders();
    this.#followed.add(response);
    response.on('close', () => this.#followed.delete(response));
    log.write(response);
  }

  /** Opens a watch inside the input that asked for it, so that it misses no change. */
  #stream(answer: WatchAnswer, asked: ApiRequest, request: WireRequest, response: WireResponse): void {
    setHeaders(request, response, answer.headers);
    response.statusCode = answer.status;
    if ('flushHeaders' in response) response.flushHeaders();
    const watch: WatchWriter = new WatchWriter(response, this.watching(asked), () => {
      this.#watches.delete(watch);
    });
    this.#watches.add(watch);
    watch.open(answer);
    if (this.#isClosing) watch.end();
  }

  async #write(request: WireRequest, response: WireResponse, answer: ApiAnswer, broken: AbortSignal): Promise<void> {
    if (broken.aborted) return;
    if (answer.type === 'stream') return void response.end();
    setHeaders(request, response, answer.headers);
    response.statusCode = answer.status;
    if (this.#isClosing && request.httpVersionMajor === 1) response.setHeader('connection', 'close');
    if (request.method === 'HEAD') return void response.end();
    const isPretty = isForPeople(targetOf(request).query, request.headers['user-agent']);
    switch (answer.type) {
      case 'empty':
      case 'watch':
        return void response.end();
      case 'list':
        return this.#writeList(request, response, answer, isPretty);
      case 'text':
        return writeWhole(request, response, answer.text);
      case 'object': {
        const isBinary = answer.headers['content-type'] === OPENAPI_PROTOBUF;
        return writeWhole(request, response, isBinary ? encodeOpenApi(answer.value) : objectText(answer, isPretty));
      }
    }
  }

  async #writeList(request: WireRequest, response: WireResponse, answer: ListAnswer, isPretty: boolean): Promise<void> {
    const chunks = listText(answer, isPretty, this.#turns);
    const text: string[] = [];
    let length = 0;
    for (;;) {
      const next: IteratorResult<string, void> = await chunks.next();
      if (next.done === true) return writeWhole(request, response, text.join(''));
      text.push(next.value);
      length += next.value.length;
      if (length >= GZIP_FROM_BYTES) break;
    }
    const all = Readable.from(joined(text, chunks), { highWaterMark: 1 });
    if (!takesGzip(request)) return pipeline(all, response);
    markGzip(response);
    return pipeline(all, createGzip({ level: GZIP_LEVEL }), response);
  }
}

async function* joined(first: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first.join('');
  yield* rest;
}

function writeWhole(request: WireRequest, response: WireResponse, content: string | Uint8Array): void {
  let bytes = Buffer.from(content);
  if (bytes.length >= GZIP_FROM_BYTES && takesGzip(request)) {
    markGzip(response);
    bytes = gzipSync(bytes, { level: GZIP_LEVEL });
  }
  response.setHeader('content-length', bytes.length);
  response.end(bytes);
}

function writeProxied(
  request: WireRequest,
  response: WireResponse,
  { status, headers = {}, body }: ServerAnswer,
): void {
  setHeaders(request, response, headers);
  response.statusCode = status;
  const bytes = Buffer.from(body, 'latin1');
  response.setHeader('content-length', bytes.length);
  if (request.method === 'HEAD') response.end();
  else response.end(bytes);
}

function takesGzip(request: WireRequest): boolean {
  const accepted = request.headers['accept-encoding'];
  return typeof accepted === 'string' && /(?:^|,)\s*gzip\s*(?:[,;]|$)/.test(accepted);
}

function markGzip(response: WireResponse): void {
  response.setHeader('content-encoding', 'gzip');
  response.setHeader('vary', 'Accept-Encoding');
}

function setHeaders(request: WireRequest, response: WireResponse, headers: AnswerHeaders): void {
  response.setHeader('audit-id', auditId(request));
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, typeof value === 'string' ? value : [...value]);
  }
}

/** The client's own, if it has given the request a name; else a new one. */
function auditId(request: WireRequest): string {
  const own = request.headers['audit-id'];
  return typeof own === 'string' && own !== '' ? own : randomUUID();
}

function targetOf({ url = '/' }: WireRequest): { readonly path: string; readonly query: URLSearchParams } {
  const at = url.indexOf('?');
  return at < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, at), query: new URLSearchParams(readableQuery(url.slice(at + 1))) };
}

/** Without what Go's ParseQuery leaves out: pairs with a semicolon, or with a percent sign that escapes nothing. */
function readableQuery(query: string): string {
  if (!/[;%]/.test(query)) return query;
  const isUnreadable = /;|%(?![\da-f]{2})/i;
  return query
    .split('&')
    .filter((pair) => !isUnreadable.test(pair))
    .join('&');
}

/** Credentials and the headers of the connection are no matter of the engine's. */
const HIDDEN_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'connection', 'host']);

function headersOf(request: WireRequest): ApiRequest['headers'] {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(':') || HIDDEN_HEADERS.has(name)) continue;
    headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return headers;
}

function isRead({ method }: WireRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isLasting(path: string, query: URLSearchParams): boolean {
  return asksToWatch(query) || LASTING_PATH.test(path) || path.includes('/watch/');
}

/** A refusal as an answer. */
export function refusal(error: unknown): ApiAnswer {
  if (error instanceof ApiError) return statusAnswer(error);
  const what = error instanceof Error ? error.message : String(error);
  // A body of YAML that nests too deeply for the code that reads it.
  if (error instanceof RangeError)
    return statusAnswer(new ApiError(400, 'BadRequest', `the body is too deep: ${what}`));
  return statusAnswer(new ApiError(500, 'InternalError', `Internal error occurred: ${what}`, {}));
}

function timedOut(): ApiError {
  const message = 'Timeout: request did not complete within the allotted timeout';
  return new ApiError(504, 'Timeout', message, {});
}

const LOG_HEADERS: AnswerHeaders = { 'content-type': 'text/plain', 'cache-control': 'no-cache, private' };

const METRICS_PATH = '/metrics';

function metricsAnswer(text: string): ApiAnswer {
  const headers = {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
    'cache-control': 'no-cache, private',
  };
  return { type: 'text', status: 200, headers, text };
}

const TOO_MANY: ApiAnswer = {
  type: 'text',
  status: 429,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1', 'x-content-type-options': 'nosniff' },
  text: 'Too many requests, please try again later.\n',
};
