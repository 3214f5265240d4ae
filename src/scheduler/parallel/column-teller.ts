import { LogPlace } from '../framework/follower.js';
import type { NodeColumns } from '../framework/node-columns.js';
import type { ColumnNews } from './judge-task.js';

/** Remembers what one mirror of the columns was told. */
export class ColumnTeller {
  #layout = -1;
  #labelSets = 0;
  #taintSets = 0;
  #imageSets = 0;
  readonly #written = new LogPlace();

  /** What has changed since the last time. */
  tell({ layout, nodeCount, orderRevision, arrays, tables, scalars, written }: NodeColumns): ColumnNews {
    const isStale = layout !== this.#layout;
    const from = this.#written.advance(written);
    if (isStale) {
      this.#layout = layout;
      this.#labelSets = 0;
      this.#taintSets = 0;
      this.#imageSets = 0;
    }
    const news: ColumnNews = {
      layout,
      nodeCount,
      orderRevision,
      ...(isStale || from === undefined ? {} : { written: written.entriesFrom(from) }),
      ...(isStale ? { arrays, scalars: [...scalars] } : {}),
      labelSets: tables.labelSets.slice(this.#labelSets),
      taintSets: tables.taintSets.slice(this.#taintSets),
      imageSets: tables.imageSets.slice(this.#imageSets),
    };
    this.#labelSets = tables.labelSets.length;
    this.#taintSets = tables.taintSets.length;
    this.#imageSets = tables.imageSets.length;
    return news;
  }
}
