/** Requests as they were recorded, sent to kubeloom's API server through the room of API requests. */
import type { ApiAnswer, RequestBody } from '../../../src/requests/api-request.js';
import { createRequests, type RequestsOptions } from '../../../src/requests/requests.js';
import { isObject } from '../recorded-lines.js';
import { textField } from './plain-object.js';
import type { RecordedRequest } from './story.js';

/** What a server says to a request. */
export interface RestAnswer {
  readonly code: number;
  /** Of a refusal; empty otherwise. */
  readonly message: string;
  /** The object or list, where there is one. */
  readonly value?: unknown;
}

/** Sends a request; a watch is opened and closed again, and refused with what it would tell first of all. */
export function sendRequest(ground: RequestsOptions, request: RecordedRequest): RestAnswer {
  const { pathname, searchParams: query } = new URL(request.path, 'http://server');
  const { method, contentType, body } = request;
  const headers = { 'content-type': contentType ?? undefined };
  return plainAnswer(
    createRequests({ ...ground, managedFields: false }).answer({
      method,
      path: pathname,
      query,
      headers,
      body: bodyOf(body),
    }),
  );
}

function bodyOf(body: unknown): RequestBody | undefined {
  if (body === null || body === undefined) return undefined;
  return typeof body === 'string' ? { text: body } : { value: body };
}

function plainAnswer(answer: ApiAnswer): RestAnswer {
  switch (answer.type) {
    case 'object':
      return ofValue(answer.status, answer.value);
    case 'list': {
      const items = Array.from({ length: answer.length }, (_, index) => answer.element(index));
      return { code: answer.status, message: '', value: { ...answer.head, [answer.field]: items } };
    }
    case 'watch':
      return watchOutcome(answer);
    case 'text':
      return { code: answer.status, message: answer.text.trim() };
    case 'empty':
      return { code: answer.status, message: '' };
    default:
      throw new Error(`a recorded request asks for the stream ${answer.verb} of a node`);
  }
}

function ofValue(code: number, value: unknown): RestAnswer {
  const isRefusal = isObject(value) && value['kind'] === 'Status' && code >= REFUSED;
  return isRefusal ? { code, message: textField(value, 'message') } : { code, message: '', value };
}

const REFUSED = 400;

function watchOutcome(answer: ApiAnswer & { readonly type: 'watch' }): RestAnswer {
  let refusal: RestAnswer | undefined;
  const watch = answer.open(({ type, object }) => {
    if (type === 'ERROR') refusal ??= ofValue((object as { readonly code: number }).code, object);
  });
  watch.close();
  return refusal ?? { code: answer.status, message: '' };
}
