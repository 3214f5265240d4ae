/**
 * Which slices to write so that a service's endpoints are in them with as few writes as possible:
 * slices that change anyway are filled first, then one that still has room, then new ones. Pure.
 * Mirrors reconcileByPortMapping and finalize of k8s.io/endpointslice v1.34.
 */
import type { discovery, EndpointSlice, StringMap } from '../../api/objects/objects.js';
import type { EndpointBook } from './endpoint-book.js';
import { portsKey, type AddressType } from './endpoints.js';

/** Upstream's --max-endpoints-per-slice. */
const MAX_ENDPOINTS_PER_SLICE = 100;

/** A slice as it should be; without an original it is a new one. */
export interface WantedSlice {
  readonly original: EndpointSlice | undefined;
  readonly addressType: AddressType;
  readonly endpoints: discovery.Endpoint[];
  readonly ports: discovery.EndpointPort[];
}

/** What to write, in this order. */
export interface SliceChanges {
  readonly create: WantedSlice[];
  readonly update: WantedSlice[];
  readonly remove: EndpointSlice[];
}

/** Changes for the slices of one family of addresses. @param books - by the key of their ports */
export function packSlices(
  addressType: AddressType,
  existing: readonly EndpointSlice[],
  books: ReadonlyMap<string, EndpointBook>,
  hasStaleMetadata: (slice: EndpointSlice) => boolean,
): SliceChanges {
  const changes: SliceChanges = { create: [], update: [], remove: [] };
  const byPorts = Map.groupBy(existing, ({ ports = [] }) => portsKey(ports));
  for (const [key, book] of books) {
    if (book.size > 0) packBook(changes, addressType, book, byPorts.get(key) ?? [], hasStaleMetadata);
  }
  for (const [key, slices] of byPorts) if ((books.get(key)?.size ?? 0) === 0) changes.remove.push(...slices);
  if (changes.remove.length === existing.length && changes.create.length === 0) keepPlaceholder(changes, addressType);
  return mergedWrites(changes);
}

/** A service without endpoints keeps one empty slice, so that its readers know that it has none. */
function keepPlaceholder({ create, remove }: SliceChanges, addressType: AddressType): void {
  const [only] = remove;
  const isPlaceholder = remove.length === 1 && only?.endpoints.length === 0 && (only.ports ?? []).length === 0;
  if (isPlaceholder) remove.pop();
  else create.push({ original: undefined, addressType, endpoints: [], ports: [] });
}

function packBook(
  changes: SliceChanges,
  addressType: AddressType,
  book: EndpointBook,
  existing: readonly EndpointSlice[],
  hasStaleMetadata: (slice: EndpointSlice) => boolean,
): void {
  const { ports } = book;
  book.read(existing);
  const left = book.unplaced();
  const changing: WantedSlice[] = [];
  const untouched: EndpointSlice[] = [];
  for (const original of existing) {
    const { kept, isChanged } = book.refreshed(original);
    if (kept.length === 0) changes.remove.push(original);
    else if (isChanged || hasStaleMetadata(original)) {
      changing.push({ original, addressType, endpoints: [...kept], ports });
    } else untouched.push(original);
  }
  for (const slice of changing.toSorted((a, b) => b.endpoints.length - a.endpoints.length)) fill(slice, left);
  while (left.size > 0) {
    const roomy = left.size < MAX_ENDPOINTS_PER_SLICE ? fullestWithRoom(untouched, left.size) : undefined;
    const slice = { original: roomy, addressType, endpoints: [...(roomy?.endpoints ?? [])], ports };
    fill(slice, left);
    if (roomy === undefined) changes.create.push(slice);
    else {
      untouched.splice(untouched.indexOf(roomy), 1);
      changing.push(slice);
    }
  }
  changes.update.push(...changing);
}

function fill({ endpoints }: WantedSlice, left: Map<string, discovery.Endpoint>): void {
  for (const [key, endpoint] of left) {
    if (endpoints.length >= MAX_ENDPOINTS_PER_SLICE) return;
    endpoints.push(endpoint);
    left.delete(key);
  }
}

function fullestWithRoom(slices: readonly EndpointSlice[], count: number): EndpointSlice | undefined {
  let fullest: EndpointSlice | undefined;
  for (const slice of slices) {
    const { length } = slice.endpoints;
    if (length + count > MAX_ENDPOINTS_PER_SLICE) continue;
    if (fullest === undefined || length > fullest.endpoints.length) fullest = slice;
  }
  return fullest;
}

/** A slice that would go and one that would come are one update. */
function mergedWrites({ create, update, remove }: SliceChanges): SliceChanges {
  const created = [...create];
  const removed = remove.filter((original) => {
    const heir = created.pop();
    if (heir === undefined) return true;
    update.push({ ...heir, original });
    return false;
  });
  return { create: created, update, remove: removed };
}

/** Labels of a service's slices, over those that others have put on one. */
export function sliceLabels(service: StringMap, name: string, isHeadless: boolean): StringMap {
  const { [HEADLESS_LABEL]: _ownHeadless, ...labels } = service;
  return {
    ...labels,
    [SERVICE_LABEL]: name,
    [MANAGED_BY_LABEL]: MANAGER,
    ...(isHeadless ? { [HEADLESS_LABEL]: '' } : {}),
  };
}

export const SERVICE_LABEL = 'kubernetes.io/service-name';
export const MANAGED_BY_LABEL = 'endpointslice.kubernetes.io/managed-by';
export const MANAGER = 'endpointslice-controller.k8s.io';
const HEADLESS_LABEL = 'service.kubernetes.io/headless';
