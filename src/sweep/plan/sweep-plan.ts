/** What a sweep plays: variants, each with every seed. */
import type { Contents, VariantPack } from '../../experiments/variant-files.js';
import type { MetricName } from '../../measurements/metric-catalogue.js';
import type { FieldValues } from './draw-values.js';

/** A value of a metric, such as the `p(99)` of `pod_startup_ms`. */
export interface MetricValue {
  readonly metric: MetricName;
  readonly value: string;
}

/** One variant. */
export interface SweepVariant {
  readonly title: string;
  /** What was put into its file. */
  readonly set: FieldValues;
  readonly pack: VariantPack;
  /** Of all that its rows follow from, wherever its files lie. */
  readonly hash: string;
}

/** See the file header. */
export interface SweepPlan {
  readonly title: string;
  /** Its file. */
  readonly source: string;
  readonly variants: readonly SweepVariant[];
  readonly firstSeed: number;
  readonly seeds: number;
  /** What rows tell; absent = what a comparison looks at. */
  readonly metrics: readonly MetricValue[] | undefined;
  /** How long a job on another machine should take. */
  readonly jobMs: number;
  /** Contents of the files that variants name. */
  readonly contents: Contents;
  /** Every file that the plan needs besides itself, by its path beside the plan. */
  readonly files: readonly string[];
}
