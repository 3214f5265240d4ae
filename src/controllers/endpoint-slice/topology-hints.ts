/**
 * Hints for the annotation `service.kubernetes.io/topology-mode: Auto`: endpoints are shared out among zones as their
 * nodes' CPU is, most of them to their own zone, and none are where a zone would be overloaded by more than a fifth.
 * Pure. Mirrors k8s.io/endpointslice/topologycache v1.34; where its maps leave an order to chance, zones go by name.
 */
import { getCondition } from '../../api/objects/conditions.js';
import { ZONE_LABEL } from '../../api/objects/node-zone.js';
import type { discovery, EndpointSlice, Node, StringMap } from '../../api/objects/objects.js';
import { cpuMillis } from '../../api/values/quantity.js';
import type { SliceChanges, WantedSlice } from './slice-packing.js';

const EXCLUDED_LABELS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];
/** By how much more than its share a zone's endpoints may have to serve. */
const OVERLOAD = 0.2;

/** The part of the CPU of all ready nodes that each zone has. */
export type ZoneShares = ReadonlyMap<string, number>;
/** How many endpoints are for each zone. */
export type ZoneCounts = ReadonlyMap<string, number>;

/** What became of the hints. */
export type Topology =
  | { readonly changes: SliceChanges; readonly counts: ZoneCounts }
  /** There can be none, and why. */
  | { readonly refusal: string };

interface Allocation {
  readonly maximum: number;
  readonly desired: number;
}

/** Whether a service has the annotation, or its older form, which goes before it. */
export function isByTopology(annotations: StringMap = {}): boolean {
  const mode =
    annotations['service.kubernetes.io/topology-aware-hints'] ?? annotations['service.kubernetes.io/topology-mode'];
  return mode === 'Auto' || mode === 'auto';
}

/** The shares of zones; `undefined` if there are fewer than two, or a node's zone or CPU is not known. */
export function zoneShares(nodes: Iterable<Node>): ZoneShares | undefined {
  const millis = new Map<string, number>();
  let total = 0;
  for (const { metadata, status } of nodes) {
    const { labels = {} } = metadata;
    if (EXCLUDED_LABELS.some((label) => labels[label] !== undefined)) continue;
    if (getCondition(status.conditions, 'Ready')?.status !== 'True') continue;
    const zone = labels[ZONE_LABEL] ?? '';
    const cpu = cpuMillis(status.allocatable?.['cpu'] ?? '0');
    if (zone === '' || cpu === 0) return undefined;
    millis.set(zone, (millis.get(zone) ?? 0) + cpu);
    total += cpu;
  }
  if (millis.size < 2) return undefined;
  return new Map(
    [...millis].sort(([left], [right]) => (left < right ? -1 : 1)).map(([zone, cpu]) => [zone, cpu / total]),
  );
}

/** Whether a zone has fewer endpoints than it needs. */
export function isOverloaded(counts: ZoneCounts, shares: ZoneShares | undefined): boolean {
  if (counts.size === 0) return false;
  if (shares === undefined) return true;
  const total = sum(counts.values());
  for (const [zone, share] of shares) {
    const count = counts.get(zone);
    if (count === undefined || count < Math.ceil(total * share * (1 / (1 + OVERLOAD)))) return true;
  }
  return false;
}

/** The changes with hints for zones; slices that are as they should be stay. */
export function withTopologyHints(
  changes: SliceChanges,
  existing: readonly EndpointSlice[],
  shares: ZoneShares | undefined,
): Topology {
  const touched = new Set([...changes.update.map(({ original }) => original), ...changes.remove]);
  const unchanged = existing.filter((slice) => !touched.has(slice));
  const ready = sum(
    [...changes.create, ...changes.update, ...unchanged].map(({ endpoints }) => endpoints.filter(isReady).length),
  );
  const allocations = allocate(ready, shares);
  if (typeof allocations === 'string') return { refusal: allocations };
  const counts = new Map<string, number>();
  const update = [...changes.update];
  for (const original of unchanged) {
    const own = hintedZones(original, counts, allocations);
    if (own !== undefined) for (const [zone, count] of own) add(counts, zone, count);
    else
      update.push({
        ...original,
        addressType: original.addressType as WantedSlice['addressType'],
        ports: original.ports ?? [],
        original,
      });
  }
  const slices = [...changes.create, ...update].map((slice) => ({ ...slice, endpoints: [...slice.endpoints] }));
  for (const { endpoints } of slices) {
    for (const [index, endpoint] of endpoints.entries()) {
      if (!isReady(endpoint)) continue;
      const { zone = '' } = endpoint;
      if (zone === '') return { refusal: 'One or more endpoints do not have a zone specified' };
      add(counts, zone, 1);
      endpoints[index] = { ...endpoint, hints: { forZones: [{ name: zone }] } };
    }
  }
  redistribute(slices, counts, allocations);
  if (counts.size === 0) return { refusal: 'No hints allocated for zones' };
  const created = changes.create.length;
  return {
    changes: { create: slices.slice(0, created), update: slices.slice(created), remove: changes.remove },
    counts,
  };
}

function allocate(ready: number, shares: ZoneShares | undefined): ReadonlyMap<string, Allocation> | string {
  if (shares === undefined) {
    return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
  }
  const numbers = `(${ready} endpoints, ${shares.size} zones)`;
  if (shares.size > ready) return `Insufficient number of endpoints ${numbers}`;
  const needs = [...shares].map(([zone, share]) => {
    const exact = share * ready;
    const minimum = Math.ceil(exact * (1 / (1 + OVERLOAD)));
    return { zone, minimum, desired: Math.max(exact, minimum) };
  });
  const spare = ready - sum(needs.map(({ minimum }) => minimum));
  if (spare < 0) {
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${numbers}`;
  }
  return new Map(needs.map(({ zone, minimum, desired }) => [zone, { maximum: minimum + spare, desired }]));
}

/** The zones that a slice's endpoints are for; `undefined` when one has none, or a zone would have too many. */
function hintedZones(
  { endpoints }: EndpointSlice,
  counts: ZoneCounts,
  allocations: ReadonlyMap<string, Allocation>,
): ZoneCounts | undefined {
  const own = new Map<string, number>();
  for (const endpoint of endpoints) {
    if (!isReady(endpoint)) continue;
    const zones = endpoint.hints?.forZones ?? [];
    if (zones.length === 0 || !zones.every(({ name }) => allocations.has(name))) return undefined;
    for (const { name } of zones) add(own, name, 1);
  }
  for (const [zone, count] of own) {
    if (count + (counts.get(zone) ?? 0) > (allocations.get(zone)?.maximum ?? 0)) return undefined;
  }
  return own;
}

/** Endpoints of zones that have more than they should are for those that have less. */
function redistribute(
  slices: readonly { readonly endpoints: discovery.Endpoint[] }[],
  counts: Map<string, number>,
  allocations: ReadonlyMap<string, Allocation>,
): void {
  const { giving, receiving } = exchange(counts, allocations);
  for (const { endpoints } of slices) {
    for (const [index, endpoint] of endpoints.entries()) {
      const from = endpoint.zone ?? '';
      const [to] = receiving.keys();
      if (to === undefined) return;
      if (!isReady(endpoint) || !giving.has(from)) continue;
      endpoints[index] = { ...endpoint, hints: { forZones: [{ name: to }] } };
      take(giving, from);
      take(receiving, to);
      add(counts, to, 1);
      add(counts, from, -1);
    }
  }
}

function exchange(
  counts: ZoneCounts,
  allocations: ReadonlyMap<string, Allocation>,
): { readonly giving: Map<string, number>; readonly receiving: Map<string, number> } {
  const [surplus, want] = [new Map<string, number>(), new Map<string, number>()];
  for (const [zone, { desired }] of allocations) {
    const difference = (counts.get(zone) ?? 0) - desired;
    if (difference > 0) surplus.set(zone, difference);
    else if (difference < 0) want.set(zone, -difference);
  }
  const [giving, receiving] = [new Map<string, number>(), new Map<string, number>()];
  for (;;) {
    const [from, most] = greatest(surplus);
    const [to, least] = greatest(want);
    if (from === '' || to === '' || (most < 1 && least < 1) || most < 0.5 || least < 0.5) return { giving, receiving };
    add(giving, from, 1);
    add(receiving, to, 1);
    add(surplus, from, -1);
    add(want, to, -1);
  }
}

function greatest(counts: ZoneCounts): readonly [string, number] {
  let found: readonly [string, number] = ['', 0];
  for (const entry of counts) if (entry[1] > found[1]) found = entry;
  return found;
}

function add(counts: Map<string, number>, zone: string, count: number): void {
  counts.set(zone, (counts.get(zone) ?? 0) + count);
}

function take(counts: Map<string, number>, zone: string): void {
  const left = (counts.get(zone) ?? 0) - 1;
  if (left > 0) counts.set(zone, left);
  else counts.delete(zone);
}

function isReady({ conditions }: discovery.Endpoint): boolean {
  return conditions?.ready === true;
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
