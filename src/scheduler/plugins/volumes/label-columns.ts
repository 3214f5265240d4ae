/**
 * Which nodes have the labels that volumes ask for, by slot: volumes of one zone ask for the same, and what
 * was found for one of them is kept for the others until a node gets other labels.
 */
import type { StringMap } from '../../../api/objects/objects.js';
import type { NodeColumns } from '../../framework/node-columns.js';

/** Questions of which answers are kept. */
const MAX_COLUMNS = 64;

const MATCH = 1;
const NO_MATCH = 2;

/** Whether labels of a node are as wanted. */
export type LabelTest = (labels: StringMap | undefined) => boolean;

/** See the file header. */
export class LabelColumns {
  /** Least recently used first. */
  readonly #columns = new Map<string, LabelColumn>();

  /** @param content - the same only for tests that say the same of all labels */
  of(content: string, test: LabelTest, columns: NodeColumns): LabelColumn {
    let column = this.#columns.get(content);
    if (column !== undefined) this.#columns.delete(content);
    else if (this.#columns.size >= MAX_COLUMNS) this.#dropOldest();
    column ??= new LabelColumn(test);
    this.#columns.set(content, column);
    column.align(columns);
    return column;
  }

  #dropOldest(): void {
    for (const oldest of this.#columns.keys()) {
      this.#columns.delete(oldest);
      return;
    }
  }
}

/** What one test says of nodes. */
export class LabelColumn {
  readonly #test: LabelTest;
  #columns: NodeColumns | undefined;
  #layout = -1;
  /** By slot: the labels that were looked at, and what was found. */
  #labelSets = new Int32Array(0);
  #found = new Uint8Array(0);

  constructor(test: LabelTest) {
    this.#test = test;
  }

  /** Forgets everything if the columns are others than before. */
  align(columns: NodeColumns): void {
    if (this.#columns === columns && this.#layout === columns.layout) return;
    this.#columns = columns;
    this.#layout = columns.layout;
    this.#labelSets = new Int32Array(columns.capacity);
    this.#found = new Uint8Array(columns.capacity);
  }

  /** Writes a verdict for each of the slots that has none, and not the labels. */
  reject(slots: Int32Array, count: number, verdicts: Int32Array, verdict: number): void {
    const { arrays, tables } = this.#columns as NodeColumns;
    const { labelSet } = arrays;
    const found = this.#found;
    const known = this.#labelSets;
    for (let index = 0; index < count; index += 1) {
      const slot = slots[index] as number;
      if (verdicts[slot] !== 0) continue;
      const labels = labelSet[slot] as number;
      if (found[slot] === 0 || known[slot] !== labels) {
        known[slot] = labels;
        found[slot] = this.#test(tables.labelSets[labels]) ? MATCH : NO_MATCH;
      }
      if (found[slot] === NO_MATCH) verdicts[slot] = verdict;
    }
  }
}
