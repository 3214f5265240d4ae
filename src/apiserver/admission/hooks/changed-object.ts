/** An object that webhooks or policies have changed, as the server takes it in (apiserver/pkg/admission, v1.34). */
import { ApiError } from '../../../api/errors/api-error.js';
import { decodingProblem } from '../../../api/decoding/converter-text.js';
import { convertDraft, decodeDraft } from '../../../api/decoding/decode.js';
import type { Draft, Kind, KindMap } from '../../../api/objects/objects.js';
import type { Attributes } from '../chain/attributes.js';
import type { BelowObject } from '../../store/request-context.js';
import { MutationError } from './mutations.js';

type Reading = 'lenient' | 'strict' | 'converted';

/**
 * What hooks have made of an object, as the server reads it.
 *
 * @param reading - of the text of a patch fields that a kind does not have are dropped or, strictly, refused; what has
 * been merged is no text any more
 * @throws ApiError, MutationError
 */
export function changedObject(
  next: Draft,
  object: KindMap[Kind],
  { resource, operation, hasDrawnName }: Attributes<Kind>,
  reading: Reading = 'lenient',
): KindMap[Kind] {
  const { kind, apiVersion } = object;
  const whole = { ...next, kind: next.kind ?? kind, apiVersion: next.apiVersion ?? apiVersion };
  const decoded = readAnew(resource, { ...whole, metadata: next.metadata ?? {} }, reading);
  const { name: drawn, namespace, uid, creationTimestamp, generation } = object.metadata;
  const { namespace: own = namespace, name: stated, resourceVersion = '', ...metadata } = decoded.metadata ?? {};
  // A name is drawn for an object that still asks for one.
  const isDrawn = hasDrawnName && (metadata.generateName ?? '') !== '';
  const name = stated ?? (isDrawn ? drawn : '');
  // One that a kind has no use for is dropped.
  const isPlaced = resource.isNamespaced && own !== undefined;
  const place = { ...metadata, name, resourceVersion, ...(isPlaced ? { namespace: own } : {}) };
  // What the server gives a new object it gives it after the hooks, whatever they say.
  const counted = generation === undefined ? {} : { generation };
  const given = operation === 'CREATE' ? { uid, creationTimestamp, ...counted } : {};
  return resource.applyDefaults({ ...decoded, metadata: { ...place, ...given } }) as unknown as KindMap[Kind];
}

/** What hooks have made of what is below an object. @throws ApiError 500 for what cannot be read */
export function changedPart(next: Draft, { kind }: BelowObject): Draft {
  try {
    return decodeDraft(kind, next);
  } catch (error) {
    throw unreadable(error);
  }
}

/** @throws ApiError 500 for what cannot be read */
function readAnew(resource: Attributes<Kind>['resource'], draft: Draft, reading: Reading): Draft {
  if (reading === 'converted' && resource.decode === undefined) return converted(resource, draft);
  const unknown: string[] = [];
  try {
    if (resource.decode !== undefined) return resource.decode(draft);
    const read = decodeDraft(resource, draft, (fault) => unknown.push(fault));
    if (reading !== 'strict' || unknown.length === 0) return read;
  } catch (error) {
    throw unreadable(error);
  }
  throw internalFailure(`strict decoding error: ${unknown.join(', ')}`);
}

function unreadable(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  return internalFailure(error.message.replace(/^\S+ in version "[^"]*" cannot be handled as a \S+: /, ''));
}

/** @throws MutationError */
function converted(resource: Attributes<Kind>['resource'], draft: Draft): Draft {
  try {
    return convertDraft(resource, draft, () => undefined);
  } catch (error) {
    const problem = error instanceof ApiError ? decodingProblem(error.message) : undefined;
    if (problem === undefined) throw error;
    const { group, version, kind } = resource;
    const of = `${group}/${version}, Kind=${kind}`;
    throw new MutationError(`unable to convert unstructured object to ${of}: ${problem}`);
  }
}

/** What went wrong on the server's side, as a refusal. */
export function internalFailure(text: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${text}`, { causes: [{ message: text }] });
}
