import type { KindRegistry } from '../api/resource-kind.js';
import { parseKey, type Kind, type ObjectName } from '../api/objects.js';

/** Names an object as users do: `name`, `namespace/name`, or in parts. */
export type ObjectRef = string | ObjectName;

/** The namespace of objects that name none. */
const DEFAULT_NAMESPACE = 'default';

/** Completes a reference; namespaced kinds without a namespace live in `default`. */
export function resolveRef(kinds: KindRegistry, kind: Kind, ref: ObjectRef): ObjectName {
  const { namespace, name } = typeof ref === 'string' ? parseKey(ref) : ref;
  return kinds[kind].isNamespaced ? { namespace: namespace ?? DEFAULT_NAMESPACE, name } : { name };
}
