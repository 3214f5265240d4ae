/** What the rows of a variant come to: a few numbers for each metric, however many rows there are. */
import { ValueCounts } from '../../measurements/value-counts.js';
import type { SweepRow } from './row.js';

/** Of one value over the runs of a variant. Quantiles are exact to four digits. */
export interface MetricAggregate {
  readonly runs: number;
  readonly mean: number;
  readonly min: number;
  readonly p10: number;
  readonly med: number;
  readonly p90: number;
  readonly max: number;
}

/** Of one variant. */
export interface VariantAggregate {
  readonly variant: string;
  readonly hash: string;
  /** What was put into its file. */
  readonly set: Readonly<Record<string, unknown>>;
  readonly runs: number;
  readonly passed: number;
  /** Why runs did not pass: the most frequent reasons, with how often and the first seed. */
  readonly problems: readonly { readonly problem: string; readonly runs: number; readonly seed: number }[];
  readonly metrics: Readonly<Record<string, MetricAggregate>>;
}

/** Values are counted by as many digits: there are no more than nine thousand different ones in each power of ten. */
const DIGITS = 4;
const TOLD_PROBLEMS = 3;
const KEPT_PROBLEMS = 1000;

/** See the file header. */
export class VariantReducer {
  readonly #metrics = new Map<string, ValueReducer>();
  readonly #problems = new Map<string, { runs: number; readonly seed: number }>();
  #runs = 0;
  #passed = 0;

  add({ seed, passed, problem, metrics }: SweepRow): void {
    this.#runs += 1;
    if (passed) this.#passed += 1;
    else this.#addProblem(problem ?? 'no reason given', seed);
    for (const [name, value] of Object.entries(metrics)) {
      const known = this.#metrics.get(name) ?? new ValueReducer();
      this.#metrics.set(name, known);
      known.add(value);
    }
  }

  read(variant: string, hash: string, set: VariantAggregate['set']): VariantAggregate {
    const problems = [...this.#problems].toSorted(([, a], [, b]) => b.runs - a.runs || a.seed - b.seed);
    return {
      variant,
      hash,
      set,
      runs: this.#runs,
      passed: this.#passed,
      problems: problems.slice(0, TOLD_PROBLEMS).map(([problem, { runs, seed }]) => ({ problem, runs, seed })),
      metrics: Object.fromEntries([...this.#metrics].map(([name, values]) => [name, values.read()])),
    };
  }

  #addProblem(problem: string, seed: number): void {
    const known = this.#problems.get(problem);
    if (known !== undefined) known.runs += 1;
    else if (this.#problems.size < KEPT_PROBLEMS) this.#problems.set(problem, { runs: 1, seed });
  }
}

class ValueReducer {
  readonly #counts = new ValueCounts();
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  add(value: number): void {
    this.#counts.add(Number(value.toPrecision(DIGITS)));
    this.#sum += value;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  read(): MetricAggregate {
    const { total } = this.#counts;
    const quantile = (share: number): number => this.#counts.quantile(share) ?? 0;
    const mean = this.#sum / total;
    return {
      runs: total,
      mean,
      min: this.#min,
      p10: quantile(0.1),
      med: quantile(0.5),
      p90: quantile(0.9),
      max: this.#max,
    };
  }
}
