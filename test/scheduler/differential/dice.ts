import { randomStream, type RandomStream } from '../../../src/kernel/random.js';

/** Draws of many kinds from one seeded stream. */
export class Dice {
  readonly #random: RandomStream;

  constructor(seed: string) {
    this.#random = randomStream(seed, 'differential');
  }

  /** An integer, both ends included. */
  int(min: number, max: number): number {
    return this.#random.int(min, max);
  }

  /** True so many times in a hundred. */
  chance(percent: number): boolean {
    return this.#random.int(1, 100) <= percent;
  }

  /** One of them; there must be one. */
  pick<T>(items: readonly T[]): T {
    return items[this.#random.int(0, items.length - 1)] as T;
  }

  /** One of them, if there is any. */
  pickAny<T>(items: readonly T[]): T | undefined {
    return items.length === 0 ? undefined : this.pick(items);
  }

  /** The value so many times in a hundred, else nothing. */
  maybe<T>(percent: number, make: () => T): T | undefined {
    return this.chance(percent) ? make() : undefined;
  }

  /** `min..max` values. */
  several<T>(min: number, max: number, make: () => T): T[] {
    return Array.from({ length: this.int(min, max) }, make);
  }

  /** One of the keys, each as often as its number says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.int(
      1,
      entries.reduce((sum, [, weight]) => sum + weight, 0),
    );
    for (const [key, weight] of entries) {
      left -= weight;
      if (left <= 0) return key;
    }
    throw new RangeError('weights must add up to something');
  }
}

/** The fields that are there. */
export function present<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
