/** A row of a sweep: one run. The same on every machine, byte for byte. */
export interface SweepRow {
  /** Its title. */
  readonly variant: string;
  readonly hash: string;
  readonly seed: number;
  /** The program that played it. */
  readonly program: string;
  /** It came to its goal, or met its expectations. */
  readonly passed: boolean;
  /** What kept it from that; `null` = nothing, or nothing to say. */
  readonly problem: string | null;
  /** `null` = it broke off. */
  readonly traceHash: string | null;
  /** By metric and value, such as `pod_startup_ms p(99)`. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Two runs of one variant and one seed that came out differently. */
export interface Mismatch {
  readonly variant: string;
  readonly seed: number;
  /** What each came to, and where: a trace hash and a machine. */
  readonly runs: readonly { readonly traceHash: string | null; readonly machine: string; readonly node: string }[];
}
