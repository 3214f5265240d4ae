import type { ApiServer } from '../apiserver/store/server-types.js';
import { parseKey, type Kind, type ObjectName } from '../api/objects/objects.js';
import { checkValue, type Check } from './option-checks.js';

/** Names an object as users do: `name`, `namespace/name`, or in parts. */
export type ObjectRef = string | ObjectName;

/** What a reference may be, for messages. */
export const REF_TEXT = 'a name, namespace/name or {namespace, name}';

const REF: Check = [REF_TEXT, isRef];

/** The namespace of objects that name none. */
const DEFAULT_NAMESPACE = 'default';

/**
 * Completes a reference; namespaced kinds without a namespace live in `default`.
 *
 * @throws ApiError for a kind that is not known; OptionError for what is no reference
 */
export function resolveRef(kinds: Pick<ApiServer, 'describe'>, kind: Kind, ref: ObjectRef): ObjectName {
  const { isNamespaced } = kinds.describe(kind);
  checkValue('object', ref, REF);
  const { namespace, name } = typeof ref === 'string' ? parseKey(ref) : ref;
  return isNamespaced ? { namespace: namespace ?? DEFAULT_NAMESPACE, name } : { name };
}

/** Whether a value names an object. */
export function isRef(ref: unknown): ref is ObjectRef {
  if (typeof ref === 'string') return true;
  if (typeof ref !== 'object' || ref === null || !('name' in ref)) return false;
  const { name, namespace } = ref as Partial<Record<'name' | 'namespace', unknown>>;
  return typeof name === 'string' && (namespace === undefined || typeof namespace === 'string');
}
