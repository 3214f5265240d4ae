/**
 * Exact amounts of a resource in plain numbers: whole units and the billionth parts beyond them, so that sums of the
 * finest quantities that Kubernetes knows stay exact before they are rounded up once.
 */
import { knownQuantity } from '../../api/values/quantity.js';

/** A non-negative amount. */
export interface Amount {
  readonly units: number;
  /** 0..999,999,999. */
  readonly nanos: number;
}

const NANOS_PER_UNIT = 1_000_000_000;
const NANOS_PER_MILLI = 1_000_000;

/** Texts repeat: pods and nodes come from templates. Started anew when full. */
const MAX_PARSED = 65_536;
const parsed = new Map<string, Amount>();

/** Parses a quantity that the API server accepted; finer than a billionth is rounded up. */
export function amountOf(quantity: string | number): Amount {
  const text = typeof quantity === 'string' ? quantity : String(quantity);
  let amount = parsed.get(text);
  if (amount === undefined) {
    const { nanos } = knownQuantity(text);
    amount = { units: Number(nanos / BigInt(NANOS_PER_UNIT)), nanos: Number(nanos % BigInt(NANOS_PER_UNIT)) };
    if (parsed.size >= MAX_PARSED) parsed.clear();
    parsed.set(text, amount);
  }
  return amount;
}

/** A whole number of units. */
export function unitsAmount(units: number): Amount {
  return { units, nanos: 0 };
}

/** The sum. */
export function addAmounts(a: Amount, b: Amount): Amount {
  const nanos = a.nanos + b.nanos;
  const carry = nanos >= NANOS_PER_UNIT ? 1 : 0;
  return { units: a.units + b.units + carry, nanos: nanos - carry * NANOS_PER_UNIT };
}

/** Whether `a` is more than `b`. */
export function isGreater(a: Amount, b: Amount): boolean {
  return a.units > b.units || (a.units === b.units && a.nanos > b.nanos);
}

/** In units, rounded up. */
export function ceilUnits(amount: Amount): number {
  return amount.nanos > 0 ? amount.units + 1 : amount.units;
}

/** In thousandths, rounded up. */
export function ceilMilli(amount: Amount): number {
  return amount.units * 1000 + Math.ceil(amount.nanos / NANOS_PER_MILLI);
}
