/**
 * Addresses and ports of a service's pods as the subsets of its Endpoints: ports that the same addresses have are
 * together, each address once, in an order that depends on nothing else. Pure. Mirrors RepackSubsets of
 * pkg/api/v1/endpoints and truncateEndpoints of pkg/controller/endpoint, v1.34.
 */
import { createHash } from 'node:crypto';
import { printGo } from '../../api/go/go-print.js';
import { readStructs } from '../../api/go/go-struct.js';
import type { core } from '../../api/objects/objects.js';

type Address = core.EndpointAddress;
type Port = core.EndpointPort;
type Subset = core.EndpointSubset;

/** Addresses that one object holds at most. */
const MOST_ADDRESSES = 1000;

/** Upstream orders ports and subsets by the MD5 of their print. */
const STRUCTS = readStructs(`
EndpointSubset { Addresses:[]EndpointAddress NotReadyAddresses:[]EndpointAddress Ports:[]EndpointPort }
EndpointAddress { IP:string Hostname:string NodeName:*string TargetRef:*ObjectReference }
EndpointPort { Name:string Port:int32 Protocol:Protocol AppProtocol:*string }
ObjectReference { Kind:string Namespace:string Name:string UID:types.UID APIVersion:string ResourceVersion:string
  FieldPath:string }
`);

/** One pod on one port; without a port for a headless service that has none. */
export interface Place {
  readonly address: Address;
  readonly isReady: boolean;
  readonly port: Port | undefined;
}

interface Member {
  readonly address: Address;
  isReady: boolean;
}

/** The subsets that hold all places. */
export function packSubsets(places: readonly Place[]): Subset[] {
  const byPort = new Map<string, { readonly port: Port | undefined; readonly members: Map<string, Member> }>();
  for (const { address, isReady, port } of places) {
    const key = portKey(port);
    let found = byPort.get(key);
    if (found === undefined) byPort.set(key, (found = { port, members: new Map() }));
    const member = found.members.get(addressKey(address));
    if (member === undefined) found.members.set(addressKey(address), { address, isReady });
    else member.isReady &&= isReady;
  }
  const byAddresses = new Map<string, { readonly members: readonly Member[]; readonly ports: Port[] }>();
  for (const { port, members } of byPort.values()) {
    const sorted = [...members.values()].sort((left, right) => compareAddresses(left.address, right.address));
    const key = sorted.map(({ address }) => addressKey(address)).join(' ');
    let found = byAddresses.get(key);
    if (found === undefined) byAddresses.set(key, (found = { members: sorted, ports: [] }));
    if (port !== undefined) found.ports.push(port);
  }
  const subsets = [...byAddresses.values()].map(({ members, ports }) => subsetOf(members, ports));
  return sortedByHash('EndpointSubset', subsets);
}

/** Tells ports apart. */
export function portKey(port: Port | undefined): string {
  return port === undefined ? '' : JSON.stringify([port.name, port.port, port.protocol, port.appProtocol]);
}

/** @param members - sorted by {@link compareAddresses} */
export function subsetOf(members: readonly Readonly<Member>[], ports: readonly Port[]): Subset {
  const addresses: Address[] = [];
  const notReadyAddresses: Address[] = [];
  for (const { address, isReady } of members) (isReady ? addresses : notReadyAddresses).push(address);
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports.length === 0 ? {} : { ports: sortedByHash('EndpointPort', ports) }),
  };
}

/** At most a thousand addresses, ready ones first, of each subset its share; the list itself if it holds no more. */
export function truncated(subsets: readonly Subset[]): readonly Subset[] {
  const ready = count(subsets, 'addresses');
  const notReady = count(subsets, 'notReadyAddresses');
  if (ready + notReady <= MOST_ADDRESSES) return subsets;
  const cutsReady = ready > MOST_ADDRESSES;
  const room = cutsReady ? MOST_ADDRESSES : MOST_ADDRESSES - ready;
  const total = cutsReady ? ready : notReady;
  const field = cutsReady ? 'addresses' : 'notReadyAddresses';
  let left = room;
  return subsets.map((subset) => {
    const list = subset[field] ?? [];
    const kept = list.slice(0, Math.min(Math.ceil((list.length / total) * room), left));
    left -= kept.length;
    const { notReadyAddresses: _notReady, addresses, ...rest } = subset;
    if (cutsReady) return { ...rest, ...nonEmpty('addresses', kept) };
    return { ...rest, ...nonEmpty('addresses', addresses ?? []), ...nonEmpty('notReadyAddresses', kept) };
  });
}

/** Whether there are more addresses than one object holds. */
export function isOverCapacity(subsets: readonly Subset[]): boolean {
  return count(subsets, 'addresses') + count(subsets, 'notReadyAddresses') > MOST_ADDRESSES;
}

function nonEmpty(field: 'addresses' | 'notReadyAddresses', list: Address[]): Partial<Subset> {
  return list.length === 0 ? {} : { [field]: list };
}

function count(subsets: readonly Subset[], field: 'addresses' | 'notReadyAddresses'): number {
  return subsets.reduce((sum, subset) => sum + (subset[field]?.length ?? 0), 0);
}

function addressKey({ ip, targetRef }: Address): string {
  return `${ip}/${targetRef?.uid ?? ''}`;
}

/** By address, those of one address by the uid of their pod. */
export function compareAddresses(left: Address, right: Address): number {
  return compareTexts(left.ip, right.ip) || compareTexts(left.targetRef?.uid ?? '', right.targetRef?.uid ?? '');
}

function sortedByHash<T extends object>(type: string, items: readonly T[]): T[] {
  if (items.length < 2) return [...items];
  const hashed = items.map((item) => ({
    item,
    hash: createHash('md5')
      .update(printGo(STRUCTS, type, item))
      .digest('hex'),
  }));
  return hashed.sort((left, right) => compareTexts(left.hash, right.hash)).map(({ item }) => item);
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
