/**
 * The nodes of a snapshot as columns: one typed array per fact, one entry per slot, over memory that
 * worker threads share. A slot belongs to one node for as long as the node is in the snapshot. Only
 * the cache writes; a slot's `version` rises whenever one of its entries changes. Arrays are replaced
 * when the number of nodes outgrows them, so that loops must read them from here each time.
 */
import type { core, StringMap } from '../../api/objects/objects.js';
import { AMOUNTS_SHIFT } from './node-amounts.js';
import type { ImageStates, NodeInfo } from './node-info.js';
import { WrittenSlots } from './written-slots.js';

/** Amounts of one scalar resource by slot. */
export interface ScalarColumns {
  allocatable: Float64Array;
  requested: Float64Array;
}

/** The typed arrays; all have `capacity` entries, {@link ColumnArrays.amounts} as many rows. */
export interface ColumnArrays {
  /** Rises with every change of the slot's entries. */
  version: Int32Array;
  /** Slots in scan order; as many as there are nodes. */
  order: Int32Array;
  /** By slot: where it stands in `order`; -1 = nowhere. */
  position: Int32Array;
  /** Rows of cpu, memory and places for pods, see node-amounts.ts. */
  amounts: Float64Array;
  allocatableEphemeralBytes: Float64Array;
  ephemeralBytes: Float64Array;
  /** 1 = cordoned. */
  unschedulable: Uint8Array;
  /** Index into `labelSets`. */
  labelSet: Int32Array;
  /** Index into `taintSets`. */
  taintSet: Int32Array;
  /** Index into `imageSets`. */
  imageSet: Int32Array;
}

/** What the interned columns point to. Tables only grow while `layout` stays the same. */
export interface ColumnTables {
  readonly labelSets: readonly StringMap[];
  readonly taintSets: readonly (readonly core.Taint[])[];
  readonly imageSets: readonly ImageStates[];
}

/** See the file header. */
export class NodeColumns {
  arrays: ColumnArrays;
  tables: ColumnTables;
  readonly scalars = new Map<string, ScalarColumns>();
  /** The slots that were written, for holders of results by slot. */
  readonly written = new WrittenSlots();
  /** Slots of nodes on which only the state of a pod has changed, in nothing that is written here. */
  readonly touched = new WrittenSlots();
  /** Names by slot. The array is replaced before a slot gets another name: a reference to it keeps the names. */
  names: string[] = [];
  /** Number of nodes in the snapshot. */
  nodeCount = 0;
  /** Pods with affinity or anti-affinity to other pods, on all nodes. */
  podsWithTerms = 0;
  /** Rises when nodes come, go or change places in the scan order. */
  orderRevision = 0;
  /** Rises when arrays or tables are replaced: whatever was computed from them by index is void. */
  layout = 0;
  /** The nodes by slot; absent on worker threads, where only columns are known. */
  readonly nodes: (NodeInfo | undefined)[] | undefined;

  constructor(arrays: ColumnArrays, tables: ColumnTables, nodes: (NodeInfo | undefined)[] | undefined) {
    this.arrays = arrays;
    this.tables = tables;
    this.nodes = nodes;
  }

  get capacity(): number {
    return this.arrays.version.length;
  }
}

/** Allocates shared columns with room for `capacity` nodes. */
export function createColumnArrays(capacity: number): ColumnArrays {
  return {
    version: sharedInts(capacity),
    order: sharedInts(capacity),
    position: sharedInts(capacity),
    amounts: sharedFloats(capacity << AMOUNTS_SHIFT),
    allocatableEphemeralBytes: sharedFloats(capacity),
    ephemeralBytes: sharedFloats(capacity),
    unschedulable: new Uint8Array(new SharedArrayBuffer(capacity)),
    labelSet: sharedInts(capacity),
    taintSet: sharedInts(capacity),
    imageSet: sharedInts(capacity),
  };
}

/** Zeros that threads share. */
export function sharedFloats(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));
}

/** Zeros that threads share. */
function sharedInts(length: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
}
