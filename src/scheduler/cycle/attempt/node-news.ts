import { LogPlace } from '../../framework/follower.js';
import type { Snapshot } from '../../framework/interface.js';
import type { WrittenSlots } from '../../framework/written-slots.js';
import type { Nominator } from './nominated-filter.js';

/**
 * Tells which nodes have changed since it was asked last: the node, a pod on it, or which pods are
 * nominated to it. One of these stands beside all results that are kept by node.
 */
export class NodeNews {
  readonly #snapshot: Snapshot;
  readonly #nominator: Nominator;
  #order = -1;
  #layout = -1;
  readonly #written = new LogPlace();
  readonly #touched = new LogPlace();
  readonly #nominations = new LogPlace();
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
    this.#order = orderRevision;
    this.#layout = layout;
    this.#count = 0;
    const fromWritten = this.#written.advance(written);
    const fromTouched = this.#touched.advance(touched);
    const fromNominations = this.#nominations.advance(nominations);
    if (!isSame || fromWritten === undefined || fromTouched === undefined || fromNominations === undefined)
      return false;
    const behind = written.end - fromWritten + (touched.end - fromTouched) + (nominations.end - fromNominations);
    if (behind >= columns.nodeCount) return false;
    if (this.#slots.length < behind) this.#slots = new Int32Array(2 * behind);
    this.#takeSlots(written, fromWritten);
    this.#takeSlots(touched, fromTouched);
    this.#takeNominations(fromNominations);
    return true;
  }

  #takeSlots(log: WrittenSlots, from: number): void {
    for (let position = from; position < log.end; position += 1) this.#slots[this.#count++] = log.slotAt(position);
  }

  #takeNominations(from: number): void {
    const { nominations } = this.#nominator;
    for (let position = from; position < nominations.end; position += 1) {
      const slot = this.#snapshot.get(nominations.at(position))?.slot;
      if (slot !== undefined) this.#slots[this.#count++] = slot;
    }
  }
}
