/**
 * Seeded random streams by name. A stream depends on the seed and on its own name alone, so that a
 * component that draws more or less never shifts the numbers of another.
 */
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { assert } from './assert.js';

/** One named stream of random numbers. */
export interface RandomStream {
  /** An integer in `min..max`, both included, uniformly. */
  int(min: number, max: number): number;
  /** A number in [0, 1) with 32 bits. */
  unit(): number;
  /** 32 bits as an integer in 0..4294967295. */
  bits(): number;
}

/** FNV-1a over UTF-16 code units: names and seeds to 32 bits. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** Opens the stream `name` of `seed`; equal arguments give equal numbers. */
export function randomStream(seed: string, name: string): RandomStream {
  const generator = xoroshiro128plus(hash32(`${seed}\u0000${name}`));
  return {
    int(min, max) {
      assert(
        Number.isInteger(min) && Number.isInteger(max) && min <= max,
        `int needs integers min <= max, got ${min}, ${max}`,
      );
      return uniformInt(generator, min, max);
    },
    unit() {
      return (generator.next() >>> 0) / 0x1_0000_0000;
    },
    bits() {
      return generator.next() >>> 0;
    },
  };
}
