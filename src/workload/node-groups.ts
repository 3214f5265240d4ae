/**
 * Descriptions of nodes: groups of equal machines become one record a node. Pure data, made to be
 * handed to kubelets, which register the nodes.
 */
import type { core, ResourceList, StringMap, Taint } from '../api/objects/objects.js';
import { parseDurationMs } from '../kernel/distribution.js';
import { nearestWord } from '../kernel/nearest-word.js';
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
  /** From the moment at which one more machine is asked for to that at which it starts. @defaultValue none */
  readonly provisioningDelay?: number | string;
  /**
   * How far the cluster autoscaler may change their number. The group is a NodePool then, named as its prefix without
   * the hyphen at the end. @defaultValue their number stays
   */
  readonly autoscaling?: GroupAutoscaling;
}

/** See {@link NodeGroup.autoscaling}. */
export interface GroupAutoscaling {
  /** 0..100000. @defaultValue 0 */
  readonly min?: number;
  /** From `min` on, to 100000. */
  readonly max: number;
  /** Of one node for an hour, for the expander `price`. @defaultValue unknown */
  readonly price?: number;
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
type Fields = Readonly<Record<string, unknown>>;

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const QUANTITY = /^\+?(\d+(?:\.\d*)?|\.\d+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d+)?$/;
const EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const MAX_COUNT = 100_000;

/**
 * The nodes of all groups, group by group.
 *
 * @throws NodeGroupError that names the group, the field, what it got and what is allowed
 */
export function buildNodes(groups: readonly NodeGroup[]): NodeRecord[] {
  groups.forEach(checkNode);
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

/** What a field of a node or of a group of nodes may be. */
type FieldCheck = readonly [allowed: string, isAllowed: (value: unknown) => boolean];

const TEXTS: FieldCheck = ['a mapping of texts', (value) => isMapping(value) && Object.values(value).every(isText)];
const COMMON_CHECKS: Readonly<Record<string, FieldCheck>> = {
  labels: TEXTS,
  annotations: TEXTS,
  taints: ['a list of taints such as {key, effect}', (value) => isListOf(value, isMapping)],
  capacity: ['a mapping of quantities', isMapping],
  allocatable: ['a mapping of quantities', isMapping],
  images: ['a list of images such as {names, sizeBytes}', (value) => isListOf(value, isImage)],
  kubelet: ['a mapping', isMapping],
  staticPods: ['a list of manifests', (value) => isListOf(value, isMapping)],
  devices: ['a list of devices such as {driver, count}', (value) => isListOf(value, isMapping)],
};
const GROUP_CHECKS: Readonly<Record<string, FieldCheck>> = {
  count: [
    `an integer in 0..${MAX_COUNT}`,
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT,
  ],
  namePrefix: ['the start of a DNS name in lower case', (value) => isText(value) && NAME.test(`${value}0`)],
  zones: ['a list of texts', (value) => isListOf(value, isText)],
  region: ['a text', isText],
  provisioningDelay: [
    'milliseconds >= 0 or a duration such as "90s"',
    (value) => (isText(value) ? parseDurationMs(value) : amountOf(value)) !== undefined,
  ],
  autoscaling: ['a mapping such as {min: 1, max: 10}', isMapping],
  ...COMMON_CHECKS,
};
const RECORD_CHECKS: Readonly<Record<string, FieldCheck>> = {
  name: ['a DNS name in lower case', (value) => isText(value) && NAME.test(value)],
  ...COMMON_CHECKS,
};
const OPTIONAL_OF_RECORDS: readonly string[] = ['allocatable', 'kubelet', 'staticPods', 'devices'];
const IMAGE_FIELDS: readonly string[] = ['names', 'sizeBytes'];
const TAINT_FIELDS: readonly string[] = ['key', 'value', 'effect', 'timeAdded'];

/**
 * Looks at a group of nodes, or at one node in detail, that has the place `index` in its list.
 *
 * @throws NodeGroupError that names the field, what it got and what is allowed
 */
export function checkNode(node: unknown, index: number): asserts node is NodeGroup | NodeRecord {
  const refuse = (field: string, problem: string): never => {
    throw new NodeGroupError(`nodes[${index}]`, field, problem);
  };
  if (!isMapping(node)) return refuse('', `must be a group with a count or a node with a name, got ${printed(node)}`);
  const isGroup = 'count' in node || !('name' in node);
  const checks = isGroup ? GROUP_CHECKS : RECORD_CHECKS;
  for (const field of Object.keys(node)) {
    if (Object.hasOwn(checks, field)) continue;
    const known = Object.keys(checks);
    const near = nearestWord(field, known);
    refuse(
      field,
      `is not known here; known are ${known.join(', ')}${near === undefined ? '' : `; did you mean ${near}?`}`,
    );
  }
  for (const [field, [allowed, isAllowed]] of Object.entries(checks)) {
    const value = node[field];
    const mayBeAbsent = isGroup ? field !== 'count' : OPTIONAL_OF_RECORDS.includes(field);
    if (!(value === undefined && mayBeAbsent) && !isAllowed(value))
      refuse(field, `must be ${allowed}, got ${printed(value)}`);
  }
  checkValues(node, refuse);
  checkAutoscaling(node, refuse);
  const { devices = [] } = node as { readonly devices?: readonly Fields[] };
  for (const [at, each] of devices.entries())
    checkDevices(each, (field, problem) => refuse(`devices[${at}]${field}`, problem));
}

/** Whether a description of nodes is one of a pool that is autoscaled. */
export function isPoolDescription(node: object): node is NodeGroup {
  return 'autoscaling' in node && node.autoscaling !== undefined;
}

const AUTOSCALING_FIELDS: readonly string[] = ['min', 'max', 'price'];

function checkAutoscaling(
  { autoscaling, provisioningDelay, kubelet, staticPods }: Readonly<Record<string, unknown>>,
  refuse: (field: string, problem: string) => never,
): void {
  const beside = { kubelet, staticPods };
  if (autoscaling === undefined) {
    if (provisioningDelay !== undefined) refuse('provisioningDelay', 'is for groups with autoscaling');
    return;
  }
  if (!isMapping(autoscaling)) return;
  for (const [field, value] of Object.entries(beside)) {
    if (value !== undefined) refuse(field, 'is not for groups with autoscaling');
  }
  const unknown = Object.keys(autoscaling).find((field) => !AUTOSCALING_FIELDS.includes(field));
  if (unknown !== undefined)
    refuse(`autoscaling.${unknown}`, `is not known here; known are ${AUTOSCALING_FIELDS.join(', ')}`);
  const { min = 0, max, price } = autoscaling;
  if (!isCount(min, 0)) refuse('autoscaling.min', `must be an integer in 0..${MAX_COUNT}, got ${printed(min)}`);
  if (!isCount(max, min as number))
    refuse('autoscaling.max', `must be an integer in ${String(min)}..${MAX_COUNT}, got ${printed(max)}`);
  if (price !== undefined && amountOf(price) === undefined)
    refuse('autoscaling.price', `must be a number >= 0, got ${printed(price)}`);
}

function isCount(value: unknown, least: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= MAX_COUNT;
}

function amountOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function checkValues(node: Partial<NodeRecord>, refuse: (field: string, problem: string) => never): void {
  for (const field of ['capacity', 'allocatable'] as const) {
    for (const [resource, quantity] of Object.entries(node[field] ?? {}) as readonly (readonly [string, unknown])[]) {
      if (typeof quantity === 'string' && QUANTITY.test(quantity)) continue;
      refuse(`${field}.${resource}`, `must be a quantity such as 500m or 128Gi, got ${printed(quantity)}`);
    }
  }
  for (const [index, taint] of (node.taints ?? []).entries()) {
    const unknown = Object.keys(taint).find((field) => !TAINT_FIELDS.includes(field));
    if (unknown !== undefined)
      refuse(`taints[${index}].${unknown}`, `is not known here; known are ${TAINT_FIELDS.join(', ')}`);
    if (!EFFECTS.includes(taint.effect))
      refuse('taints[].effect', `must be one of ${EFFECTS.join(', ')}, got ${printed(taint.effect)}`);
    for (const field of ['key', 'value'] as const) {
      const text: unknown = taint[field] ?? (field === 'key' ? undefined : '');
      if (!isText(text)) refuse(`taints[${index}].${field}`, `must be a text, got ${printed(text)}`);
    }
  }
}

const MOST_DEVICES = 1024;
const DRIVER: FieldCheck = [
  'a domain such as gpu.example.com',
  (value) => isText(value) && NAME.test(value) && value.length <= 63,
];
const VALUES = 'texts, whole numbers, truths and {version}, or lists of them';
const DEVICE_CHECKS: Readonly<Record<string, FieldCheck>> = {
  driver: DRIVER,
  count: [
    `an integer in 1..${MOST_DEVICES}`,
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_DEVICES,
  ],
  namePrefix: [
    'the start of a DNS label in lower case',
    (value) => isText(value) && /^[a-z0-9][-a-z0-9]*$/.test(value),
  ],
  attributes: [
    `a mapping of ${VALUES}`,
    (value) => isMapping(value) && Object.values(value).every((each) => isEach(each, isDeviceValue)),
  ],
  capacity: [
    'a mapping of quantities, or lists of them',
    (value) => isMapping(value) && Object.values(value).every((each) => isEach(each, isQuantity)),
  ],
};

/** @param refuse - is told of a field behind a dot */
function checkDevices(devices: Fields, refuse: (field: string, problem: string) => never): void {
  const known = Object.keys(DEVICE_CHECKS);
  for (const field of Object.keys(devices)) {
    if (!known.includes(field)) refuse(`.${field}`, `is not known here; known are ${known.join(', ')}`);
  }
  for (const [field, [allowed, isAllowed]] of Object.entries(DEVICE_CHECKS)) {
    const value = devices[field];
    const isNeeded = field === 'driver' || field === 'count';
    if ((value !== undefined || isNeeded) && !isAllowed(value)) {
      refuse(`.${field}`, `must be ${allowed}, got ${printed(value)}`);
    }
  }
}

function isEach(value: unknown, isAllowed: (item: unknown) => boolean): boolean {
  return Array.isArray(value) ? value.length > 0 && isListOf(value, isAllowed) : isAllowed(value);
}

function isDeviceValue(value: unknown): boolean {
  if (isMapping(value)) return Object.keys(value).length === 1 && isText(value['version']);
  return isText(value) || typeof value === 'boolean' || Number.isSafeInteger(value);
}

function isQuantity(value: unknown): boolean {
  return isText(value) && QUANTITY.test(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isImage(value: unknown): boolean {
  if (!isMapping(value) || Object.keys(value).some((field) => !IMAGE_FIELDS.includes(field))) return false;
  const { names, sizeBytes = 0 } = value;
  return isListOf(names, isText) && Number.isSafeInteger(sizeBytes) && Number(sizeBytes) >= 0;
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every((item: unknown) => isItem(item));
}
