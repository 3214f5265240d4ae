/** Asks the room of API requests as a transport does, and shows what it answers. */
import type { ApiAnswer, ApiRequest, RequestUser, WatchFrame } from '../../src/requests/api-request.js';
import { createRequests } from '../../src/requests/requests.js';
import { createFixture, type Fixture } from '../apiserver/fixtures.js';

/** What a test says of a request. */
export interface Question {
  readonly body?: unknown;
  readonly accept?: string;
  readonly contentType?: string;
  readonly userAgent?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @defaultValue the administrator */
  readonly user?: RequestUser;
}

/** What a client sees. */
export interface Seen {
  readonly status: number;
  readonly headers: ApiAnswer extends infer A ? (A extends { readonly headers: infer H } ? H : never) : never;
  readonly body: unknown;
}

/** A server with the room in front of it. */
export interface Room extends Fixture {
  readonly ask: (method: string, path: string, question?: Question) => Seen;
  /** The frames of a watch, filled as it goes on. */
  readonly watch: (path: string, question?: Question) => WatchFrame[];
}

export function createRoom(): Room {
  const fixture = createFixture();
  const requests = createRequests(fixture);
  return {
    ...fixture,
    ask: (method, path, question = {}) => seen(requests.answer(requestOf(method, path, question))),
    watch: (path, question = {}) => {
      const answer = requests.answer(requestOf('GET', path, question));
      if (answer.type !== 'watch') throw new Error(`${path} is no watch: ${JSON.stringify(answer)}`);
      const frames: WatchFrame[] = [];
      answer.open((frame) => frames.push(frame));
      return frames;
    },
  };
}

function requestOf(method: string, path: string, question: Question): ApiRequest {
  const { body, accept, contentType = 'application/json', userAgent = 'tester/1', headers, user } = question;
  const { pathname, searchParams: query } = new URL(path, 'http://server');
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    method,
    path: pathname,
    query,
    headers: { accept, 'content-type': contentType, 'user-agent': userAgent, ...headers },
    body: text === undefined ? undefined : { text },
    ...(user === undefined ? {} : { user }),
  };
}

function seen(answer: ApiAnswer): Seen {
  if (answer.type === 'stream') return { status: 101, headers: {}, body: answer };
  const { status, headers } = answer;
  switch (answer.type) {
    case 'object':
      return { status, headers, body: JSON.parse(JSON.stringify(answer.value)) as unknown };
    case 'list': {
      const elements = Array.from({ length: answer.length }, (_, index) => answer.element(index));
      return { status, headers, body: { ...answer.head, [answer.field]: elements } };
    }
    default:
      return { status, headers, body: answer.type === 'text' ? answer.text : undefined };
  }
}

/** The namespaced paths of the tests. */
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
export const PODS = '/api/v1/namespaces/default/pods';
