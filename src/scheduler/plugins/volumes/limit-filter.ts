/** NodeVolumeLimits over what is kept of nodes: at the volumes of one it looks only where there might be too many. */
import type { ColumnFilter } from '../../framework/interface.js';
import type { Status } from '../../framework/status.js';
import type { AttachIndex } from './attach-index.js';
import { countByDriver, isBeyondLimits, type VolumeSet } from './attached-volumes.js';
import type { SpareColumn } from './spare-column.js';
import type { WantedVolumes } from './wanted-volumes.js';

/** See the file header. */
export class LimitFilter implements ColumnFilter {
  readonly #index: AttachIndex;
  readonly #tooMany: Status;
  readonly #wanted: WantedVolumes;
  /** Some node may have one of the volumes already. */
  readonly #mayBeThere: boolean;
  /** What nodes have to spare, and what of it is wanted; absent where nodes differ in what counts. */
  readonly #spare: readonly (readonly [column: SpareColumn, count: number])[] | undefined;

  /** @param tooMany - what nodes are rejected with */
  constructor(index: AttachIndex, wanted: WantedVolumes, tooMany: Status) {
    this.#index = index;
    this.#tooMany = tooMany;
    this.#mayBeThere = wanted.counts === undefined || [...wanted.on(undefined).keys()].some((key) => index.isUsed(key));
    this.#wanted = wanted;
    if (wanted.counts === undefined) return;
    this.#spare = [...wanted.counts].flatMap(([driver, count]) => {
      const column = index.spareOf(driver);
      return column === undefined || column.hasRoomEverywhere(count) ? [] : [[column, count] as const];
    });
  }

  filter(slots: Int32Array, count: number, verdicts: Int32Array, base: number): void {
    if (this.#spare?.length === 0) return;
    for (let index = 0; index < count; index += 1) {
      const slot = slots[index] as number;
      if (verdicts[slot] === 0 && !this.#hasRoom(slot) && this.#isTooMuch(slot)) verdicts[slot] = base + 1;
    }
  }

  statusOf(): Status {
    return this.#tooMany;
  }

  #hasRoom(slot: number): boolean {
    const spare = this.#spare;
    if (spare === undefined) return false;
    for (let index = 0; index < spare.length; index += 1) {
      const [column, count] = spare[index] as readonly [SpareColumn, number];
      if (!column.hasRoom(slot, count)) return false;
    }
    return true;
  }

  #isTooMuch(slot: number): boolean {
    if (!this.#mayBeThere) return true;
    const node = this.#index.nodeAt(slot);
    if (node === undefined) return false;
    const { csiNode, used, counts, limits } = node;
    const added: VolumeSet = new Map();
    for (const [volume, driver] of this.#wanted.on(csiNode)) if (!used.has(volume)) added.set(volume, driver);
    return isBeyondLimits(countByDriver(added), counts, limits);
  }
}
