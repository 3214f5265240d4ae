import type { RandomStream } from '../../../kernel/random.js';

/** The outcome of the choice among scored nodes. */
export interface HostChoice {
  /** Position of the chosen node in the list. */
  readonly position: number;
  readonly total: number;
  /** How many nodes have the best total. */
  readonly ties: number;
  /** Which of them was drawn, from 0, in the order of the list. */
  readonly drawn: number;
}

/** A choice with the node that it fell on. */
export interface NodeChoice extends HostChoice {
  readonly slot: number;
}

/** Chooses one of the nodes with the best total, uniformly; only a tie draws from the stream. */
export function selectHost(totals: Float64Array, count: number, random: RandomStream): HostChoice {
  let total = totals[0] as number;
  let position = 0;
  let ties = 1;
  for (let index = 1; index < count; index += 1) {
    const each = totals[index] as number;
    if (each > total) {
      total = each;
      position = index;
      ties = 1;
    } else if (each === total) ties += 1;
  }
  if (ties === 1) return { position, total, ties, drawn: 0 };
  const drawn = random.int(0, ties - 1);
  let skip = drawn;
  while (skip > 0) {
    position += 1;
    if (totals[position] === total) skip -= 1;
  }
  return { position, total, ties, drawn };
}
