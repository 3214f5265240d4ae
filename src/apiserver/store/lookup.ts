import type { Kind, KindMap, ObjectName } from '../../api/objects/objects.js';
import type { Shelf } from './store.js';

/** The stored object of that name; namespaced kinds default to the namespace `default`. */
export function lookup<K extends Kind>(
  { resource, table }: Shelf<K>,
  { namespace, name }: ObjectName,
): KindMap[K] | undefined {
  return table.get(resource.isNamespaced ? namespace || 'default' : undefined, name);
}
