import { printedValue } from '../../kernel/printed-value.js';
import { nearestWord } from '../../kernel/nearest-word.js';
import { ApiError } from '../errors/api-error.js';
import type { Kind } from '../objects/objects.js';
import { isOptionalKind, USUAL_KINDS } from './optional-kinds.js';
import { kindRegistry, resolveResource } from './registry.js';

/** Names of all kinds that every API server keeps. */
export const KINDS: readonly Kind[] = USUAL_KINDS;

/** Whether a name is that of a kind that an API server may keep. */
function isKnownKind(kind: unknown): kind is Kind {
  return typeof kind === 'string' && Object.hasOwn(kindRegistry, kind);
}

/** Refuses what is no kind, which a program without types may ask for. @throws ApiError 404 that names the known ones */
export function requireKind(kind: unknown): asserts kind is Kind {
  if (!isKnownKind(kind)) throw unknownKind(kind);
}

/** The refusal of a kind that the API server does not keep. */
export function unknownKind(kind: unknown): ApiError {
  return new ApiError(404, 'NotFound', `the server could not find the requested resource: ${whyUnknown(kind)}`);
}

function whyUnknown(kind: unknown): string {
  if (typeof kind === 'string' && isOptionalKind(kind)) {
    const { group, version } = kindRegistry[kind as Kind];
    return `kind ${kind} is off, runtimeConfig with ${group}/${version}: true turns it on`;
  }
  const text = typeof kind === 'string' ? printedValue(kind) : typeof kind;
  const near = typeof kind === 'string' ? (resolveResource(kind) ?? nearestWord(kind, KINDS)) : undefined;
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return `kind ${text} is not known, known are ${KINDS.join(', ')}${hint}`;
}
