/** How a request and the stored object make the next state: pure, and sharing whatever stays equal. */
import type { Draft, Kind, KindMap } from '../../api/objects/objects.js';
import type { ResourceKind } from '../../api/objects/resource-kind.js';
import { updatedMetadata } from './metadata.js';
import { isSameJson } from '../../api/values/canonical-json.js';

/** What a request wants an object to be: a whole object, or a draft of one. */
type Wanted = Pick<Draft, 'metadata'>;
type Fields = Readonly<Record<string, unknown>>;

/** A stored object in the version in which it is to be written. */
export function formLike<K extends Kind>(resource: ResourceKind<K>, stored: KindMap[K], wanted: Wanted): KindMap[K] {
  const { inVersionOf } = resource;
  return inVersionOf === undefined
    ? stored
    : (inVersionOf(stored as unknown as Fields, wanted as { readonly apiVersion?: unknown }) as KindMap[K]);
}

/** What is to be stored, in the version in which its kind is. */
export function keptForm<K extends Kind>(resource: ResourceKind<K>, next: KindMap[K]): KindMap[K] {
  const { kept } = resource;
  return kept === undefined ? next : (kept(next as unknown as Fields) as KindMap[K]);
}

/** The main endpoint: everything but the status, and of metadata what clients may write. */
export function nextMain<K extends Kind>(resource: ResourceKind<K>, wanted: Wanted, previous: KindMap[K]): KindMap[K] {
  const metadata = updatedMetadata(previous.metadata, wanted.metadata);
  const next = { apiVersion: previous.apiVersion, kind: previous.kind, ...wanted, metadata };
  if (!resource.hasStatus) return next as unknown as KindMap[K];
  const { status } = previous as { readonly status?: unknown };
  return { ...next, status } as unknown as KindMap[K];
}

/** The status endpoint: metadata and status of the request, everything else as stored. */
export function nextStatus<K extends Kind>(wanted: Wanted, previous: KindMap[K], isCustom = false): KindMap[K] {
  const metadata = updatedMetadata(previous.metadata, wanted.metadata);
  // A status that is left out is empty, as a Go struct is; that of a custom resource is none.
  const { status = isCustom ? undefined : {} } = wanted as { readonly status?: unknown };
  return { ...previous, metadata, status } as unknown as KindMap[K];
}

/**
 * `next` with every top-level part of unchanged content replaced by the stored one;
 * `previous` itself when nothing changed at all.
 */
export function sharingUnchanged<K extends Kind>(next: KindMap[K], previous: KindMap[K]): KindMap[K] {
  const after = next as unknown as Readonly<Record<string, unknown>>;
  const before = previous as unknown as Readonly<Record<string, unknown>>;
  let shared: Record<string, unknown> | undefined;
  let isChanged = false;
  for (const part in after) {
    const value = after[part];
    const stored = before[part];
    if (value === stored) continue;
    if (!isSameJson(value, stored)) isChanged = true;
    else {
      shared ??= { ...after };
      shared[part] = stored;
    }
  }
  for (const part in before) if (before[part] !== undefined && !(part in after)) isChanged = true;
  if (!isChanged) return previous;
  return shared === undefined ? next : (shared as unknown as KindMap[K]);
}
