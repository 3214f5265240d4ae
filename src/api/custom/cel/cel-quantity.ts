/** Quantities in rules (apiserver/pkg/cel/quantity.go, v1.34). */
import {
  addQuantities,
  compareQuantities,
  isWhole,
  parseQuantity,
  subtractQuantities,
  value,
  type Quantity,
} from '../../values/quantity.js';

/** A quantity, as an object that the language can tell from others. */
export class CelQuantity {
  readonly #quantity: Quantity;

  constructor(quantity: Quantity) {
    this.#quantity = quantity;
  }

  /** Whether a text is one. */
  static canParse(text: string): boolean {
    try {
      parseQuantity(text);
      return true;
    } catch {
      return false;
    }
  }

  /** Less than 0, 0, or more. */
  compare(other: CelQuantity): number {
    return Math.sign(compareQuantities(this.#quantity, other.#quantity));
  }

  plus(other: CelQuantity): CelQuantity {
    return new CelQuantity(addQuantities(this.#quantity, other.#quantity));
  }

  minus(other: CelQuantity): CelQuantity {
    return new CelQuantity(subtractQuantities(this.#quantity, other.#quantity));
  }

  get isWhole(): boolean {
    return isWhole(this.#quantity);
  }

  get number(): number {
    return value(this.#quantity);
  }
}

/** The quantity of a text, or of a whole number. @throws QuantityError for what is none */
export function celQuantity(text: string | bigint): CelQuantity {
  return new CelQuantity(parseQuantity(String(text)));
}
