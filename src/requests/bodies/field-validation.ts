/** Fields that a kind does not know, and those that stand twice, in bodies of requests: refused, told of, or dropped without a word. */
import { decodeDraft } from '../../api/decoding/decode.js';
import { textFaults } from '../../api/decoding/text-faults.js';
import type { Draft } from '../../api/objects/objects.js';
import { typeKeyOf } from '../../api/types/type-facts.js';
import { badRequest } from '../../apiserver/store/api-errors.js';
import type { FieldValidation } from '../query-options.js';
import type { StatedBody } from './request-body.js';

/** Faults that a message names; upstream stops at as many. */
const MOST_NAMED = 100;

/** The draft without them, and what is to be said. @throws ApiError 400 */
export function validFields(
  { kind, group, version }: Readonly<Record<'kind' | 'group' | 'version', string>>,
  { draft, text, yamlFaults = [] }: StatedBody,
  validation: FieldValidation,
): { readonly draft: Draft; readonly warnings: readonly string[] } {
  const unknown: string[] = [];
  const decoded = decodeDraft({ kind, group, version }, draft, (fault) => unknown.push(fault));
  if (validation === 'Ignore') return { draft: decoded, warnings: [] };
  const found = text === undefined ? unknown : textFaults(text, typeKeyOf({ kind, group, version }));
  if (found.length + yamlFaults.length === 0) return { draft: decoded, warnings: [] };
  if (validation === 'Warn') return { draft: decoded, warnings: [...yamlFaults, ...found].slice(0, MOST_NAMED) };
  const ofYaml = yamlFaults.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${yamlFaults.join('\n  ')}`];
  const problem = `strict decoding error: ${[...ofYaml, ...found].slice(0, MOST_NAMED).join(', ')}`;
  throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`);
}
