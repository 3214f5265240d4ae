/** Ranges of sizes and costs, as cel-go counts them: whole numbers that stay at the largest one rather than overflow. */

/** The least and the most. */
export interface Amount {
  readonly min: bigint;
  readonly max: bigint;
}

/** The size of what a path of fields, `@items`, `@keys` and `@values` leads to; undefined where it is not known. */
export type SizeOf = (path: readonly string[]) => Amount | undefined;

export const LARGEST = 0xffff_ffff_ffff_ffffn;
const TWO_TO_64 = 2 ** 64;

export const UNKNOWN_SIZE: Amount = { min: 0n, max: LARGEST };
export const NO_COST: Amount = { min: 0n, max: 0n };

/** What a name, a field and an object of each kind cost (cel-go v0.26 common/cost.go). */
export const NAME_COST = 1;
export const LIST_COST = 10;
export const MAP_COST = 30;
export const STRUCT_COST = 40;
/** Of each letter of a text that is gone through, and of a pattern that is applied to it. */
export const LETTER_COST = 0.1;
export const PATTERN_COST = 0.25;

/** The same least and most. */
export function exactly(amount: bigint | number): Amount {
  const whole = BigInt(amount);
  return { min: whole, max: whole };
}

function capped(amount: bigint): bigint {
  return amount > LARGEST ? LARGEST : amount;
}

export function sum(...amounts: readonly Amount[]): Amount {
  return amounts.reduce((all, each) => ({ min: capped(all.min + each.min), max: capped(all.max + each.max) }), NO_COST);
}

export function product(a: Amount, b: Amount): Amount {
  return { min: capped(a.min * b.min), max: capped(a.max * b.max) };
}

/** Both of them. */
export function union(a: Amount, b: Amount): Amount {
  return { min: a.min < b.min ? a.min : b.min, max: a.max > b.max ? a.max : b.max };
}

/** The next whole number of so many times an amount. */
export function timesFactor({ min, max }: Amount, factor: number): Amount {
  return { min: scaled(min, factor), max: scaled(max, factor) };
}

function scaled(amount: bigint, factor: number): bigint {
  const result = Math.ceil(Number(amount) * factor);
  return result >= TWO_TO_64 ? LARGEST : BigInt(result);
}
