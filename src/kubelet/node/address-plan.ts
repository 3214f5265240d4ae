/**
 * Addresses of nodes and pods, handed out in order, so that they are the same on every run. One plan
 * per cluster: each machine takes an InternalIP out of 172.16.0.0 and a range of pod addresses out of
 * 10.0.0.0, a power of two at least twice its pods (a /24 for the usual 110).
 */
import type { Kernel } from '../../kernel/engine/kernel.js';
import { LateSet } from '../../kernel/late-collections.js';

const FIRST_HOST = 172 * 2 ** 24 + 16 * 2 ** 16 + 1;
const FIRST_POD_RANGE = 10 * 2 ** 24;
const SMALLEST_RANGE = 256;

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

  /** The addresses of a machine's pods. */
  podRange(maxPods: number): PodRange {
    let size = SMALLEST_RANGE;
    while (size < maxPods * 2) size *= 2;
    const first = Math.ceil(this.#nextRange / size) * size;
    this.#nextRange = first + size;
    return new PodRange(first, size, this.#reserved);
  }
}

/** Pod addresses of one machine, each in use once; the one freed longest ago comes last, as host-local does. */
export class PodRange {
  readonly #first: number;
  readonly #size: number;
  readonly #used = new LateSet<number>();
  readonly #reserved: Set<string>;
  #last = 0;

  /** @param reserved - addresses that are in use, of this machine or of others */
  constructor(first: number, size: number, reserved: Set<string> = new Set()) {
    this.#first = first;
    this.#size = size;
    this.#reserved = reserved;
  }

  /** The next free address, or `undefined` when all are in use. The first and last of the range are never given. */
  take(): string | undefined {
    const usable = this.#size - 2;
    for (let step = 1; step <= usable; step += 1) {
      const offset = ((this.#last + step - 1) % usable) + 1;
      if (this.#used.has(offset)) continue;
      const address = dotted(this.#first + offset);
      if (this.#reserved.has(address)) continue;
      this.#used.add(offset);
      this.#last = offset;
      return address;
    }
    return undefined;
  }

  /** Gives an address back. */
  free(address: string): void {
    this.#used.delete(undotted(address) - this.#first);
    this.#reserved.delete(address);
  }
}

function dotted(address: number): string {
  const byte = (shift: number): number => Math.floor(address / 2 ** shift) % 256;
  return `${byte(24)}.${byte(16)}.${byte(8)}.${byte(0)}`;
}

function undotted(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}
