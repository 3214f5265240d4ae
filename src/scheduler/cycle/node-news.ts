import type { Snapshot } from '../framework/interface.js';
import type { WrittenSlots } from '../framework/written-slots.js';
import type { Nominator } from './nominated-filter.js';

/**
 * Tells which nodes have changed since it was asked last: the node, a pod on it, or who is nominated to
 * it. Whoever keeps results by node keeps one of these beside them.
 */
export class NodeNews {
  readonly #snapshot: Snapshot;
  readonly #nominator: Nominator;
  #order = -1;
  #layout = -1;
  #written = 0;
  #touched = 0;
  #nominations = 0;
  #slots = new Int32Array(64);
  #count = 0;

  constructor(snapshot: Snapshot, nominator: Nominator) {
    this.#snapshot = snapshot;
    this.#nominator = nominator;
  }

  /** Slots of the nodes that {@link NodeNews.update} found changed; one may stand there more than once. */
  get slots(): Int32Array {
    return this.#slots.subarray(0, this.#count);
  }

  /** Looks for changes; `false` when everything may have changed, and nothing that was kept holds any more. */
  update(): boolean {
    const { columns } = this.#snapshot;
    const { written, touched, orderRevision, layout } = columns;
    const { nominations } = this.#nominator;
    // Another order may mean other nodes.
    const isSame = this.#order === orderRevision && this.#layout === layout;
    const behind = written.end - this.#written + (touched.end - this.#touched) + (nominations.end - this.#nominations);
    const isKnown =
      isSame &&
      this.#written >= written.begin &&
      this.#touched >= touched.begin &&
      this.#nominations >= nominations.begin &&
      behind < columns.nodeCount;
    this.#count = 0;
    if (isKnown && behind > 0) {
      if (this.#slots.length < behind) this.#slots = new Int32Array(2 * behind);
      this.#takeSlots(written, this.#written);
      this.#takeSlots(touched, this.#touched);
      this.#takeNominations();
    }
    this.#order = orderRevision;
    this.#layout = layout;
    this.#written = written.end;
    this.#touched = touched.end;
    this.#nominations = nominations.end;
    return isKnown;
  }

  #takeSlots(log: WrittenSlots, from: number): void {
    for (let position = from; position < log.end; position += 1) this.#slots[this.#count++] = log.slotAt(position);
  }

  #takeNominations(): void {
    const { nominations } = this.#nominator;
    for (let position = this.#nominations; position < nominations.end; position += 1) {
      const slot = this.#snapshot.get(nominations.at(position))?.slot;
      if (slot !== undefined) this.#slots[this.#count++] = slot;
    }
  }
}
