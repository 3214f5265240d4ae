/**
 * The Node object as its kubelet writes it: labels, what the machine has, conditions. Pure. Mirrors
 * initialNode and the node status setters of the kubelet (pkg/kubelet/kubelet_node_status.go, v1.34).
 */
import type { core, DraftOf, Node, ResourceList, StringMap, Taint } from '../api/objects.js';
import { hexDigest } from './image-store.js';

/** One machine before it is registered. */
export interface NodeSetup {
  readonly name: string;
  /** Added to those that every node gets (host name, operating system, architecture). */
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly taints?: readonly Taint[] | undefined;
  /** What the machine has; `pods` defaults to 110. */
  readonly capacity: ResourceList;
  /** What pods may use of it. @defaultValue the capacity */
  readonly allocatable?: ResourceList | undefined;
  /** Images that are there from the start. */
  readonly images?: readonly core.ContainerImage[] | undefined;
  /** @defaultValue an InternalIP of its own and the node's name as Hostname */
  readonly addresses?: readonly core.NodeAddress[] | undefined;
}

/** How the machine is doing. */
export interface NodeCondition {
  readonly isReady: boolean;
  /** RFC 3339. */
  readonly time: string;
  readonly images: core.ContainerImage[];
}

const KUBELET_VERSION = 'v1.34.1';
const DEFAULT_MAX_PODS = '110';
const KUBELET_PORT = 10_250;
const NOT_READY_MESSAGE =
  '[container runtime status check may not have completed yet, PLEG is not healthy: pleg has yet to be successful]';

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

/** Capacity with the number of pods that a kubelet allows by default. */
export function withPods(resources: ResourceList): ResourceList {
  return resources['pods'] === undefined ? { ...resources, pods: DEFAULT_MAX_PODS } : resources;
}

/** The object as it is registered: not ready yet. */
export function nodeDraft(setup: NodeSetup, addresses: core.NodeAddress[], condition: NodeCondition): DraftOf<'Node'> {
  const { name, labels, annotations, taints = [] } = setup;
  return {
    metadata: { name, labels: { ...defaultLabels(name), ...labels }, annotations },
    spec: taints.length === 0 ? {} : { taints: [...taints] },
    status: nodeStatus(setup, addresses, condition, []),
  };
}

/** A node that was there before its kubelet started: default labels are set right, the rest stays. */
export function reconciledNode(stored: Node, name: string): Node {
  const wanted = Object.entries(defaultLabels(name));
  const { labels = {} } = stored.metadata;
  if (wanted.every(([label, value]) => labels[label] === value)) return stored;
  return { ...stored, metadata: { ...stored.metadata, labels: { ...labels, ...defaultLabels(name) } } };
}

/** The whole status; conditions of others stay behind the kubelet's. */
export function nodeStatus(
  { name, capacity, allocatable = capacity }: NodeSetup,
  addresses: core.NodeAddress[],
  { isReady, time, images }: NodeCondition,
  present: readonly core.NodeCondition[],
): Node['status'] {
  const conditions = nodeConditions(isReady, time, present);
  const others = present.filter(({ type }) => !conditions.some((condition) => condition.type === type));
  return {
    capacity: withPods(capacity),
    allocatable: withPods(allocatable),
    conditions: [...others, ...conditions],
    addresses,
    daemonEndpoints: { kubeletEndpoint: { Port: KUBELET_PORT } },
    nodeInfo: nodeInfo(name),
    images,
  };
}

/** Pressures first, Ready last; a condition that is as before keeps the time of its last transition. */
function nodeConditions(
  isReady: boolean,
  time: string,
  present: readonly core.NodeCondition[],
): readonly core.NodeCondition[] {
  const condition = (type: string, status: 'True' | 'False', reason: string, message: string): core.NodeCondition => {
    const before = present.find((each) => each.type === type);
    const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? time) : time;
    return { type, status, lastHeartbeatTime: time, lastTransitionTime, reason, message };
  };
  return [
    condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    isReady
      ? condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status')
      : condition('Ready', 'False', 'KubeletNotReady', NOT_READY_MESSAGE),
  ];
}

function nodeInfo(name: string): core.NodeSystemInfo {
  const machine = hexDigest(name);
  const uuid = [machine.slice(0, 8), machine.slice(8, 12), machine.slice(12, 16), machine.slice(16, 20)];
  return {
    machineID: machine.slice(0, 32),
    systemUUID: [...uuid, machine.slice(20, 32)].join('-'),
    bootID: [...uuid.toReversed(), machine.slice(32, 44)].join('-'),
    kernelVersion: '6.8.0',
    osImage: 'kubeloom',
    containerRuntimeVersion: 'containerd://2.1.4',
    kubeletVersion: KUBELET_VERSION,
    kubeProxyVersion: '',
    operatingSystem: 'linux',
    architecture: 'amd64',
  };
}
