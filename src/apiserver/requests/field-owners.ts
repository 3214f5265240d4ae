/** The owners of an object's fields after a write: `metadata.managedFields`, where they are kept. */
import { entriesAfterUpdate, ownersOf } from '../../api/ownership/managed-fields.js';
import type { Kind, KindMap } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import { typeKeyOf } from '../../api/types/type-facts.js';
import { isSameContent } from '../store/stored-object.js';
import type { FieldManager } from '../store/server-types.js';

/** The writer of a request, its time, and what it stated. */
export interface OwnedWrite {
  readonly manager: FieldManager;
  readonly time: string;
  /** The object as the request has it, before admission. */
  readonly stated: object;
}

/** The object with its owners; itself where nothing changed hands. */
export function withOwners<K extends Kind>(
  resource: ResourceKind<K>,
  next: KindMap[K],
  previous: KindMap[K] | undefined,
  { manager: { name, subresource, applied }, time, stated }: OwnedWrite,
): KindMap[K] {
  const entries = ownersOf(previous);
  // An update of an object that is not tracked does not begin with it.
  if (previous !== undefined && entries.length === 0 && applied === undefined) return next;
  const { apiVersion } = next;
  const write = { manager: name, operation: 'Update', apiVersion, subresource, time } as const;
  const type = { key: typeKeyOf(resource), hasStatus: resource.hasStatus };
  const after = applied ?? entriesAfterUpdate(type, previous, stated, entries, write);
  if (after === entries || isSameContent(after, entries)) return next;
  return { ...next, metadata: { ...next.metadata, managedFields: after } };
}
