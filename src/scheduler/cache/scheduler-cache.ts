/**
 * The scheduler's picture of nodes and pods: what the informers told it, and the pods that it has
 * assumed to be bound where it decided. Never reads from the API server, never decides anything. Assumed
 * pods do not expire. Mirrors kube-scheduler v1.34 `backend/cache`.
 */
import type { Node, Pod } from '../../api/objects/objects.js';
import { assert } from '../../kernel/assert.js';
import { growYoungGenerationAtOnce } from '../../kernel/young-generation.js';
import { NodeInfo } from '../framework/node-info.js';
import { PodInfo } from '../framework/pod-info.js';
import { ImageRegistry, type ImageCounts } from './image-states.js';
import { NodeTree } from './node-tree.js';
import type { CacheSnapshot } from './snapshot.js';

/** Nodes from which a cluster fills the space that V8 has for new objects while it comes up. */
const LARGE = 1000;

/** See the file header. */
export class SchedulerCache {
  /** By uid. */
  readonly #pods = new Map<string, PodInfo>();
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #tree = new NodeTree();
  readonly #images: ImageCounts;
  /** Nodes changed since the last snapshot. */
  readonly #dirty: NodeInfo[] = [];
  /** Nodes on which only the state of a pod has changed, in nothing that decides. */
  readonly #touched = new Set<NodeInfo>();

  constructor(images: ImageCounts = new ImageRegistry()) {
    this.#images = images;
  }

  /** Number of nodes that exist. */
  get nodeCount(): number {
    return this.#tree.size;
  }

  /** Number of pods on nodes, assumed ones included. */
  get podCount(): number {
    return this.#pods.size;
  }

  /** Puts a decided pod on its node, before the API server knows. */
  assumePod(info: PodInfo): void {
    const known = this.#pods.size;
    this.#pods.set(info.pod.metadata.uid, info);
    if (this.#pods.size === known) assert(false, `pod ${info.key} is on a node already and cannot be assumed`);
    info.isAssumed = true;
    this.#place(info);
  }

  /** Takes an assumed pod back: its binding came to nothing. A confirmed pod stays. */
  forgetPod(pod: Pod): void {
    const info = this.#pods.get(pod.metadata.uid);
    if (info?.isAssumed === true) this.#remove(info);
  }

  isAssumedPod(pod: Pod): boolean {
    return this.#pods.get(pod.metadata.uid)?.isAssumed === true;
  }

  /** The pod as last placed, if it is on a node. */
  podByUid(uid: string): Pod | undefined {
    return this.#pods.get(uid)?.pod;
  }

  /** The API server says that the pod is on a node. */
  addPod(pod: Pod): void {
    this.updatePod(pod);
  }

  /** The state of a pod on a node has changed; also confirms an assumed pod. */
  updatePod(pod: Pod): void {
    const { uid } = pod.metadata;
    const previous = this.#pods.get(uid);
    const info = new PodInfo(pod);
    if (previous === undefined) this.#place(info);
    else this.#replace(previous, info);
    this.#pods.set(uid, info);
  }

  removePod(pod: Pod): void {
    const info = this.#pods.get(pod.metadata.uid);
    if (info !== undefined) this.#remove(info);
  }

  /** Puts back what `removePod` took, as it was: what was computed of it still holds. */
  restorePod(info: PodInfo): void {
    this.#pods.set(info.pod.metadata.uid, info);
    this.#place(info);
  }

  /** A node appeared or changed. */
  setNode(node: Node): void {
    const info = this.#nodeInfo(node.metadata.name);
    this.#images.setNode(node);
    this.#tree.set(node);
    if (this.#tree.size === LARGE) growYoungGenerationAtOnce();
    info.setNode(node);
    this.#touch(info);
  }

  /** The node is gone; its pods stay known until they are gone as well. */
  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (info === undefined) return;
    info.node = undefined;
    this.#tree.remove(name);
    this.#images.removeNode(name);
    if (info.pods.length === 0) this.#drop(info);
    else this.#touch(info);
  }

  /** A node with what is on it now, whether or not a snapshot shows it yet. */
  find(name: string): (NodeInfo & { readonly node: Node }) | undefined {
    const info = this.#nodes.get(name);
    return info?.node === undefined ? undefined : (info as NodeInfo & { readonly node: Node });
  }

  /** Brings the snapshot up to date; the scan order changes only with the set of nodes. */
  updateSnapshot(snapshot: CacheSnapshot): void {
    this.#refreezeTouched(snapshot);
    const dirty = this.#dirty;
    if (dirty.length === 0 && snapshot.known === this.#tree.size) return;
    snapshot.reserve(this.#tree.size);
    const isListStale = this.#writeAll(dirty, snapshot);
    dirty.length = 0;
    if (isListStale || snapshot.known > this.#tree.size) snapshot.reorder(this.#tree.list());
  }

  /**
   * Writes changed nodes into the snapshot; `true` if any is new there. A function of its own: V8 compiles the loop
   * while it runs for the first time, and would leave that code again after each later loop, at what it had not seen yet.
   */
  #writeAll(infos: readonly NodeInfo[], snapshot: CacheSnapshot): boolean {
    let isListStale = false;
    for (let index = 0; index < infos.length; index += 1) {
      if (this.#write(infos[index] as NodeInfo, snapshot)) isListStale = true;
    }
    return isListStale;
  }

  /** Writes a changed node into the snapshot; `true` if it is new there. */
  #write(info: NodeInfo, snapshot: CacheSnapshot): boolean {
    info.isDirty = false;
    if (info.node === undefined) return false;
    this.#freezeImages(info);
    return snapshot.write(info);
  }

  /** Any news of a node's pods freezes its images anew, as upstream's generations do. */
  #refreezeTouched({ columns }: CacheSnapshot): void {
    if (this.#touched.size === 0) return;
    for (const info of this.#touched) {
      if (info.slot !== -1) columns.touched.note(info.slot);
      if (info.imagesRevision !== this.#images.revision) this.#touch(info);
    }
    this.#touched.clear();
  }

  /** A node's counts of its images' nodes are those of the moment at which it last changed. */
  #freezeImages(info: NodeInfo): void {
    const { revision } = this.#images;
    if (info.imagesRevision === revision) return;
    info.imagesRevision = revision;
    info.imageStates = this.#images.summaryOf(info.name);
  }

  #place(info: PodInfo): void {
    const node = this.#nodeInfo(nodeNameOf(info.pod));
    node.addPod(info);
    this.#touch(node);
  }

  #remove(info: PodInfo): void {
    this.#displace(info);
    this.#pods.delete(info.pod.metadata.uid);
  }

  #displace(info: PodInfo): void {
    const node = this.#nodes.get(nodeNameOf(info.pod));
    if (node === undefined) return;
    node.removePod(info);
    this.#touch(node);
    if (node.node === undefined && node.pods.length === 0) this.#drop(node);
  }

  #replace(previous: PodInfo, next: PodInfo): void {
    const name = nodeNameOf(next.pod);
    const node = this.#nodes.get(name);
    if (node !== undefined && name === nodeNameOf(previous.pod) && countsTheSame(previous, next)) {
      node.replacePod(previous, next);
      this.#touched.add(node);
    } else {
      this.#displace(previous);
      this.#place(next);
    }
  }

  #nodeInfo(name: string): NodeInfo {
    let info = this.#nodes.get(name);
    if (info === undefined) {
      info = new NodeInfo(name);
      this.#nodes.set(name, info);
    }
    return info;
  }

  #drop(info: NodeInfo): void {
    this.#nodes.delete(info.name);
    this.#touched.delete(info);
  }

  #touch(info: NodeInfo): void {
    if (info.isDirty) return;
    info.isDirty = true;
    this.#dirty.push(info);
  }
}

/**
 * Whether two states of a pod weigh the same in every decision. Host ports are a set: where another pod of the same
 * port has gone, and the port with it, any news of the pod that is left puts it back.
 */
function countsTheSame(a: PodInfo, b: PodInfo): boolean {
  return (
    a.shape === b.shape &&
    a.shape.hostPorts.length === 0 &&
    a.usage === b.usage &&
    a.pod.spec.priority === b.pod.spec.priority &&
    a.pod.metadata.deletionTimestamp === b.pod.metadata.deletionTimestamp
  );
}

function nodeNameOf(pod: Pod): string {
  return pod.spec.nodeName ?? '';
}
