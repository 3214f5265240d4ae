/** Answers that many requests share: refusals as Status bodies, and the router's plain texts. */
import { ApiError } from '../api/errors/api-error.js';
import type { AnswerHeaders, ApiAnswer, ApiRequest, ObjectAnswer, TextAnswer } from './api-request.js';

/** Upstream's, for everything but discovery. */
export const NO_CACHE = 'no-cache, private';
const JSON_TYPE = 'application/json';

/** Headers of a JSON answer. */
export const JSON_HEADERS: AnswerHeaders = { 'content-type': JSON_TYPE, 'cache-control': NO_CACHE };

const PLAIN_HEADERS: AnswerHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': NO_CACHE,
};

/** A whole object. */
export function objectAnswer(value: object, status = 200, headers: AnswerHeaders = JSON_HEADERS): ObjectAnswer {
  return { type: 'object', status, headers, value };
}

/** A refusal as the API server words it. */
export function statusAnswer(error: ApiError): ObjectAnswer {
  const seconds = error.details?.retryAfterSeconds;
  const headers = seconds === undefined ? JSON_HEADERS : { ...JSON_HEADERS, 'retry-after': String(seconds) };
  return objectAnswer(error.toStatus(), error.code, headers);
}

/** A path that no group owns. */
export function pageNotFound(): ApiAnswer {
  return { type: 'text', status: 404, headers: PLAIN_HEADERS, text: '404 page not found\n' };
}

/** A server behind a service that does not answer. */
export const SERVICE_UNAVAILABLE: TextAnswer = {
  type: 'text',
  status: 503,
  headers: PLAIN_HEADERS,
  text: 'service unavailable\n',
};

/** A path whose escapes cannot be read. */
export const BAD_PATH: ApiAnswer = {
  type: 'text',
  status: 400,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  text: '400 Bad Request',
};

/** A path that names a verb, and nothing for it. */
export function unreadablePath(request: Pick<ApiRequest, 'path' | 'query'>): ApiAnswer {
  const why = `unable to determine kind and namespace from url, ${placeOf(request)}`;
  return unanswerable(request, `failed to create RequestInfo: ${why}`);
}

/** What is told in plain text, because nothing is known yet of what is asked. */
export function unanswerable(
  request: Pick<ApiRequest, 'path' | 'query'>,
  why: string,
  more: AnswerHeaders = {},
): ApiAnswer {
  const text = `Internal Server Error: "${placeOf(request)}": ${why}`.replace(
    /[&<>]/g,
    (each) => ESCAPED[each] ?? each,
  );
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    ...more,
  };
  return { type: 'text', status: 500, headers, text: `${text}\n` };
}

function placeOf({ path, query }: Pick<ApiRequest, 'path' | 'query'>): string {
  return `${path}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A resource that its group does not have. */
export function resourceNotFound(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** A method that a path does not take. */
export function methodNotAllowed(): ApiError {
  const text = 'the server does not allow this method on the requested resource';
  return new ApiError(405, 'MethodNotAllowed', text, {});
}
