/** What pods ask of nodes, node by node and zone by zone, as the scheduler counts it: requests against allocatable. */
import type { Node, Pod } from '../api/objects/objects.js';
import { podRequests } from '../api/pods/pod-resources.js';
import { cpuMillis, wholeValue } from '../api/values/quantity.js';
import { rounded } from './metric-store.js';

const ZONE_LABEL = 'topology.kubernetes.io/zone';
/** Nodes that say nothing of where they are. */
const NO_ZONE = '';
/** Zones that are told apart. */
const MOST_ZONES = 64;
const OTHER_ZONES = 'other zones';

/** Amounts of resources: CPU in thousandths, memory in bytes. */
interface Amounts {
  cpu: number;
  memory: number;
  pods: number;
}

interface NodeEntry {
  readonly zone: string;
  readonly allocatable: Amounts;
}

interface ZoneEntry {
  nodes: number;
  readonly allocatable: Amounts;
  readonly used: Amounts;
}

/** What of a zone's allocatable resources is asked for: 1 = all of it. */
export interface ZoneUse {
  readonly zone: string;
  readonly nodes: number;
  readonly cpu: number;
  readonly memory: number;
  readonly pods: number;
}

/** The nodes of a zone, one entry each in all lists. */
export interface ZoneNodes {
  readonly zone: string;
  readonly names: readonly string[];
  readonly cpu: readonly number[];
  readonly memory: readonly number[];
  readonly pods: readonly number[];
  /** The most that was asked for of a node's CPU at any time. */
  readonly peakCpu: readonly number[];
}

/** See the file header. */
export class NodeUse {
  readonly #nodes = new Map<string, NodeEntry>();
  readonly #used = new Map<string, Amounts>();
  readonly #peakCpu = new Map<string, number>();
  readonly #zones = new Map<string, ZoneEntry>();

  nodeWritten(node: Node, isDeleted: boolean): void {
    const { name } = node.metadata;
    const before = this.#nodes.get(name);
    if (isDeleted) {
      if (before !== undefined) this.#forget(name, before);
      return;
    }
    const allocatable = allocatableOf(node);
    const zone = this.#zoneOf(node);
    if (before?.zone === zone && isSame(before.allocatable, allocatable)) return;
    if (before !== undefined) this.#forget(name, before);
    this.#nodes.set(name, { zone, allocatable });
    const entry = this.#zone(zone);
    entry.nodes += 1;
    add(entry.allocatable, allocatable, 1);
    add(entry.used, this.#usedOf(name), 1);
  }

  /** A pod takes its place on a node, or (sign -1) gives it up. */
  podCounted(pod: Pod, sign: 1 | -1): void {
    const { nodeName } = pod.spec;
    if (nodeName === undefined) return;
    const requests = podRequests(pod.spec);
    const asked = { cpu: requests.get('cpu') ?? 0, memory: requests.get('memory') ?? 0, pods: 1 };
    const used = this.#usedOf(nodeName);
    add(used, asked, sign);
    if (sign === 1) this.#peakCpu.set(nodeName, Math.max(used.cpu, this.#peakCpu.get(nodeName) ?? 0));
    const node = this.#nodes.get(nodeName);
    if (node !== undefined) add(this.#zone(node.zone).used, asked, sign);
  }

  /** By name of the zone. */
  zones(): readonly ZoneUse[] {
    return [...this.#zones]
      .filter(([, { nodes }]) => nodes > 0)
      .map(([zone, { nodes, allocatable, used }]) => ({
        zone,
        nodes,
        cpu: share(used.cpu, allocatable.cpu),
        memory: share(used.memory, allocatable.memory),
        pods: used.pods,
      }))
      .toSorted((a, b) => compare(a.zone, b.zone));
  }

  /** Every node of every zone, those of a zone by how much is asked of them, the fullest first. */
  nodes(): readonly ZoneNodes[] {
    const zones = new Map<string, { name: string; cpu: number; memory: number; pods: number; peakCpu: number }[]>();
    for (const [name, { zone, allocatable }] of this.#nodes) {
      const used = this.#usedOf(name);
      const nodes = zones.get(zone) ?? [];
      zones.set(zone, nodes);
      nodes.push({
        name,
        cpu: share(used.cpu, allocatable.cpu),
        memory: share(used.memory, allocatable.memory),
        pods: used.pods,
        peakCpu: share(this.#peakCpu.get(name) ?? 0, allocatable.cpu),
      });
    }
    return [...zones]
      .toSorted(([a], [b]) => compare(a, b))
      .map(([zone, nodes]) => {
        const sorted = nodes.toSorted((a, b) => b.peakCpu - a.peakCpu || compare(a.name, b.name));
        return {
          zone,
          names: sorted.map(({ name }) => name),
          cpu: sorted.map(({ cpu }) => cpu),
          memory: sorted.map(({ memory }) => memory),
          pods: sorted.map(({ pods }) => pods),
          peakCpu: sorted.map(({ peakCpu }) => peakCpu),
        };
      });
  }

  #forget(name: string, { zone, allocatable }: NodeEntry): void {
    this.#nodes.delete(name);
    const entry = this.#zone(zone);
    entry.nodes -= 1;
    add(entry.allocatable, allocatable, -1);
    add(entry.used, this.#usedOf(name), -1);
  }

  #zoneOf({ metadata }: Node): string {
    const zone = metadata.labels?.[ZONE_LABEL] ?? NO_ZONE;
    return this.#zones.has(zone) || this.#zones.size < MOST_ZONES ? zone : OTHER_ZONES;
  }

  #zone(zone: string): ZoneEntry {
    let entry = this.#zones.get(zone);
    if (entry === undefined) this.#zones.set(zone, (entry = { nodes: 0, allocatable: nothing(), used: nothing() }));
    return entry;
  }

  #usedOf(node: string): Amounts {
    let used = this.#used.get(node);
    if (used === undefined) this.#used.set(node, (used = nothing()));
    return used;
  }
}

function allocatableOf({ status }: Node): Amounts {
  const { cpu = '0', memory = '0', pods = '0' } = status?.allocatable ?? {};
  return { cpu: cpuMillis(cpu), memory: wholeValue(memory), pods: wholeValue(pods) };
}

function nothing(): Amounts {
  return { cpu: 0, memory: 0, pods: 0 };
}

function add(target: Amounts, amounts: Amounts, sign: 1 | -1): void {
  target.cpu += sign * amounts.cpu;
  target.memory += sign * amounts.memory;
  target.pods += sign * amounts.pods;
}

function isSame(left: Amounts, right: Amounts): boolean {
  return left.cpu === right.cpu && left.memory === right.memory && left.pods === right.pods;
}

function share(used: number, allocatable: number): number {
  return allocatable > 0 ? rounded(used / allocatable) : 0;
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
