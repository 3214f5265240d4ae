/**
 * The Node object as its kubelet writes it: labels, what the machine has, conditions. Pure. Mirrors
 * initialNode and the node status setters of the kubelet (pkg/kubelet/kubelet_node_status.go, v1.34).
 */
import type { NodeDevices } from '../../api/objects/device-objects.js';
import { CONTROLLER_MANAGED_ATTACH } from '../../api/volumes/attachable-volume.js';
import type { core, Draft, DraftOf, Node, ResourceList, StringMap, Taint } from '../../api/objects/objects.js';
import { hexDigest } from '../images/image-store.js';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.js';
import type { ResumedMachine } from '../resumed/resumed-machine.js';
import type { DeclaredResources } from './node-allocatable.js';
import { nodeConditions, type NodeHealth } from '../configuration/node-conditions.js';

/** One machine before it is registered. */
export interface NodeSetup extends DeclaredResources {
  readonly name: string;
  /** Added to those that every node gets (host name, operating system, architecture). */
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly taints?: readonly Taint[] | undefined;
  /** Images that are there from the start. */
  readonly images?: readonly core.ContainerImage[] | undefined;
  /** Manifests of pods that the node runs by itself, whatever the API says. @defaultValue none */
  readonly staticPods?: readonly Draft[] | undefined;
  /** What drivers publish of it, in the name of its kubelet. @defaultValue none */
  readonly devices?: readonly NodeDevices[] | undefined;
  /** How its kubelet is configured, field by field over what is said for the cluster. */
  readonly kubelet?: KubeletConfiguration | undefined;
  /** @defaultValue an InternalIP of its own and the node's name as Hostname */
  readonly addresses?: readonly core.NodeAddress[] | undefined;
  /** What it says of itself beside its boot id. @defaultValue that of a machine of ours */
  readonly info?: MachineInfo | undefined;
  /** The machine was there before, and so was its node. @defaultValue it is new */
  readonly resumed?: ResumedMachine | undefined;
}

/** What a node's status tells. */
export interface NodeReport extends NodeHealth {
  readonly images: core.ContainerImage[];
  /** Volumes that must stay attached as long as the node says so. */
  readonly volumesInUse: readonly string[];
}

/** A machine as its status describes it. */
export interface Machine {
  readonly name: string;
  readonly addresses: core.NodeAddress[];
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
  /** Another one after each time that the machine was switched on. */
  bootId: string;
  /** What it says of itself beside its boot id. @defaultValue that of a machine of ours */
  readonly info?: MachineInfo | undefined;
}

/** Of which make a machine is. */
export type MachineInfo = Pick<core.NodeStatus, 'nodeInfo' | 'daemonEndpoints'>;

const KUBELET_VERSION = 'v1.34.1';
const KUBELET_PORT = 10_250;
/** The node's volumes are attached by the attach/detach controller. */
const CONTROLLER_ATTACHES: StringMap = { [CONTROLLER_MANAGED_ATTACH]: 'true' };

/** Labels that every kubelet sets on its node. */
function defaultLabels(name: string): StringMap {
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
  };
}

/** Those of a machine, which may be of another make. */
function machineLabels({ name, info }: Pick<Machine, 'name' | 'info'>): StringMap {
  const { architecture: arch = '', operatingSystem: os = '' } = info?.nodeInfo ?? {};
  return {
    ...defaultLabels(name),
    ...(arch === '' ? {} : { 'beta.kubernetes.io/arch': arch, 'kubernetes.io/arch': arch }),
    ...(os === '' ? {} : { 'beta.kubernetes.io/os': os, 'kubernetes.io/os': os }),
  };
}

/** With those that a node has by its setup. */
export function allLabels({ name, labels }: NodeSetup): StringMap {
  return { ...defaultLabels(name), ...labels };
}

/** The object as it is registered: not ready yet. */
export function nodeDraft(setup: NodeSetup, machine: Machine, report: NodeReport): DraftOf<'Node'> {
  const { name, annotations, taints = [] } = setup;
  return {
    metadata: { name, labels: allLabels(setup), annotations: { ...annotations, ...CONTROLLER_ATTACHES } },
    spec: taints.length === 0 ? {} : { taints: [...taints] },
    status: nodeStatus(machine, report, []),
  };
}

/** A node that was there before its kubelet: its default labels and the annotation for attaching are set right. */
export function reconciledNode(stored: Node, machine: Pick<Machine, 'name' | 'info'>): Node {
  const own = machineLabels(machine);
  const wanted = Object.entries(own);
  const { labels = {}, annotations } = stored.metadata;
  const isAttached = annotations?.[CONTROLLER_MANAGED_ATTACH] === 'true';
  if (isAttached && wanted.every(([label, value]) => labels[label] === value)) return stored;
  return {
    ...stored,
    metadata: {
      ...stored.metadata,
      labels: { ...labels, ...own },
      annotations: { ...annotations, ...CONTROLLER_ATTACHES },
    },
  };
}

/** The whole status; conditions of others come first. */
export function nodeStatus(
  { name, addresses, capacity, allocatable, bootId, info }: Machine,
  report: NodeReport,
  present: readonly core.NodeCondition[],
): Node['status'] {
  const conditions = nodeConditions(report, present);
  const others = present.filter(({ type }) => !conditions.some((condition) => condition.type === type));
  return {
    capacity,
    allocatable,
    conditions: [...others, ...conditions],
    addresses,
    daemonEndpoints: info?.daemonEndpoints ?? { kubeletEndpoint: { Port: KUBELET_PORT } },
    nodeInfo: info?.nodeInfo === undefined ? nodeInfo(name, bootId) : { ...info.nodeInfo, bootID: bootId },
    images: report.images,
    ...(report.volumesInUse.length === 0 ? {} : { volumesInUse: [...report.volumesInUse] }),
  };
}

/** What the kernel calls the time since it was switched on. */
export function bootIdOf(name: string, startMs: number): string {
  return uuidOf(hexDigest(startMs === 0 ? name : `${name}/${startMs}`).slice(32));
}

function uuidOf(digits: string): string {
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ].join('-');
}

/** What a machine of ours says of itself. */
export function nodeInfo(name: string, bootID: string): core.NodeSystemInfo {
  const machine = hexDigest(name);
  return {
    machineID: machine.slice(0, 32),
    systemUUID: uuidOf(machine),
    bootID,
    kernelVersion: '6.8.0',
    osImage: 'kubeloom',
    containerRuntimeVersion: 'containerd://2.1.4',
    kubeletVersion: KUBELET_VERSION,
    kubeProxyVersion: '',
    operatingSystem: 'linux',
    architecture: 'amd64',
  };
}
