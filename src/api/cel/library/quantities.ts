/** Quantities (apiserver/pkg/cel/library/quantity.go, v1.34). */
import {
  addQuantities,
  compareQuantities,
  isWhole,
  parseQuantity,
  subtractQuantities,
  value,
  type Quantity,
} from '../../values/quantity.js';
import { CelError, LARGEST_INT, SMALLEST_INT, type CelOpaque } from '../values.js';
import { functionTable } from './function-table.js';

const NANOS = 1_000_000_000n;

/** See the file header. */
export class CelQuantity implements CelOpaque {
  readonly celType = 'kubernetes.Quantity';
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    this.quantity = quantity;
  }

  isSame(other: CelOpaque): boolean {
    return other instanceof CelQuantity && compareQuantities(this.quantity, other.quantity) === 0;
  }
}

function parsed(text: string | bigint): CelQuantity {
  try {
    return new CelQuantity(parseQuantity(String(text)));
  } catch {
    const form = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';
    const isKnown = /^[+-]?(?:\d+\.?\d*|\.\d+)[eEinumkKMGTP]*[-+]?\d*$/.test(String(text));
    throw new CelError(
      isKnown ? "unable to parse quantity's suffix" : `quantities must match the regular expression '${form}'`,
    );
  }
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

function whole({ quantity }: CelQuantity): bigint {
  const number = quantity.nanos / NANOS;
  if (!isWhole(quantity) || number > LARGEST_INT || number < SMALLEST_INT) {
    throw new CelError('cannot convert value to integer');
  }
  return number;
}

const Q = 'kubernetes.Quantity';
const order = (a: CelQuantity, b: CelQuantity): number => Math.sign(compareQuantities(a.quantity, b.quantity));
const plus = (a: CelQuantity, b: CelQuantity): CelQuantity => new CelQuantity(addQuantities(a.quantity, b.quantity));
const minus = (a: CelQuantity, b: CelQuantity): CelQuantity =>
  new CelQuantity(subtractQuantities(a.quantity, b.quantity));

export const QUANTITY_FUNCTIONS = functionTable({
  [`quantity(string) -> ${Q}`]: parsed,
  'isQuantity(string) -> bool': isQuantity,
  [`sign(${Q}) -> int`]: (a: CelQuantity) => BigInt(a.quantity.nanos === 0n ? 0 : a.quantity.nanos > 0n ? 1 : -1),
  [`${Q}::isGreaterThan(${Q}) -> bool`]: (a: CelQuantity, b: CelQuantity) => order(a, b) > 0,
  [`${Q}::isLessThan(${Q}) -> bool`]: (a: CelQuantity, b: CelQuantity) => order(a, b) < 0,
  [`${Q}::compareTo(${Q}) -> int`]: (a: CelQuantity, b: CelQuantity) => BigInt(order(a, b)),
  [`${Q}::asApproximateFloat() -> double`]: (a: CelQuantity) =>
    Number(a.quantity.nanos) / Number(NANOS) || value(a.quantity),
  [`${Q}::asInteger() -> int`]: whole,
  [`${Q}::isInteger() -> bool`]: (a: CelQuantity) => isWhole(a.quantity),
  [`${Q}::add(${Q}) -> ${Q}`]: plus,
  [`${Q}::add(int) -> ${Q}`]: (a: CelQuantity, b: bigint) => plus(a, parsed(b)),
  [`${Q}::sub(${Q}) -> ${Q}`]: minus,
  [`${Q}::sub(int) -> ${Q}`]: (a: CelQuantity, b: bigint) => minus(a, parsed(b)),
});
