/**
 * Descriptions of nodes: groups of equal machines become one record a node. Pure data, made to be
 * handed to kubelets, which register the nodes.
 */
import type { core, ResourceList, StringMap, Taint } from '../api/objects.js';
import { InputError, printed } from './input-error.js';

/** A number of equal machines. */
export interface NodeGroup {
  /** How many, 0..100000. */
  readonly count: number;
  /** Names are this and a number, padded so that they sort. @defaultValue `node-` */
  readonly namePrefix?: string;
  /** Zones that take turns. @defaultValue none */
  readonly zones?: readonly string[];
  /** @defaultValue none */
  readonly region?: string;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly taints?: readonly Taint[];
  /** What a machine has. @defaultValue {@link DEFAULT_CAPACITY} */
  readonly capacity?: ResourceList;
  /**
   * What pods may use of it, said outright. @defaultValue the capacity, less what the kubelet's configuration reserves
   * and what its hard eviction thresholds keep free (100Mi of memory, 10 % of the disk)
   */
  readonly allocatable?: ResourceList;
  /** Images that are there from the start. */
  readonly images?: readonly core.ContainerImage[];
}

/** One node before it is registered. */
export interface NodeRecord {
  readonly name: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly taints: readonly Taint[];
  readonly capacity: ResourceList;
  /** See {@link NodeGroup.allocatable}. */
  readonly allocatable?: ResourceList | undefined;
  readonly images: readonly core.ContainerImage[];
}

/** Node groups that cannot be built. */
export class NodeGroupError extends InputError {
  override readonly name = 'NodeGroupError';
}

/** What a machine has unless its group says otherwise. */
export const DEFAULT_CAPACITY: ResourceList = {
  cpu: '32',
  memory: '128Gi',
  'ephemeral-storage': '512Gi',
  pods: '110',
};

/** The nodes of a cluster that was asked for a number only; spread a `count` over it. */
export const DEFAULT_NODE_GROUP = {
  namePrefix: 'node-',
  region: 'region-1',
  zones: ['zone-a', 'zone-b', 'zone-c'],
  capacity: DEFAULT_CAPACITY,
} as const satisfies Omit<NodeGroup, 'count'>;

const HOSTNAME_LABEL = 'kubernetes.io/hostname';
const REGION_LABEL = 'topology.kubernetes.io/region';
const ZONE_LABEL = 'topology.kubernetes.io/zone';
const PLATFORM_LABELS: StringMap = { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' };
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const QUANTITY = /^\+?(\d+\.?\d*|\.\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/;
const EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const MAX_COUNT = 100_000;

/**
 * The nodes of all groups, group by group.
 *
 * @throws NodeGroupError that names the group, the field, what it got and what is allowed
 */
export function buildNodes(groups: readonly NodeGroup[]): NodeRecord[] {
  groups.forEach(checkGroup);
  const records = groups.flatMap(nodesOf);
  const seen = new Set<string>();
  for (const { name } of records) {
    if (seen.has(name)) throw new NodeGroupError('nodes', 'namePrefix', `must give distinct names, got ${name} twice`);
    seen.add(name);
  }
  return records;
}

function nodesOf(group: NodeGroup): NodeRecord[] {
  const { count, namePrefix = DEFAULT_NODE_GROUP.namePrefix, zones = [], annotations = {}, taints = [] } = group;
  const { capacity = DEFAULT_CAPACITY, allocatable, images = [] } = group;
  const resources = allocatable === undefined ? { capacity } : { capacity, allocatable };
  const digits = String(Math.max(count - 1, 0)).length;
  return Array.from({ length: count }, (_, index) => {
    const name = `${namePrefix}${String(index).padStart(digits, '0')}`;
    const zone = zones[index % Math.max(zones.length, 1)];
    return { name, labels: labelsOf(group, name, zone), annotations, taints, ...resources, images };
  });
}

function labelsOf({ labels, region }: NodeGroup, name: string, zone: string | undefined): StringMap {
  return {
    ...PLATFORM_LABELS,
    [HOSTNAME_LABEL]: name,
    ...(region === undefined ? {} : { [REGION_LABEL]: region }),
    ...(zone === undefined ? {} : { [ZONE_LABEL]: zone }),
    ...labels,
  };
}

function checkGroup(group: NodeGroup, index: number): void {
  const refuse = (field: string, allowed: string, got: unknown): never => {
    throw new NodeGroupError(`nodes[${index}]`, field, `must be ${allowed}, got ${printed(got)}`);
  };
  const { count, namePrefix = DEFAULT_NODE_GROUP.namePrefix, taints = [] } = group;
  if (!Number.isInteger(count) || count < 0 || count > MAX_COUNT) {
    refuse('count', `an integer in 0..${MAX_COUNT}`, count);
  }
  if (typeof namePrefix !== 'string' || !NAME.test(`${namePrefix}0`)) {
    refuse('namePrefix', 'the start of a DNS name in lower case', namePrefix);
  }
  for (const field of ['capacity', 'allocatable'] as const) {
    for (const [resource, quantity] of Object.entries(group[field] ?? {})) {
      if (typeof quantity !== 'string' || !QUANTITY.test(quantity)) {
        refuse(`${field}.${resource}`, 'a quantity such as 500m or 128Gi', quantity);
      }
    }
  }
  for (const { effect } of taints) {
    if (!EFFECTS.includes(effect)) refuse('taints[].effect', `one of ${EFFECTS.join(', ')}`, effect);
  }
}
