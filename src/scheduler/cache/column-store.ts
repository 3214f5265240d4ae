/**
 * Writes the columns: gives slots to nodes, copies what changed, grows the arrays, interns label,
 * taint and image sets. Readers hold the {@link NodeColumns}; nothing else writes them.
 */
import type { core, StringMap } from '../../api/objects/objects.js';
import { Interned } from '../framework/interned.js';
import {
  AMOUNTS_SHIFT,
  COUNTED_CPU,
  COUNTED_MEMORY,
  PLACES,
  POD_COUNT,
  TOTAL_CPU,
  TOTAL_MEMORY,
  USED_CPU,
  USED_MEMORY,
} from '../framework/node-amounts.js';
import { createColumnArrays, NodeColumns, sharedFloats, type ColumnArrays } from '../framework/node-columns.js';
import { NO_IMAGES, type ImageStates, type NodeInfo } from '../framework/node-info.js';

/** Slots of the first arrays, which double when they are full. */
const INITIAL_CAPACITY = 64;
/** Interned sets per node beyond which the tables are rebuilt with what is in use. */
const MAX_SETS_PER_NODE = 4;
const MIN_SETS_BEFORE_REBUILD = 4096;

const NO_LABELS: StringMap = {};
const NO_TAINTS: readonly core.Taint[] = [];

function taintContent(taints: readonly core.Taint[]): string {
  return JSON.stringify(taints.map(({ key, value, effect }) => [key, value ?? '', effect]));
}

function imageContent(images: ImageStates): string {
  return JSON.stringify([...images].map(([name, { sizeBytes, nodeCount }]) => [name, sizeBytes, nodeCount]));
}

/** See the file header. */
export class ColumnStore {
  readonly columns: NodeColumns;
  readonly #nodes: (NodeInfo | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  /** Objects last written, by slot: equal references need no look at their content. */
  readonly #writtenNodes: NodeInfo['node'][] = [];
  readonly #writtenLabels: (StringMap | undefined)[] = [];
  readonly #writtenTaints: (readonly core.Taint[] | undefined)[] = [];
  readonly #writtenImages: (ImageStates | undefined)[] = [];
  readonly #podsWithTerms: number[] = [];
  /** Labels of nodes are hardly ever equal: each slot has sets of its own. */
  #labelSets: StringMap[] = [NO_LABELS];
  readonly #labelContents: string[] = [];
  #taintSets = new Interned(NO_TAINTS, taintContent);
  #imageSets = new Interned(NO_IMAGES, imageContent);

  constructor() {
    this.columns = new NodeColumns(createColumnArrays(INITIAL_CAPACITY), this.#tables(), this.#nodes);
  }

  /** Makes room for so many nodes. */
  reserve(nodeCount: number): void {
    if (nodeCount > this.columns.capacity) this.#grow(nodeCount);
  }

  /** Gives the node a slot. */
  allocate(info: NodeInfo): number {
    const slot = this.#freeSlots.pop() ?? this.#nodes.length;
    if (slot >= this.columns.capacity) this.#grow(slot + 1);
    this.#nodes[slot] = info;
    const { names } = this.columns;
    if (slot < names.length && names[slot] !== info.name) this.columns.names = [...names];
    this.columns.names[slot] = info.name;
    info.slot = slot;
    return slot;
  }

  /** Takes the slot back from a node that left the snapshot. */
  release(slot: number): void {
    const info = this.#nodes[slot];
    if (info !== undefined) info.slot = -1;
    this.#nodes[slot] = undefined;
    this.#writtenNodes[slot] = undefined;
    this.#writtenLabels[slot] = undefined;
    this.#writtenTaints[slot] = undefined;
    this.#writtenImages[slot] = undefined;
    this.#countTerms(slot, 0);
    const { version } = this.columns.arrays;
    version[slot] = (version[slot] as number) + 1;
    this.columns.written.note(slot);
    this.#freeSlots.push(slot);
  }

  nodeAt(slot: number): NodeInfo | undefined {
    return this.#nodes[slot];
  }

  /** Makes another info the owner of a slot: its node left and came back between two snapshots. */
  replace(slot: number, info: NodeInfo): void {
    const present = this.#nodes[slot];
    if (present !== undefined && present !== info) present.slot = -1;
    this.#nodes[slot] = info;
    info.slot = slot;
  }

  /** Copies what may have changed of a node into its slot: what its pods take, or everything. */
  write(slot: number, info: NodeInfo): void {
    const { arrays } = this.columns;
    const isWhole =
      info.node === undefined ||
      info.node !== this.#writtenNodes[slot] ||
      info.imageStates !== this.#writtenImages[slot];
    if (isWhole) this.#writeNode(slot, info);
    if (isWhole || info.hasScalars || this.columns.scalars.size > 0) this.#writeScalars(slot, info);
    const { amounts } = arrays;
    const row = slot << AMOUNTS_SHIFT;
    amounts[row + POD_COUNT] = info.pods.length;
    amounts[row + USED_CPU] = info.cpuMillis;
    amounts[row + USED_MEMORY] = info.memoryBytes;
    amounts[row + COUNTED_CPU] = info.nonZeroCpuMillis;
    amounts[row + COUNTED_MEMORY] = info.nonZeroMemoryBytes;
    arrays.ephemeralBytes[slot] = info.ephemeralBytes;
    this.#countTerms(slot, info.podsWithTerms);
    arrays.version[slot] = (arrays.version[slot] as number) + 1;
    this.columns.written.note(slot, isWhole);
  }

  /** Copies what does not depend on the pods. */
  #writeNode(slot: number, info: NodeInfo): void {
    const { arrays } = this.columns;
    const { allocatable, node } = info;
    const { amounts } = arrays;
    const row = slot << AMOUNTS_SHIFT;
    amounts[row + TOTAL_CPU] = allocatable.cpuMillis;
    amounts[row + TOTAL_MEMORY] = allocatable.memoryBytes;
    amounts[row + PLACES] = allocatable.pods;
    arrays.allocatableEphemeralBytes[slot] = allocatable.ephemeralBytes;
    arrays.unschedulable[slot] = node?.spec.unschedulable === true ? 1 : 0;
    this.#writeSets(slot, info);
    this.#writtenNodes[slot] = node;
  }

  #countTerms(slot: number, pods: number): void {
    const before = this.#podsWithTerms[slot] ?? 0;
    if (pods === before) return;
    this.#podsWithTerms[slot] = pods;
    this.columns.podsWithTerms += pods - before;
  }

  /** Sets the scan order. */
  writeOrder(slots: readonly number[]): void {
    const { order, position } = this.columns.arrays;
    order.set(slots);
    position.fill(-1);
    for (let index = 0; index < slots.length; index += 1) position[slots[index] as number] = index;
    this.columns.nodeCount = slots.length;
    this.columns.orderRevision += 1;
  }

  /** Rebuilds the tables of sets once most of what they hold is out of use. */
  compact(): void {
    const limit = Math.max(MIN_SETS_BEFORE_REBUILD, MAX_SETS_PER_NODE * this.columns.nodeCount);
    if (this.#labelSets.length + this.#taintSets.values.length + this.#imageSets.values.length <= limit) return;
    this.#labelSets = [NO_LABELS];
    this.#labelContents.length = 0;
    this.#taintSets = new Interned(NO_TAINTS, taintContent);
    this.#imageSets = new Interned(NO_IMAGES, imageContent);
    this.columns.tables = this.#tables();
    this.columns.layout += 1;
    for (let slot = 0; slot < this.#nodes.length; slot += 1) {
      const info = this.#nodes[slot];
      this.#writtenLabels[slot] = undefined;
      this.#writtenTaints[slot] = undefined;
      this.#writtenImages[slot] = undefined;
      if (info !== undefined) this.#writeSets(slot, info);
    }
  }

  #writeSets(slot: number, info: NodeInfo): void {
    const { arrays } = this.columns;
    const labels = info.node?.metadata.labels ?? NO_LABELS;
    if (this.#writtenLabels[slot] !== labels) {
      this.#writtenLabels[slot] = labels;
      this.#writeLabels(slot, labels, info.labelContent);
    }
    const taints = info.node?.spec.taints ?? NO_TAINTS;
    if (this.#writtenTaints[slot] !== taints) {
      this.#writtenTaints[slot] = taints;
      arrays.taintSet[slot] = this.#taintSets.idOf(taints);
    }
    if (this.#writtenImages[slot] !== info.imageStates) {
      this.#writtenImages[slot] = info.imageStates;
      arrays.imageSet[slot] = this.#imageSets.idOf(info.imageStates);
    }
  }

  #writeLabels(slot: number, labels: StringMap, content: string): void {
    const { labelSet } = this.columns.arrays;
    if (content === '') labelSet[slot] = 0;
    else if (labelSet[slot] === 0 || this.#labelContents[slot] !== content) {
      labelSet[slot] = this.#labelSets.push(labels) - 1;
      this.#labelContents[slot] = content;
    }
  }

  #writeScalars(slot: number, info: NodeInfo): void {
    const { scalars, capacity } = this.columns;
    if (scalars.size === 0 && info.scalars.size === 0 && info.allocatable.scalars.size === 0) return;
    for (const names of [info.allocatable.scalars, info.scalars]) {
      for (const name of names.keys()) {
        if (scalars.has(name)) continue;
        scalars.set(name, { allocatable: sharedFloats(capacity), requested: sharedFloats(capacity) });
        this.columns.layout += 1;
      }
    }
    for (const [name, column] of scalars) {
      column.allocatable[slot] = info.allocatable.scalars.get(name) ?? 0;
      column.requested[slot] = info.scalars.get(name) ?? 0;
    }
  }

  #grow(needed: number): void {
    const capacity = Math.max(needed, this.columns.capacity * 2);
    const grown = createColumnArrays(capacity);
    for (const name of Object.keys(grown) as (keyof ColumnArrays)[]) grown[name].set(this.columns.arrays[name]);
    this.columns.arrays = grown;
    for (const column of this.columns.scalars.values()) {
      column.allocatable = enlarged(column.allocatable, capacity);
      column.requested = enlarged(column.requested, capacity);
    }
    this.columns.layout += 1;
  }

  #tables(): NodeColumns['tables'] {
    return {
      labelSets: this.#labelSets,
      taintSets: this.#taintSets.values,
      imageSets: this.#imageSets.values,
    };
  }
}

function enlarged(column: Float64Array, capacity: number): Float64Array {
  const grown = sharedFloats(capacity);
  grown.set(column);
  return grown;
}
