import { OptionError } from '../options/option-error.js';

/** A part of a sweep or a search, such as the third of twenty. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
}

/** @throws OptionError */
export function checkShard(shard: Shard | undefined): void {
  if (shard === undefined) return;
  const { index, count } = shard;
  const isOne = Number.isInteger(index) && Number.isInteger(count) && index >= 1 && index <= count;
  if (!isOne) throw new OptionError('shard', 'an index in 1..count', shard);
}
