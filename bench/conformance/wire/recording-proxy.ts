/**
 * A proxy over plain HTTP between a client and a served cluster: adds the administrator's credentials, and notes what
 * passes, as the recorder did.
 */
import { createServer, request as send, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { Listening } from '../../../src/server/listen.js';
import type { Json } from '../recorded-lines.js';

/** A request that passed, and its answer as far as it has come. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  /** 0 = no answer has come. */
  status: number;
  answerHeaders: Readonly<Record<string, string>>;
  text: string;
}

/** Headers that are of one connection alone. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'host',
  'keep-alive',
  'transfer-encoding',
  'accept-encoding',
]);

/** See the file header. */
export class RecordingProxy {
  readonly #server: Server;
  readonly #target: Listening;
  #exchanges: Exchange[] = [];
  /** Asked before a request goes on. */
  gate: ((exchange: Exchange) => Promise<void>) | undefined;

  constructor(target: Listening) {
    this.#target = target;
    this.#server = createServer((request, response) => void this.#pass(request, response));
  }

  /** Opens it. @returns its URL */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What has passed since the last call. */
  taken(): readonly Exchange[] {
    const taken = this.#exchanges;
    this.#exchanges = [];
    return taken;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { pathname, search } = new URL(request.url ?? '/', 'http://proxy');
    const exchange: Exchange = {
      method: request.method ?? 'GET',
      path: pathname,
      query: search.slice(1),
      headers: plainHeaders(request),
      body: bodyOf(body, request.headers['content-type']),
      status: 0,
      answerHeaders: {},
      text: '',
    };
    this.#exchanges.push(exchange);
    await this.gate?.(exchange);
    const headers = { ...plainHeaders(request), authorization: `Bearer ${this.#target.token}` };
    const sent = send(new URL(request.url ?? '/', this.#target.url), { method: exchange.method, headers }, (answer) => {
      exchange.status = answer.statusCode ?? 0;
      exchange.answerHeaders = plainHeaders(answer);
      response.writeHead(exchange.status, exchange.answerHeaders);
      response.flushHeaders();
      // What is no text, such as protobuf, passes as it is.
      const decoder = new StringDecoder('utf8');
      answer.on('data', (bytes: Buffer) => {
        exchange.text += decoder.write(bytes);
        response.write(bytes);
      });
      answer.on('end', () => response.end());
      answer.on('error', () => response.destroy());
    });
    sent.on('error', () => response.destroy());
    response.on('close', () => sent.destroy());
    sent.end(body);
  }
}

function plainHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || OF_CONNECTION.has(name)) return [];
    return [[name, typeof value === 'string' ? value : value.join(', ')]];
  });
  return Object.fromEntries(entries);
}

function bodyOf(bytes: Buffer, type = ''): Json {
  if (bytes.length === 0) return null;
  if (type.includes('protobuf')) return { bytes: bytes.length };
  return jsonOrText(bytes.toString());
}

/** JSON as JSON, other text as text. */
export function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
