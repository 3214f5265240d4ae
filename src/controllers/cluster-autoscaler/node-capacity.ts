import type { Node, ResourceList } from '../../api/objects/objects.js';
import { parseQuantity } from '../../api/values/quantity.js';
import type { Amounts } from './autoscaler-seams.js';

const NANOS_PER_UNIT = 1_000_000_000n;
const NANOS_PER_MILLI = 1_000_000n;

/** Of equal nodes the amounts are read once. */
const known = new WeakMap<ResourceList, Amounts>();
const NOTHING: Amounts = { cpuMillis: 0, memoryBytes: 0 };

/** Cores and memory of a machine. */
export function capacityOf({ status: { capacity } }: Node): Amounts {
  return capacity === undefined ? NOTHING : amountsOf(capacity);
}

/** Cores and memory among amounts, rounded up. */
export function amountsOf(list: ResourceList): Amounts {
  let amounts = known.get(list);
  if (amounts === undefined) {
    amounts = {
      cpuMillis: unitsOf(list['cpu'], NANOS_PER_MILLI),
      memoryBytes: unitsOf(list['memory'], NANOS_PER_UNIT),
    };
    known.set(list, amounts);
  }
  return amounts;
}

function unitsOf(text: string | undefined, nanos: bigint): number {
  if (text === undefined) return 0;
  const quantity = parseQuantity(text).nanos;
  return Number((quantity + nanos - 1n) / nanos);
}
