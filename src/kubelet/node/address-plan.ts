/**
 * Addresses of nodes and pods, handed out in order, so that they are the same on every run. One plan
 * per cluster: each machine takes an InternalIP out of 172.16.0.0 and a range of pod addresses out of
 * 10.0.0.0, a power of two at least twice its pods (a /24 for the usual 110). A machine for very many pods,
 * as kwok's are for a million, takes further ranges once they are needed.
 */
import type { Kernel } from '../../kernel/engine/kernel.js';
import { LateSet } from '../../kernel/late-collections.js';

const FIRST_HOST = 172 * 2 ** 24 + 16 * 2 ** 16 + 1;
const FIRST_POD_RANGE = 10 * 2 ** 24;
const SMALLEST_RANGE = 256;
/** One machine's first range has no more, and neither has each further one. */
const LARGEST_RANGE = 8192;

const plans = new WeakMap<Kernel['clock'], AddressPlan>();

/** The plan that all nodes of a cluster share. */
export function addressPlanOf({ clock }: Pick<Kernel, 'clock'>): AddressPlan {
  let plan = plans.get(clock);
  if (plan === undefined) {
    plan = new AddressPlan();
    plans.set(clock, plan);
  }
  return plan;
}

/** See the file header. */
export class AddressPlan {
  /** Addresses that are in use although the plan has not given them. */
  readonly #reserved = new Set<string>();
  #nextHost = FIRST_HOST;
  #nextRange = FIRST_POD_RANGE;

  /** An InternalIP for a machine. */
  hostAddress(): string {
    for (;;) {
      const address = dotted(this.#nextHost);
      this.#nextHost += 1;
      if (!this.#reserved.has(address)) return address;
    }
  }

  /** An address is in use; it is given out once it has been freed. */
  reserve(address: string): void {
    this.#reserved.add(address);
  }

  /** The addresses of a machine's pods. @param maxPods - 0 or more */
  podRange(maxPods: number): PodRange {
    let size = SMALLEST_RANGE;
    while (size < maxPods * 2 && size < LARGEST_RANGE) size *= 2;
    return new PodRange(this.#block(size), size, {
      reserved: this.#reserved,
      more: (known) => (known < maxPods ? this.#block(size) : undefined),
    });
  }

  /** The first of as many addresses that nothing else has. */
  #block(size: number): number {
    const first = Math.ceil(this.#nextRange / size) * size;
    this.#nextRange = first + size;
    return first;
  }
}

/** What a range of addresses is part of. */
interface RangeSeams {
  /** Addresses that are in use, of this machine or of others. */
  readonly reserved: Set<string>;
  /** The first address of another block of the same size; `undefined` = as many are enough. */
  readonly more: (known: number) => number | undefined;
}

/** Pod addresses of one machine, each in use once; the one freed longest ago comes last, as host-local does. */
export class PodRange {
  /** The first address of each block. */
  readonly #blocks: number[];
  readonly #size: number;
  /** Places among the addresses of all blocks that may be given, from 0 on. */
  readonly #used = new LateSet<number>();
  readonly #seams: RangeSeams;
  #next = 0;

  /** @param seams - @defaultValue a range of its own */
  constructor(first: number, size: number, seams: RangeSeams = { reserved: new Set(), more: () => undefined }) {
    this.#blocks = [first];
    this.#size = size;
    this.#seams = seams;
  }

  /** The next free address, or `undefined` when all are in use. The first and last of a block are never given. */
  take(): string | undefined {
    const usable = this.#size - 2;
    for (let known = this.#blocks.length * usable; ; known += usable) {
      const free = this.#findFree(known);
      if (free !== undefined) return free;
      const block = this.#seams.more(known);
      if (block === undefined) return undefined;
      this.#blocks.push(block);
      this.#next = known;
    }
  }

  #findFree(known: number): string | undefined {
    for (let step = 0; step < known; step += 1) {
      const place = (this.#next + step) % known;
      if (this.#used.has(place)) continue;
      const address = this.#addressAt(place);
      if (this.#seams.reserved.has(address)) continue;
      this.#used.add(place);
      this.#next = place + 1;
      return address;
    }
    return undefined;
  }

  #addressAt(place: number): string {
    const usable = this.#size - 2;
    return dotted((this.#blocks[Math.floor(place / usable)] ?? 0) + (place % usable) + 1);
  }

  /** Gives an address back. */
  free(address: string): void {
    const number = undotted(address);
    const block = this.#blocks.findIndex((first) => number > first && number < first + this.#size - 1);
    if (block !== -1) this.#used.delete(block * (this.#size - 2) + number - (this.#blocks[block] ?? 0) - 1);
    this.#seams.reserved.delete(address);
  }
}

function dotted(address: number): string {
  const byte = (shift: number): number => Math.floor(address / 2 ** shift) % 256;
  return `${byte(24)}.${byte(16)}.${byte(8)}.${byte(0)}`;
}

function undotted(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}
