/** Fields that a kind does not know, and those that stand twice, in bodies of requests: refused, told of, or dropped without a word. */
import { decodeDraft } from '../api/decoding/decode.js';
import type { Draft } from '../api/objects/objects.js';
import { badRequest } from '../apiserver/store/api-errors.js';
import type { FieldValidation } from './query-options.js';

/** Faults that a message names; upstream stops at as many. */
const MOST_NAMED = 100;

/**
 * The draft without them, and what is to be said.
 *
 * @param duplicates - paths of fields that stand twice
 * @throws ApiError 400
 */
export function validFields(
  { kind, group, version }: Readonly<Record<'kind' | 'group' | 'version', string>>,
  draft: Draft,
  validation: FieldValidation,
  duplicates: readonly string[] = [],
): { readonly draft: Draft; readonly warnings: readonly string[] } {
  const found: string[] = [];
  const decoded = decodeDraft({ kind, group, version }, draft, (text) => found.push(text));
  found.push(...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`));
  if (validation === 'Ignore' || found.length === 0) return { draft: decoded, warnings: [] };
  const named = found.slice(0, MOST_NAMED);
  if (validation === 'Warn') return { draft: decoded, warnings: named };
  const problem = `strict decoding error: ${named.join(', ')}`;
  throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`);
}
