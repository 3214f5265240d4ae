import { isWhole, parseQuantity } from '../../api/values/quantity.js';
import type { Fields } from '../tables/cells.js';

/** Of amounts of bytes that are no whole number of them. */
export function fractionalBytes(place: string, amounts: Fields, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const amount = amounts[name];
    if (typeof amount !== 'string' || !/m$|\./.test(amount)) return [];
    const isExact = isWhole(parseQuantity(amount));
    return isExact ? [] : [`${place}[${name}]: fractional byte value "${amount}" is invalid, must be an integer`];
  });
}
