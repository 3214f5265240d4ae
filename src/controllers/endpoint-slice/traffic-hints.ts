/**
 * Hints after a service's `trafficDistribution`: each ready endpoint is for its own zone, and under `PreferSameNode`
 * for its own node too. Mirrors k8s.io/endpointslice/trafficdist v1.34 with the gates that are on by default.
 */
import { isSameJson } from '../../api/values/canonical-json.js';
import { mapShared } from '../../api/kinds/rules/filling.js';
import type { discovery, EndpointSlice } from '../../api/objects/objects.js';
import type { SliceChanges, WantedSlice } from './slice-packing.js';

const BY_ZONE: readonly unknown[] = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

/** Hints by node came with 1.33. */
interface EndpointHints extends discovery.EndpointHints {
  forNodes?: { name: string }[];
}

/** The hints that an endpoint should have; nothing where it should have none. */
type HintsOf = (endpoint: discovery.Endpoint) => EndpointHints | undefined;

/**
 * The changes with the hints that a service's distribution asks for; slices that nothing else would touch change for their hints
 * alone.
 *
 * @param existing - all slices of the family of addresses that `changes` are for
 */
export function withTrafficHints(
  distribution: string | undefined,
  changes: SliceChanges,
  existing: readonly EndpointSlice[],
): SliceChanges {
  const isByZone = BY_ZONE.includes(distribution);
  const hintsOf: HintsOf = (endpoint) => (isByZone ? placeOf(endpoint, distribution === 'PreferSameNode') : undefined);
  // Without a distribution no endpoint keeps a hint, with one those that are not ready keep theirs.
  const isJudged = (endpoint: discovery.Endpoint): boolean => !isByZone || endpoint.conditions?.ready === true;
  const hinted = (endpoint: discovery.Endpoint): discovery.Endpoint =>
    isJudged(endpoint) ? withHints(endpoint, hintsOf(endpoint)) : endpoint;
  const hintAll = (slice: WantedSlice): WantedSlice =>
    isByZone || slice.endpoints.some(hasHints) ? { ...slice, endpoints: mapShared(slice.endpoints, hinted) } : slice;
  const touched = new Set([...changes.update.map(({ original }) => original), ...changes.remove]);
  const update = changes.update.map(hintAll);
  for (const original of existing) {
    if (touched.has(original) || (!isByZone && isWithoutHints(original))) continue;
    const { endpoints, addressType, ports = [] } = original;
    const wanted = mapShared(endpoints, hinted);
    if (wanted !== endpoints) {
      update.push({ original, addressType: addressType as WantedSlice['addressType'], endpoints: wanted, ports });
    }
  }
  return { create: changes.create.map(hintAll), update, remove: changes.remove };
}

/** Slices in which no endpoint has hints; they never change. */
const WITHOUT_HINTS = new WeakSet<EndpointSlice>();

function isWithoutHints(slice: EndpointSlice): boolean {
  if (WITHOUT_HINTS.has(slice)) return true;
  if (slice.endpoints.some(hasHints)) return false;
  WITHOUT_HINTS.add(slice);
  return true;
}

function hasHints({ hints }: discovery.Endpoint): boolean {
  return hints !== undefined;
}

function placeOf({ zone, nodeName }: discovery.Endpoint, isByNode: boolean): EndpointHints | undefined {
  const forNodes = isByNode && nodeName !== undefined ? [{ name: nodeName }] : undefined;
  if (zone === undefined && forNodes === undefined) return undefined;
  return {
    ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
    ...(forNodes === undefined ? {} : { forNodes }),
  };
}

function withHints(endpoint: discovery.Endpoint, hints: EndpointHints | undefined): discovery.Endpoint {
  if (isSameJson(endpoint.hints, hints)) return endpoint;
  const { hints: _former, ...rest } = endpoint;
  return hints === undefined ? rest : { ...rest, hints };
}
