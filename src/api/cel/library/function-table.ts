import type { CelValue } from '../values.js';

/**
 * Functions by their signatures: `string::find(string) -> string` is called on a text, `url(string) -> …` is not. What
 * runs is given values of these types.
 */
export type FunctionTable = Readonly<Record<string, (...args: CelValue[]) => CelValue>>;

/** Notes functions whose arguments are told apart by their signatures. */
export function functionTable(table: Readonly<Record<string, (...args: never[]) => CelValue>>): FunctionTable {
  return table as unknown as FunctionTable;
}
