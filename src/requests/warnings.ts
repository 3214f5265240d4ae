/** Warnings of answers, one header a text, as upstream's warning recorder writes them. */
import type { AnswerHeaders, ApiAnswer, StreamAnswer } from './api-request.js';
import type { ResourceRequest } from './request-info.js';
import type { ServedResource } from './served-resources.js';

/** Resources of v1 that upstream would have clients leave. */
const DEPRECATED: Readonly<Record<string, string>> = {
  componentstatuses: 'v1 ComponentStatus is deprecated in v1.19+',
  endpoints: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};

/** What is to be said of a resource, whatever is asked of it. */
export function deprecationWarnings(
  { group, resource = '' }: ResourceRequest,
  { custom, version, kind }: ServedResource,
): readonly string[] {
  const { deprecated = false, deprecationWarning } = custom?.version.defined ?? {};
  if (deprecated) return [deprecationWarning ?? `${group}/${version} ${kind} is deprecated`];
  const text = group === '' && Object.hasOwn(DEPRECATED, resource) ? DEPRECATED[resource] : undefined;
  return text === undefined ? [] : [text];
}

/** The headers of some warnings. */
export function warningHeaders(warnings: readonly string[]): AnswerHeaders {
  return warnings.length === 0 ? {} : { warning: warnings.map(warningText) };
}

function warningText(text: string): string {
  return `299 - ${JSON.stringify(text)}`;
}

/** An answer with more of them. */
export function withWarnings(answer: Exclude<ApiAnswer, StreamAnswer>, warnings: readonly string[]): ApiAnswer {
  const { warning: own = [] } = answer.headers;
  const all = [...(typeof own === 'string' ? [own] : own), ...warnings.map(warningText)];
  return { ...answer, headers: { ...answer.headers, warning: all } };
}
