/**
 * What has changed on the nodes, for readers that each go on where they stopped: pods that came and went, and nodes
 * with other labels or taints. Found by one look at the written slots of the columns per
 * attempt, written down once, read by every counter at its own pace. Holds for one layout of the
 * columns.
 */
import { LogPlace } from '../../framework/follower.js';
import type { NodeColumns } from '../../framework/node-columns.js';
import type { NodeInfo } from '../../framework/node-info.js';
import type { PodInfo } from '../../framework/pod-info.js';
import type { PodShape } from '../../framework/pod-shape.js';
import { TopologyColumn } from '../topology-column.js';

/** Changes that are kept; a counter further behind counts anew. A power of two. */
const LOG_SIZE = 8192;
const NO_PODS: readonly PodInfo[] = [];

/** Pods by shape and slot; what has none is not in it. */
export type ShapeTally = ReadonlyMap<PodShape, ReadonlyMap<number, number>>;
const NO_TALLY: ShapeTally = new Map();

/** See the file header. */
export class NodeLog {
  /** Position after the last change. */
  end = 0;
  readonly layout: number;
  /** By position modulo {@link LOG_SIZE}: the slot, +1 or -1, and the pod; no pod = the node itself changed. */
  readonly #slots = new Int32Array(LOG_SIZE);
  readonly #signs = new Int8Array(LOG_SIZE);
  readonly #pods: (PodInfo | undefined)[] = [];
  /** By slot, as of the last look. */
  readonly #versions: Int32Array;
  readonly #labelSets: Int32Array;
  readonly #taintSets: Int32Array;
  readonly #names: (string | undefined)[] = [];
  readonly #podsOn: (readonly PodInfo[] | undefined)[] = [];
  /** By namespace; kept from when the first counter asks for one. */
  readonly #tallies = new Map<string, Map<PodShape, Map<number, number>>>();
  #isTallied = false;
  readonly #topologies = new Map<string, TopologyColumn>();
  #lookedFor: object | undefined;
  readonly #place = new LogPlace();

  constructor(readonly columns: NodeColumns) {
    const { capacity, layout } = columns;
    this.layout = layout;
    this.#versions = new Int32Array(capacity);
    this.#labelSets = new Int32Array(capacity);
    this.#taintSets = new Int32Array(capacity);
  }

  /** Position of the oldest change that is kept. */
  get begin(): number {
    return Math.max(0, this.end - LOG_SIZE);
  }

  /** Slots that have ever been in use. */
  get slotCount(): number {
    return this.columns.names.length;
  }

  slotAt(position: number): number {
    return this.#slots[position & (LOG_SIZE - 1)] as number;
  }

  /** +1 if the pod came, -1 if it went. */
  signAt(position: number): number {
    return this.#signs[position & (LOG_SIZE - 1)] as number;
  }

  /** The pod that came or went; `undefined` if the node in the slot is another one now, or looks different. */
  podAt(position: number): PodInfo | undefined {
    return this.#pods[position & (LOG_SIZE - 1)];
  }

  /** The node in a slot, if there is one. */
  nodeAt(slot: number): NodeInfo | undefined {
    const info = this.columns.nodes?.[slot];
    return info?.node === undefined ? undefined : info;
  }

  /** Pods that stay, as of the last look: how many of each shape of a namespace stand on the node in each slot. */
  tallyOf(namespace: string): ShapeTally {
    if (!this.#isTallied) {
      this.#isTallied = true;
      for (const [slot, pods] of this.#podsOn.entries()) for (const pod of pods ?? NO_PODS) this.#tally(slot, 1, pod);
    }
    return this.#tallies.get(namespace) ?? NO_TALLY;
  }

  /** The column of a topology key, current as of the last look. */
  topology(key: string): TopologyColumn {
    let column = this.#topologies.get(key);
    if (column === undefined) {
      column = new TopologyColumn(key, this.columns.capacity);
      for (let slot = 0; slot < this.slotCount; slot += 1) column.place(slot, this.nodeAt(slot)?.node?.metadata.labels);
      this.#topologies.set(key, column);
    }
    return column;
  }

  /** @param attempt - the snapshot is fixed within one attempt, so that one look is enough for it */
  update(attempt: object): void {
    if (attempt === this.#lookedFor) return;
    this.#lookedFor = attempt;
    const { written } = this.columns;
    const from = this.#place.advance(written);
    if (from === undefined) for (let slot = 0; slot < this.slotCount; slot += 1) this.#look(slot);
    else for (let position = from; position < written.end; position += 1) this.#look(written.slotAt(position));
  }

  #look(slot: number): void {
    const version = this.columns.arrays.version[slot] as number;
    if (this.#versions[slot] === version) return;
    this.#versions[slot] = version;
    const node = this.nodeAt(slot);
    if (!this.#isSamePlace(slot, node)) {
      for (const column of this.#topologies.values()) column.place(slot, node?.node?.metadata.labels);
      this.#write(slot, 1, undefined);
    }
    this.#comparePods(slot, this.#podsOn[slot] ?? NO_PODS, node?.pods ?? NO_PODS);
  }

  #isSamePlace(slot: number, node: NodeInfo | undefined): boolean {
    const { arrays } = this.columns;
    const labelSet = arrays.labelSet[slot] as number;
    const taintSet = arrays.taintSet[slot] as number;
    const isSame =
      this.#names[slot] === node?.name && this.#labelSets[slot] === labelSet && this.#taintSets[slot] === taintSet;
    this.#names[slot] = node?.name;
    this.#labelSets[slot] = labelSet;
    this.#taintSets[slot] = taintSet;
    return isSame;
  }

  /** Most often a pod has been appended, or one has gone and the last has taken its place. */
  #comparePods(slot: number, before: readonly PodInfo[], after: readonly PodInfo[]): void {
    const shared = Math.min(before.length, after.length);
    let isChanged = before.length !== after.length;
    for (let index = 0; index < shared; index += 1) {
      const [old, current] = [before[index] as PodInfo, after[index] as PodInfo];
      if (countsTheSame(old, current)) continue;
      this.#write(slot, -1, old);
      this.#write(slot, 1, current);
      isChanged = true;
    }
    for (let index = shared; index < before.length; index += 1) this.#write(slot, -1, before[index]);
    for (let index = shared; index < after.length; index += 1) this.#write(slot, 1, after[index]);
    if (isChanged) this.#podsOn[slot] = after.slice();
  }

  #write(slot: number, sign: 1 | -1, pod: PodInfo | undefined): void {
    const index = this.end & (LOG_SIZE - 1);
    this.#slots[index] = slot;
    this.#signs[index] = sign;
    this.#pods[index] = pod;
    this.end += 1;
    if (this.#isTallied && pod !== undefined) this.#tally(slot, sign, pod);
  }

  #tally(slot: number, sign: 1 | -1, { pod, shape }: PodInfo): void {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    const { namespace } = shape;
    let shapes = this.#tallies.get(namespace);
    if (shapes === undefined) this.#tallies.set(namespace, (shapes = new Map<PodShape, Map<number, number>>()));
    let slots = shapes.get(shape);
    if (slots === undefined) shapes.set(shape, (slots = new Map<number, number>()));
    const count = (slots.get(slot) ?? 0) + sign;
    if (count !== 0) slots.set(slot, count);
    else if (slots.delete(slot) && slots.size === 0) shapes.delete(shape);
  }
}

/** Whether it makes no difference which of the two states of pods is counted. */
function countsTheSame(a: PodInfo, b: PodInfo): boolean {
  return a === b || (a.shape === b.shape && a.pod.metadata.deletionTimestamp === b.pod.metadata.deletionTimestamp);
}
