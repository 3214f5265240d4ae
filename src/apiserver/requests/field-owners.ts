/** The owners of an object's fields after a write: `metadata.managedFields`, where they are kept. */
import { entriesAfterUpdate, noteInitialOwners, ownersOf } from '../../api/ownership/managed-fields.js';
import { shownEvent } from '../../api/objects/event-form.js';
import type { Kind, KindMap } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import { typeKeyOf } from '../../api/types/type-facts.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { FieldManager } from '../store/server-types.js';

/** The writer of a request, its time, and what it stated. */
export interface OwnedWrite {
  readonly manager: FieldManager;
  readonly time: string;
  /** The object as the request has it, before admission. */
  readonly stated: object;
  /** API group of the request; absent = one of the cluster's own. */
  readonly group?: string | undefined;
}

/** The object with its owners; itself where nothing changed hands. */
export function withOwners<K extends Kind>(
  resource: ResourceKind<K>,
  next: KindMap[K],
  previous: KindMap[K] | undefined,
  { manager: { name, subresource, applied, given }, time, stated, group }: OwnedWrite,
): KindMap[K] {
  const stored = ownersOf(previous);
  const entries = given ?? stored;
  // An update of an object that is not tracked does not begin with it.
  if (previous !== undefined && entries.length === 0 && applied === undefined) {
    if (stored.length === 0) return next;
    const { managedFields: _owners, ...metadata } = next.metadata;
    return { ...next, metadata };
  }
  const { apiVersion, of } = formOf(next, group);
  const write = { manager: name, operation: 'Update', apiVersion, subresource, time } as const;
  const key = of === undefined ? typeKeyOf(resource) : EVENTS_TYPE;
  const type = { key, hasStatus: resource.hasStatus };
  const [old, now] = of === undefined ? [previous, stated] : [previous && of(previous), of(stated)];
  const after = applied ?? entriesAfterUpdate(type, old, now, entries, write);
  const isKept = previous?.metadata.managedFields !== undefined || stored.length === 0;
  if (isKept && (after === stored || isSameJson(after, stored))) return next;
  return { ...next, metadata: { ...next.metadata, managedFields: after } };
}

/**
 * What a cluster begins with belongs to what made it, which is not kept.
 *
 * @param stated - before admission
 * @param manager - undefined = the cluster has begun
 */
export function noteBeginning<K extends Kind>(
  resource: ResourceKind<K>,
  stored: KindMap[K],
  stated: object,
  manager: string | undefined,
): KindMap[K] {
  if (manager === undefined) return stored;
  const { creationTimestamp: time } = stored.metadata;
  const type = { key: typeKeyOf(resource), hasStatus: resource.hasStatus };
  const write = { operation: 'Update', apiVersion: stored.apiVersion, subresource: '', time } as const;
  const { rules, ...unaggregated } = stated as { readonly rules?: unknown };
  if (!('aggregationRule' in stated) || rules === undefined) {
    noteInitialOwners(stored, () => entriesAfterUpdate(type, undefined, stated, [], { ...write, manager }));
    return stored;
  }
  // The rules of a role that others make up are its controller's.
  noteInitialOwners(stored, () => {
    const own = entriesAfterUpdate(type, undefined, unaggregated, [], { ...write, manager });
    const aggregation = { ...write, operation: 'Apply', manager: 'clusterrole-aggregation-controller' } as const;
    return entriesAfterUpdate(type, unaggregated, stated, own, aggregation);
  });
  return stored;
}

const EVENTS_TYPE = typeKeyOf({ group: 'events.k8s.io', version: 'v1', kind: 'Event' });

/**
 * In which version an object is written. Of the cluster's own parts, those that write records with a time of their own
 * write to events.k8s.io.
 */
function formOf(
  object: KindMap[Kind],
  group: string | undefined,
): { readonly apiVersion: string; readonly of?: (object: object) => object } {
  const isNewEvent =
    object.kind === 'Event' &&
    (group === undefined
      ? (object as { readonly eventTime?: unknown }).eventTime !== undefined
      : group === 'events.k8s.io');
  return isNewEvent ? { apiVersion: 'events.k8s.io/v1', of: shownEvent } : { apiVersion: object.apiVersion };
}
