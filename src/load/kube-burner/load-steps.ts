/** Steps of a job whose load grows (pkg/burner/incremental.go): how many iterations each of them plays, from the first one on. */

/** Steps of the same size, or each some times as large as the one before. */
export type LoadPattern =
  | { readonly type: 'linear'; readonly stepSize: number; readonly minSteps: number }
  | {
      readonly type: 'exponential';
      readonly base: number;
      /** Most iterations that a step may have beyond the one before; 0 = no limit. */
      readonly maxIncrease: number;
      /** Steps that grow by the first one's size before. */
      readonly warmupSteps: number;
    };

/** See the file header. */
export interface IncrementalLoad {
  /** 0 = the job's iterations. */
  readonly startIterations: number;
  readonly totalIterations: number;
  readonly stepDelayMs: number;
  readonly pattern: LoadPattern;
  /** With its arguments; empty = the nodes are looked at. */
  readonly healthCheckScript: string;
}

/** Iterations of each step: 10, 20, 30 of a linear load from 10 to 30. */
export function stepsOf(
  { startIterations, totalIterations, pattern }: IncrementalLoad,
  jobIterations: number,
): number[] {
  const start = startIterations > 0 ? startIterations : jobIterations;
  const total = Math.max(start, totalIterations);
  const steps = [start];
  for (let last = start; last < total;) {
    last = Math.min(total, last + increaseOf(pattern, steps.length + 1, start, total));
    steps.push(last);
  }
  return steps;
}

/** @param step - from 2 on */
function increaseOf(pattern: LoadPattern, step: number, start: number, total: number): number {
  if (pattern.type === 'linear') {
    const { stepSize, minSteps } = pattern;
    const isTooFew = minSteps > 0 && Math.ceil((total - start) / stepSize) < minSteps;
    return isTooFew ? Math.ceil((total - start) / minSteps) : stepSize;
  }
  const { base, maxIncrease, warmupSteps } = pattern;
  if (step <= warmupSteps) return start;
  const increase = Math.max(1, Math.floor(powerOf(base, step - warmupSteps)) * start);
  return maxIncrease > 0 ? Math.min(maxIncrease, increase) : increase;
}

/** By multiplication: powers of engines differ in their last digit. @param exponent - an integer */
function powerOf(base: number, exponent: number): number {
  let power = 1;
  for (let times = 0; times < exponent; times += 1) power *= base;
  return power;
}
