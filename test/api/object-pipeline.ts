/** What the API server does to an object with the rules of api/, without storing anything. */
import { decodeDraft } from '../../src/api/decoding/decode.js';
import { invalidError } from '../../src/api/errors/field-errors.js';
import { kindRegistry } from '../../src/api/kinds/registry.js';
import type { Draft, Kind, KindMap } from '../../src/api/objects/objects.js';

/** Five letters, as the server appends them to `generateName`. */
export const NAME_SUFFIX = 'xxxxx';

/** A new object as it would be stored. @throws ApiError as the server does */
export function created<K extends Kind>(kind: K, draft: Draft, namespace = 'default'): KindMap[K] {
  const resource = kindRegistry[kind];
  const defaulted = resource.applyDefaults(decodeDraft(resource, draft));
  const { name, generateName = '', ...meta } = defaulted.metadata ?? {};
  const metadata = {
    ...meta,
    ...(generateName === '' ? {} : { generateName }),
    name: name ?? (generateName === '' ? '' : generateName + NAME_SUFFIX),
    ...(resource.isNamespaced ? { namespace } : {}),
    uid: 'u1',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  const object = { apiVersion: 'v1', kind, ...defaulted, metadata } as unknown as KindMap[K];
  const prepared = resource.prepareForCreate(object);
  const errors = resource.validateCreate(prepared);
  if (errors.length > 0) throw invalidError(resource, metadata.name, errors);
  return prepared;
}

/** An object after an update of the main resource. @throws ApiError as the server does */
export function updated<K extends Kind>(kind: K, draft: Draft, previous: KindMap[K]): KindMap[K] {
  const resource = kindRegistry[kind];
  const defaulted = resource.applyDefaults(decodeDraft(resource, draft)) as unknown as KindMap[K];
  const next = resource.prepareForUpdate(defaulted, previous);
  const errors = resource.validateUpdate(next, previous);
  if (errors.length > 0) throw invalidError(resource, previous.metadata.name, errors);
  return next;
}

/** The message of the refusal, or `accepted`. */
export function answerOf(run: () => unknown): string {
  try {
    run();
    return 'accepted';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
