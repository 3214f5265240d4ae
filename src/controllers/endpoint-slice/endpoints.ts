/**
 * Pods as the endpoints of a service: address, conditions, place, and the ports that the service names
 * on them. Pure. Mirrors podToEndpoint and getEndpointPorts of k8s.io/endpointslice v1.34.
 */
import { isPodReady, isPodTerminal } from '../../api/objects/conditions.js';
import { ZONE_LABEL } from '../../api/objects/node-zone.js';
import { isSameJson } from '../../api/values/canonical-json.js';
import type { discovery, Node, Pod, Service } from '../../api/objects/objects.js';

/** Keys of endpoints that were asked for; endpoints never change. */
const KEYS = new WeakMap<discovery.Endpoint, string>();

/** Families of addresses that a slice may carry for pods. */
export type AddressType = 'IPv4' | 'IPv6';

/** A pod serves, or will, as long as it has an address and has not ended; one that terminates still does. */
export function isEndpoint(pod: Pod): boolean {
  return addressOf(pod) !== undefined && !isPodTerminal(pod);
}

/**
 * Whether services look again for a pod's change, as podEndpointsChanged of k8s.io/endpointslice v1.34 says it: for
 * its readiness and its addresses, and for every change of one that terminates, since two versions never hold the same
 * pointer to a deletion time. Not for its phase: what ends turns unready at the same time.
 */
export function concernsServices(previous: Pod, pod: Pod): boolean {
  return (
    previous.metadata.deletionTimestamp !== undefined ||
    pod.metadata.deletionTimestamp !== undefined ||
    isPodReady(previous) !== isPodReady(pod) ||
    !isSameJson(ipsOf(previous), ipsOf(pod))
  );
}

function ipsOf({ status: { podIP, podIPs } }: Pod): readonly (string | undefined)[] {
  return podIPs?.map(({ ip }) => ip) ?? (podIP === undefined ? [] : [podIP]);
}

/** The address of a pod in a family. */
export function addressOfType({ status }: Pod, type: AddressType): string | undefined {
  const ips = status.podIPs ?? (status.podIP === undefined ? [] : [{ ip: status.podIP }]);
  return ips.find(({ ip }) => ip !== undefined && isIPv6(ip) === (type === 'IPv6'))?.ip;
}

function addressOf({ status }: Pod): string | undefined {
  return status.podIP ?? status.podIPs?.[0]?.ip;
}

function isIPv6(address: string): boolean {
  return address.includes(':');
}

/** Families in which a service wants addresses: its own, or IPv4 where none is said. */
export function addressTypesOf({ spec }: Service): readonly AddressType[] {
  const families = spec.ipFamilies ?? [];
  return families.length === 0 ? ['IPv4'] : (families as readonly AddressType[]);
}

/** One endpoint. `ready` is what kube-proxy asks for; `serving` leaves aside whether the pod terminates. */
export function endpointOf(
  pod: Pod,
  address: string,
  { metadata: { name: serviceName }, spec }: Service,
  node: Node | undefined,
): discovery.Endpoint {
  const { metadata } = pod;
  const serving = isPodReady(pod);
  const terminating = metadata.deletionTimestamp !== undefined;
  const ready = spec.publishNotReadyAddresses === true || (serving && !terminating);
  const { hostname = '', subdomain = '', nodeName } = pod.spec;
  const zone = node?.metadata.labels?.[ZONE_LABEL];
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...(hostname !== '' && subdomain === serviceName ? { hostname } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: { kind: 'Pod', namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid },
    ...(zone === undefined ? {} : { zone }),
  };
}

/** Whether both stand for the same pod at the same place; their conditions may differ. */
export function endpointKey(endpoint: discovery.Endpoint): string {
  let key = KEYS.get(endpoint);
  if (key === undefined) {
    const { addresses, hostname = '', nodeName = '', targetRef } = endpoint;
    key = `${addresses.join(',')} ${hostname} ${nodeName} ${targetRef?.namespace ?? ''}/${targetRef?.name ?? ''}`;
    KEYS.set(endpoint, key);
  }
  return key;
}

/** The ports of a service on a pod; those that the pod has no name for are left out. */
export function endpointPorts({ spec }: Service, pod: Pod): discovery.EndpointPort[] {
  return (spec.ports ?? []).flatMap(({ name = '', protocol = 'TCP', appProtocol, port, targetPort }) => {
    const number = portNumber(targetPort ?? port, protocol, pod);
    if (number === undefined) return [];
    return [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

/** Sidecars may name ports as well as containers. */
function portNumber(target: number | string, protocol: string, { spec }: Pod): number | undefined {
  if (typeof target === 'number') return target;
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  for (const { ports = [] } of [...spec.containers, ...sidecars]) {
    for (const { name, protocol: spoken = 'TCP', containerPort } of ports) {
      if (name === target && spoken === protocol) return containerPort;
    }
  }
  return undefined;
}

/** Equal ports, equal text: slices of one text can share their endpoints. */
export function portsKey(ports: readonly discovery.EndpointPort[]): string {
  return ports
    .map(({ name = '', protocol, port, appProtocol }) => JSON.stringify([name, protocol, port, appProtocol]))
    .toSorted((a, b) => (a < b ? -1 : Number(a > b)))
    .join(' ');
}
