/** What an evaluation has cost so far. Evaluations are synchronous, so that one count at a time is enough. */

/** The evaluation of an expression has cost more than one may (apiserver's apis/cel/config.go, v1.34). */
export class CostLimitError extends Error {}

/** What one evaluation may cost. */
const MOST_FOR_CALL = 1_000_000;

let spent = 0;

/** Adds to the cost of the evaluation that is under way. @throws CostLimitError */
export function charge(cost: number): void {
  spent += cost;
  if (spent > MOST_FOR_CALL) throw new CostLimitError('operation cancelled: actual cost limit exceeded');
}

/** Does the work of an evaluation, which may lie within another one. */
export function metered<T>(work: () => T): { readonly result: T; readonly cost: number } {
  const before = spent;
  spent = 0;
  try {
    const result = work();
    return { result, cost: spent };
  } finally {
    spent = before;
  }
}
