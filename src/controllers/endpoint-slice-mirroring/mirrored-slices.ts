/** The slices that say what the subsets of an Endpoints object do. Pure. */
import type { core, discovery } from '../../api/objects/objects.js';
import { endpointKey, portsKey, type AddressType } from '../endpoint-slice/endpoints.js';
import { packSubsets, type Place } from '../endpoints/subsets.js';

/** One of them. */
export interface MirroredSlice {
  /** Of its family and ports: no two slices have the same. */
  readonly key: string;
  readonly addressType: AddressType;
  readonly ports: discovery.EndpointPort[];
  readonly endpoints: discovery.Endpoint[];
}

/** What tells the slices of an object apart. */
export function mirrorKey(addressType: string, ports: readonly discovery.EndpointPort[]): string {
  return `${addressType} ${portsKey(ports)}`;
}

/** @param mostAddresses - of a subset; the others are skipped, ready ones last */
export function mirrorOf(
  subsets: readonly core.EndpointSubset[],
  mostAddresses: number,
): { readonly slices: readonly MirroredSlice[]; readonly skipped: number } {
  const byKey = new Map<
    string,
    Omit<MirroredSlice, 'endpoints'> & { readonly endpoints: Map<string, discovery.Endpoint> }
  >();
  let skipped = 0;
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of packSubsets(subsets.flatMap(placesOf))) {
    const all = [
      ...addresses.map((address) => endpointOf(address, true)),
      ...notReadyAddresses.map((address) => endpointOf(address, false)),
    ];
    const slicePorts = ports.map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
      name,
      port,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol }),
    }));
    skipped += Math.max(0, all.length - mostAddresses);
    for (const endpoint of all.slice(0, mostAddresses)) {
      const addressType = endpoint.addresses[0]?.includes(':') === true ? 'IPv6' : 'IPv4';
      const key = mirrorKey(addressType, slicePorts);
      let slice = byKey.get(key);
      if (slice === undefined) {
        slice = { key, addressType, ports: slicePorts, endpoints: new Map() };
        byKey.set(key, slice);
      }
      slice.endpoints.set(endpointKey(endpoint), endpoint);
    }
  }
  const slices = [...byKey.values()].map((slice) => ({ ...slice, endpoints: [...slice.endpoints.values()] }));
  return { slices, skipped };
}

function placesOf({ addresses = [], notReadyAddresses = [], ports = [] }: core.EndpointSubset): Place[] {
  const each = ports.length === 0 ? [undefined] : ports;
  return each.flatMap((port) => [
    ...addresses.map((address) => ({ address, isReady: true, port })),
    ...notReadyAddresses.map((address) => ({ address, isReady: false, port })),
  ]);
}

function endpointOf(
  { ip, hostname = '', nodeName, targetRef }: core.EndpointAddress,
  ready: boolean,
): discovery.Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === '' ? {} : { hostname }),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}
