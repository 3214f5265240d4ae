/** Warnings of answers, one header a text, as upstream's warning recorder writes them. */
import type { CustomKind } from '../api/custom/custom-kind.js';
import type { AnswerHeaders, ApiAnswer, StreamAnswer } from './api-request.js';
import type { ResourceRequest } from './request-info.js';
import { compareVersions } from './custom/kube-aware-versions.js';
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
  if (custom?.version.defined.deprecated === true) {
    const { deprecationWarning } = custom.version.defined;
    return [deprecationWarning ?? `${group}/${version} ${kind} is deprecated${insteadOf(version, custom.kind)}`];
  }
  const text = group === '' && Object.hasOwn(DEPRECATED, resource) ? DEPRECATED[resource] : undefined;
  return text === undefined ? [] : [text];
}

/** The newest version that is served, not deprecated, and newer. */
function insteadOf(version: string, { kind, group, custom }: CustomKind): string {
  const better = custom.versions
    .filter(({ name, defined }) => defined.deprecated !== true && compareVersions(name, version) < 0)
    .map(({ name }) => name)
    .toSorted(compareVersions);
  const [newest] = better;
  return newest === undefined ? '' : `; use ${group}/${newest} ${kind}`;
}

/** The headers of some warnings. */
export function warningHeaders(warnings: readonly string[]): AnswerHeaders {
  const texts = tellable(warnings);
  return texts.length === 0 ? {} : { warning: texts };
}

function warningText(text: string): string {
  return `299 - ${JSON.stringify(text)}`;
}

/** Letters of all warnings from which on each is cut to so many. */
const MOST_LETTERS = 4096;
const MOST_OF_EACH = 256;

/** A text that is empty, or has line breaks or their like, makes no header. */
function tellable(warnings: readonly string[]): readonly string[] {
  const texts = warnings.filter((text) => text !== '' && !/\p{Cc}/u.test(text)).map((text) => Array.from(text));
  const isLong = texts.reduce((sum, { length }) => sum + length, 0) > MOST_LETTERS;
  let letters = 0;
  return texts.flatMap((text) => {
    if (isLong && letters >= MOST_LETTERS) return [];
    const shown = isLong ? text.slice(0, MOST_OF_EACH) : text;
    letters += shown.length;
    return [warningText(shown.join(''))];
  });
}

/** An answer with more of them. */
export function withWarnings(answer: Exclude<ApiAnswer, StreamAnswer>, warnings: readonly string[]): ApiAnswer {
  const { warning: own = [] } = answer.headers;
  const all = [...(typeof own === 'string' ? [own] : own), ...tellable(warnings)];
  if (all.length === 0) return answer;
  return { ...answer, headers: { ...answer.headers, warning: all } };
}
