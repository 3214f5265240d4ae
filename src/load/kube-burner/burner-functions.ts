/** The functions that kube-burner's templates have beside sprig's (pkg/util/template.go). */
import { fixed, type FunctionTable } from '../../templates/functions.js';
import { FunctionError } from '../../templates/template-error.js';

/** @param readFile - a file as text, by its path */
export function burnerFunctions(readFile: (path: string) => string): FunctionTable {
  return {
    Binomial: fixed(['int', 'int'], binomial),
    IndexToCombination: fixed(['any', 'int', 'int', 'int'], (_into, index, n, k) => combination(index, n, k)),
    GetSubnet24: fixed(['int'], (index) => `${((index >> 16) + 1) & 255}.${(index >> 8) & 255}.${index & 255}.0/24`),
    GetIPAddress: fixed(['string', 'int', 'int'], (addresses, iteration, count) => {
      const all = addresses.split(' ');
      const chosen = all.slice(iteration * count, (iteration + 1) * count);
      if (chosen.length < count)
        throw new FunctionError(
          `runtime error: index out of range [${iteration * count + count - 1}] with length ${all.length}`,
        );
      return chosen.join(' ');
    }),
    ReadFile: fixed(['string'], (path) => {
      try {
        return readFile(path);
      } catch (error) {
        throw new FunctionError(`failed to open file: ${error instanceof Error ? error.message : String(error)}`);
      }
    }),
  };
}

function binomial(n: number, k: number): number {
  if (n < 0 || k < 0 || k > n) throw new FunctionError(`combin: n and k must be 0 <= k <= n, got ${n} and ${k}`);
  let result = 1;
  for (let index = 1; index <= Math.min(k, n - k); index += 1) result = (result * (n - index + 1)) / index;
  return Math.round(result);
}

/** The combination of `k` out of `n` with this index, in lexicographic order. */
function combination(index: number, n: number, k: number): number[] {
  const chosen: number[] = [];
  let [rest, next] = [index, 0];
  for (let left = k; left > 0; left -= 1) {
    while (next < n && binomial(n - next - 1, left - 1) <= rest) {
      rest -= binomial(n - next - 1, left - 1);
      next += 1;
    }
    chosen.push(next);
    next += 1;
  }
  return chosen;
}
