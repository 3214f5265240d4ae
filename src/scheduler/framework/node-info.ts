/** A node with its pods and their sums. Mirrors kube-scheduler v1.34 `framework.NodeInfo`. */
import type { Node } from '../../api/objects/objects.js';
import { amountOf, type Amount } from './amount.js';
import { HostPortUse } from '../../api/pods/host-ports.js';
import type { PodInfo } from './pod-info.js';
import { NO_RESOURCE, resourceOf, type Resource } from './resource.js';

/** What a node knows of an image. */
export interface ImageStateSummary {
  /** Size recorded when the image was first seen in the cluster. */
  readonly sizeBytes: number;
  /** Nodes that had the image when this summary was frozen. */
  readonly nodeCount: number;
}

/** Image name to summary; frozen when the node last entered a snapshot anew. */
export type ImageStates = ReadonlyMap<string, ImageStateSummary>;

/** Of nodes without images. */
export const NO_IMAGES: ImageStates = new Map();

/** See the file header. Changed by the cache, and by dry runs on copies. */
export class NodeInfo {
  /** Absent while only pods are known of the node. */
  node: Node | undefined;
  readonly pods: PodInfo[] = [];
  readonly usedPorts: HostPortUse;
  allocatable: Resource = NO_RESOURCE;
  cpuMillis = 0;
  memoryBytes = 0;
  ephemeralBytes = 0;
  readonly scalars: Map<string, number>;
  nonZeroCpuMillis = 0;
  nonZeroMemoryBytes = 0;
  imageStates: ImageStates = NO_IMAGES;
  /** Revision of the cluster's images at which `imageStates` was frozen. */
  imagesRevision = -1;
  /** Text that is equal for nodes with equal labels. */
  labelContent = '';
  /** Whether `scalars` may hold anything. */
  hasScalars = false;
  /** Changed since the cache wrote it down last. */
  isDirty = false;
  /** Pods with affinity or anti-affinity to other pods. */
  podsWithTerms = 0;
  /** Index into the snapshot's columns; -1 outside of every snapshot. */
  slot = -1;

  constructor(
    readonly name: string,
    usedPorts = new HostPortUse(),
    scalars = new Map<string, number>(),
  ) {
    this.usedPorts = usedPorts;
    this.scalars = scalars;
  }

  setNode(node: Node): void {
    if (this.node?.status.allocatable !== node.status.allocatable) this.allocatable = allocatableOf(node);
    if (this.node === undefined || this.node.metadata.labels !== node.metadata.labels) {
      this.labelContent = labelContentOf(node);
    }
    this.node = node;
  }

  addPod(podInfo: PodInfo): void {
    this.pods.push(podInfo);
    this.#count(podInfo, 1);
    for (const port of podInfo.shape.hostPorts) this.usedPorts.add(port);
  }

  /** Removes the pod with that one's uid; the last pod takes its place. Returns whether it was there. */
  removePod(podInfo: PodInfo): boolean {
    const index = this.#indexOf(podInfo);
    if (index === -1) return false;
    const removed = this.pods[index] as PodInfo;
    const last = this.pods.pop() as PodInfo;
    if (last !== removed) this.pods[index] = last;
    this.#count(removed, -1);
    for (const port of removed.shape.hostPorts) this.usedPorts.remove(port);
    return true;
  }

  /** Removes the pods that are to leave; the others keep their order. */
  removePods(isToLeave: (podInfo: PodInfo) => boolean): void {
    let kept = 0;
    for (const podInfo of this.pods) {
      if (!isToLeave(podInfo)) {
        this.pods[kept] = podInfo;
        kept += 1;
        continue;
      }
      this.#count(podInfo, -1);
      for (const port of podInfo.shape.hostPorts) this.usedPorts.remove(port);
    }
    this.pods.length = kept;
  }

  /**
   * A newer state of a pod, with unchanged usage, in place of the previous one. It stands last then, and the one that stood
   * last takes its place: upstream's cache removes the pod and adds it again, and which of equal pods a preemption
   * spares depends on it.
   */
  replacePod(previous: PodInfo, next: PodInfo): void {
    const { pods } = this;
    const index = this.#indexOf(previous);
    if (index === -1) return;
    pods[index] = pods.at(-1) as PodInfo;
    pods[pods.length - 1] = next;
  }

  /** A copy that may be changed on its own. */
  clone(): NodeInfo {
    const copy = new NodeInfo(this.name, this.usedPorts.clone(), new Map(this.scalars));
    copy.node = this.node;
    copy.allocatable = this.allocatable;
    copy.pods.push(...this.pods);
    copy.cpuMillis = this.cpuMillis;
    copy.memoryBytes = this.memoryBytes;
    copy.ephemeralBytes = this.ephemeralBytes;
    copy.nonZeroCpuMillis = this.nonZeroCpuMillis;
    copy.nonZeroMemoryBytes = this.nonZeroMemoryBytes;
    copy.imageStates = this.imageStates;
    copy.hasScalars = this.hasScalars;
    copy.podsWithTerms = this.podsWithTerms;
    copy.slot = this.slot;
    return copy;
  }

  #indexOf(podInfo: PodInfo): number {
    const { pods } = this;
    // From the end: a dry run takes back the pod that it has put last. Nearly always it is this very state of the pod.
    const known = pods.lastIndexOf(podInfo);
    if (known !== -1) return known;
    const { uid } = podInfo.pod.metadata;
    for (let index = pods.length - 1; index >= 0; index -= 1) {
      if ((pods[index] as PodInfo).pod.metadata.uid === uid) return index;
    }
    return -1;
  }

  #count({ usage, shape }: PodInfo, sign: 1 | -1): void {
    const { requests } = usage;
    if (shape.hasPodTerms) this.podsWithTerms += sign;
    this.cpuMillis += sign * requests.cpuMillis;
    this.memoryBytes += sign * requests.memoryBytes;
    this.ephemeralBytes += sign * requests.ephemeralBytes;
    this.nonZeroCpuMillis += sign * usage.nonZeroCpuMillis;
    this.nonZeroMemoryBytes += sign * usage.nonZeroMemoryBytes;
    if (requests.scalars.size === 0) return;
    this.hasScalars = true;
    for (const [name, amount] of requests.scalars) {
      this.scalars.set(name, (this.scalars.get(name) ?? 0) + sign * amount);
    }
  }
}

/** The order of the keys counts, so that equal labels may give two texts: that costs time, never correctness. */
function labelContentOf({ metadata: { labels = {} } }: Node): string {
  let content = '';
  for (const key in labels) content += `${key}\u0000${labels[key] ?? ''}\u0000`;
  return content;
}

/** What a node offers to pods, rounded as requests are. */
function allocatableOf(node: Node): Resource {
  const list = node.status.allocatable;
  if (list === undefined) return NO_RESOURCE;
  const amounts = new Map<string, Amount>();
  for (const [name, quantity] of Object.entries(list)) amounts.set(name, amountOf(quantity));
  return resourceOf(amounts);
}
