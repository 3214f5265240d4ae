/** A request of the Kubernetes API as a program makes it in one call, without a transport. */
import { AdmissionPending, RequestAttempts } from '../apiserver/store/request-context.js';
import { checkedOptions, TEXT, type Checks } from '../options/option-checks.js';
import { OptionError } from '../options/option-error.js';
import type { AnswerHeaders, ListAnswer } from '../requests/api-request.js';
import type { Requests } from '../requests/requests.js';

/** What is asked. */
export interface ClusterRequest {
  /** `GET`, `POST`, `PUT`, `PATCH`, `DELETE`, `HEAD`. */
  readonly method: string;
  /** With its query: `/api/v1/namespaces/default/pods?labelSelector=app%3Dweb`. */
  readonly path: string;
  /** An object, or a text of the type that the headers name. */
  readonly body?: unknown;
  /** By lower-case name. @defaultValue JSON */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is answered. */
export interface ClusterAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** An object of the API, a text, or nothing. */
  readonly body?: unknown;
}

const REQUEST: Checks<ClusterRequest> = {
  method: TEXT,
  path: ['a path such as /api/v1/pods', (value) => typeof value === 'string' && value.startsWith('/')],
  body: ['an object or a text', (value) => typeof value === 'string' || (typeof value === 'object' && value !== null)],
  headers: [
    'a mapping of names to texts',
    (value) =>
      typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string'),
  ],
};

/** @throws OptionError */
export function answerTo(
  requests: Pick<Requests, 'answer'>,
  request: ClusterRequest,
  attempts?: RequestAttempts,
): ClusterAnswer {
  const { method, path, body, headers = {} } = checkedOptions('', request, REQUEST, ['method', 'path']);
  const url = new URL(path, 'http://kubernetes');
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = requests.answer(
    {
      method,
      path: url.pathname,
      query: url.searchParams,
      headers: { 'content-type': type, ...headers },
      ...(body === undefined ? {} : { body: { text } }),
    },
    attempts,
  );
  const { type: form } = answer;
  if (form === 'watch' || form === 'stream') {
    throw new OptionError('path', 'one that a whole answer is given to: no watch, no log, no stream', path);
  }
  const { status, headers: told } = answer;
  if (answer.type === 'empty') return { status, headers: told };
  if (answer.type === 'text') return { status, headers: told, body: answer.text };
  return { status, headers: told, body: answer.type === 'list' ? listOf(answer) : answer.value };
}

/** The same once admission does not have it wait any more; at once where it never does. @throws OptionError */
export async function answerOnceAdmitted(
  requests: Pick<Requests, 'answer'>,
  request: ClusterRequest,
): Promise<ClusterAnswer> {
  const attempts = new RequestAttempts();
  for (;;) {
    try {
      return answerTo(requests, request, attempts);
    } catch (error) {
      if (!(error instanceof AdmissionPending)) throw error;
      await error.settled;
    }
  }
}

function listOf(answer: ListAnswer): object {
  const { head, field, length } = answer;
  return { ...head, [field]: Array.from({ length }, (_, index) => answer.element(index)) };
}
