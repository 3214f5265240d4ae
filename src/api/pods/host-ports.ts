/** Ports of the host that pods ask for and nodes have given away. Mirrors kube-scheduler v1.34 `framework.HostPortInfo`. */
import type { PodSpec } from '../objects/objects.js';

const ANY_IP = '0.0.0.0';

/** A host port with upstream's defaults filled in. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const NO_PORTS: readonly HostPort[] = [];

/** Host ports of containers and of sidecars; plain init containers do not count. */
export function hostPortsOf(spec: PodSpec): readonly HostPort[] {
  let ports: HostPort[] | undefined;
  const sidecars = spec.initContainers?.filter((container) => container.restartPolicy === 'Always') ?? [];
  for (const container of [...spec.containers, ...sidecars]) {
    for (const { hostPort, hostIP, protocol } of container.ports ?? []) {
      if (hostPort === undefined || hostPort <= 0) continue;
      (ports ??= []).push({ ip: hostIP || ANY_IP, protocol: protocol || 'TCP', port: hostPort });
    }
  }
  return ports ?? NO_PORTS;
}

/** The host ports in use on one node. A port taken twice is freed by the first that leaves, as upstream. */
export class HostPortUse {
  readonly #ips = new Map<string, Set<string>>();

  get size(): number {
    return this.#ips.size;
  }

  add({ ip, protocol, port }: HostPort): void {
    const key = `${protocol}/${port}`;
    const ips = this.#ips.get(key);
    if (ips === undefined) this.#ips.set(key, new Set([ip]));
    else ips.add(ip);
  }

  remove({ ip, protocol, port }: HostPort): void {
    const key = `${protocol}/${port}`;
    const ips = this.#ips.get(key);
    if (ips === undefined) return;
    ips.delete(ip);
    if (ips.size === 0) this.#ips.delete(key);
  }

  /** Whether the wanted port meets one in use: on any address, on all addresses, or on the same one. */
  conflictsWith({ ip, protocol, port }: HostPort): boolean {
    const ips = this.#ips.get(`${protocol}/${port}`);
    if (ips === undefined) return false;
    return ip === ANY_IP || ips.has(ANY_IP) || ips.has(ip);
  }

  clone(): HostPortUse {
    const copy = new HostPortUse();
    for (const [key, ips] of this.#ips) copy.#ips.set(key, new Set(ips));
    return copy;
  }
}

/** Whether two sets of host ports would meet on one node. */
export function arePortsInConflict(wanted: readonly HostPort[], taken: readonly HostPort[]): boolean {
  const use = new HostPortUse();
  for (const port of taken) use.add(port);
  return wanted.some((port) => use.conflictsWith(port));
}
