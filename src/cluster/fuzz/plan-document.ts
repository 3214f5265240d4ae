/**
 * What a seed of a search stands for, as plain data: a scenario as its file would say it. Written to a file it is
 * a scenario like any other, so that whoever finds something can play, read and change it.
 */

/** One thing that happens; the verbs and fields are those of scenario files. */
export type PlannedAction = { readonly at: string } & Readonly<Record<string, unknown>>;

/** See the file header. */
export interface PlanDocument {
  readonly title: string;
  readonly cluster: Readonly<Record<string, unknown>> & { readonly seed: string; readonly nodes: number };
  readonly workloads: readonly Readonly<Record<string, unknown>>[];
  readonly actions: readonly PlannedAction[];
}

/** Bounds of what may be drawn. */
export interface PlanBounds {
  /** Nodes of the clusters, `[least, most]`. @defaultValue [3, 8] */
  readonly nodes?: readonly [number, number];
  /** Faults of a plan. @defaultValue [1, 8] */
  readonly faults?: readonly [number, number];
  /** What users do meanwhile. @defaultValue [2, 10] */
  readonly changes?: readonly [number, number];
  /** Minutes in which all of it happens. @defaultValue [10, 30] */
  readonly minutes?: readonly [number, number];
}

/** The bounds where nothing else is said. */
export const DEFAULT_BOUNDS: Required<PlanBounds> = {
  nodes: [3, 8],
  faults: [1, 8],
  changes: [2, 10],
  minutes: [10, 30],
};
