/**
 * Which form an answer takes. Mirrors staging/src/k8s.io/apiserver/pkg/endpoints/handlers/negotiation (v1.34): the
 * clauses of Accept by their weight, each tried against what the server can write.
 */
import { ApiError } from '../api/errors/api-error.js';
import type { ApiAnswer } from './api-request.js';

/** What an answer is written as; protobuf is never written. */
export type WrittenType = 'application/json' | 'application/yaml';

/** Forms into which an object can be turned. */
export type Shape = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

/** The chosen form. */
export interface Form {
  readonly contentType: WrittenType;
  /** Absent = the object as it is. */
  readonly shape?: Shape;
  /** Of meta.k8s.io, with a shape. */
  readonly shapeVersion?: 'v1' | 'v1beta1';
}

/** One clause of an Accept header. */
export interface Clause {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const WRITTEN: readonly WrittenType[] = ['application/json', 'application/yaml'];
const SHAPES: ReadonlySet<string> = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);
const AVAILABLE = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

/** The clauses of an Accept header, the most wanted first. */
export function acceptClauses(accept: string | undefined): readonly Clause[] {
  if (accept === undefined || accept.trim() === '') return [{ type: '*/*', parameters: {} }];
  const clauses = accept.split(',').map((text) => {
    const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
    return { type: type.toLowerCase(), parameters: Object.fromEntries(parameters.map(parameterOf)) };
  });
  return clauses.toSorted((a, b) => weightOf(b) - weightOf(a));
}

function parameterOf(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return at === -1
    ? [text, '']
    : [
        text.slice(0, at).trim(),
        text
          .slice(at + 1)
          .trim()
          .replaceAll('"', ''),
      ];
}

function weightOf({ parameters }: Clause): number {
  const weight = Number(parameters['q'] ?? '1');
  return Number.isFinite(weight) ? weight : 1;
}

/** The first written type that a clause takes. */
function writtenFor({ type }: Clause): WrittenType | undefined {
  return WRITTEN.find(
    (each) => type === each || type === '*/*' || (type === 'application/*' && each.startsWith('application/')),
  );
}

/**
 * @param hasShapes - whether the resource can be turned into other shapes; what is only answered cannot
 * @throws ApiError 406 when nothing that is accepted can be written
 */
export function chooseForm(accept: string | undefined, hasShapes = true): Form {
  for (const clause of acceptClauses(accept)) {
    const contentType = writtenFor(clause);
    if (contentType === undefined) continue;
    const { as, g, v, sv } = clause.parameters;
    if (sv !== undefined && sv !== '') continue;
    if (as === undefined) return { contentType };
    const isKnown = SHAPES.has(as) && g === 'meta.k8s.io' && (v === 'v1' || v === 'v1beta1');
    if (isKnown && hasShapes) return { contentType, shape: as as Shape, shapeVersion: v };
  }
  throw notAcceptable();
}

/** Whether a refusal can be written as it is accepted; one that cannot is written nevertheless, for people. */
export function isAcceptable(accept: string | undefined): boolean {
  if (accept === undefined || accept === 'application/json') return true;
  try {
    return chooseForm(accept, false).shape === undefined;
  } catch {
    return false;
  }
}

/** An answer of JSON, written as YAML where that is wanted more. */
export function inAskedType<T extends ApiAnswer>(answer: T, accept: string | undefined): T {
  if (accept?.includes('yaml') !== true || answer.type !== 'object') return answer;
  if (answer.headers['content-type'] !== 'application/json') return answer;
  const wanted = acceptClauses(accept).find(
    (clause) => writtenFor(clause) !== undefined && clause.parameters['as'] === undefined,
  );
  if (wanted === undefined || writtenFor(wanted) !== 'application/yaml') return answer;
  return { ...answer, headers: { ...answer.headers, 'content-type': 'application/yaml' } };
}

/**
 * What a route asks of Accept before anything else: one of the types that it writes, whatever is said of its form.
 *
 * @throws ApiError 406
 */
export function checkWritten(accept: string | undefined, isCollection: boolean): void {
  if (accept === undefined || accept === 'application/json') return;
  if (acceptClauses(accept).some(({ type }) => ROUTED.has(type))) return;
  throw notRouted(`${AVAILABLE}${isCollection ? `, ${STREAMED.join(', ')}` : ''}`);
}
const ROUTED: ReadonlySet<string> = new Set(['*/*', ...AVAILABLE.split(', ')]);

/** {@link checkWritten} of a route that writes JSON alone. @throws ApiError 406 */
export function checkWrittenAsJson(accept: string | undefined): void {
  if (acceptClauses(accept).some(({ type }) => type === '*/*' || type === 'application/json')) return;
  throw notRouted('application/json');
}

function notRouted(types: string): ApiError {
  return new ApiError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${types}`, {});
}
const STREAMED = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

function notAcceptable(types = AVAILABLE): ApiError {
  return new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${types}`);
}

/** A watch is written in what can be written piece by piece. @throws ApiError 406 for a form that cannot */
export function checkStreamed({ contentType }: Form): void {
  if (contentType !== 'application/json') throw notAcceptable(STREAMED.join(', '));
}

/** A media type without its parameters. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** 415 of a body. */
export function unsupportedBody(): ApiError {
  const text = 'the body of the request was in an unknown format - accepted media types include: ';
  return new ApiError(415, 'UnsupportedMediaType', text + AVAILABLE);
}
