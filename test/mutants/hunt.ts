/** A search that ends with its first find, which it prints as JSON: `hunt.js FIRST SEEDS`. Nothing found, nothing printed. */
import { drawPlan } from '../../src/laboratory/fuzz/draw-plan.js';
import { playPlan } from '../../src/index.js';

/** What is printed. */
export interface Find {
  readonly seed: number;
  readonly invariant: string;
  readonly object: string;
  readonly text: string;
}

const [first = 1, seeds = 1] = process.argv.slice(2).map(Number);

for (let seed = first; seed < first + seeds; seed += 1) {
  const [violation] = (await playPlan(drawPlan(String(seed)))).violations;
  if (violation === undefined) continue;
  const { invariant, object, text } = violation;
  process.stdout.write(`${JSON.stringify({ seed, invariant, object, text } satisfies Find)}\n`);
  break;
}
