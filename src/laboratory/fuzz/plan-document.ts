/**
 * What a seed of a search stands for, as plain data: a scenario as its file would say it. Written to a file it is
 * a scenario like any other, so that a find can be played, read and changed.
 */
import type { FaultVerb } from '../../faults/fault.js';
import { FAULT_VERBS } from '../../faults/read-fault.js';

/** One thing that happens; the verbs and fields are those of scenario files. */
export type PlannedAction = { readonly at: string } & Readonly<Record<string, unknown>>;

/** See the file header. */
export interface PlanDocument {
  readonly title: string;
  readonly cluster: Readonly<Record<string, unknown>> & { readonly seed: string };
  /** What containers do, as the `scripts` of a scenario say it. */
  readonly scripts?: readonly unknown[];
  readonly workloads: readonly Readonly<Record<string, unknown>>[];
  readonly actions: readonly PlannedAction[];
  /** The end must be that of the same plan without its faults. @defaultValue false */
  readonly reference?: boolean;
}

/** The least and the most of something. */
export type Range = readonly [least: number, most: number];

/** Bounds of what may be drawn. */
export interface PlanBounds {
  /** Nodes of the clusters, 1 to 1,000. @defaultValue [3, 8] */
  readonly nodes?: Range;
  /** Faults of a plan. @defaultValue [1, 8] */
  readonly faults?: Range;
  /** What users do meanwhile. @defaultValue [2, 10] */
  readonly changes?: Range;
  /** Minutes in which all of it happens. @defaultValue [10, 30] */
  readonly minutes?: Range;
  /** Kinds of faults, each as often as it is named. @defaultValue every kind once but `partition` and `breakAttachment` */
  readonly kinds?: readonly FaultVerb[];
  /** Seconds that a fault lasts. @defaultValue [5, 600] */
  readonly lastSeconds?: Range;
  /** Seconds by which watches and reads lag, and by which pulls and sandboxes are slow. @defaultValue [1, 60] */
  readonly lagSeconds?: Range;
  /** Seconds by which clocks go wrong; less than 0 = behind. @defaultValue [-600, 600] */
  readonly skewSeconds?: Range;
  /** Shares of the requests that are lost or refused, 0..1. @defaultValue [0.1, 1] */
  readonly shares?: Range;
  /** Writes after which something crashes. @defaultValue [1, 10] */
  readonly writes?: Range;
  /** One plan in so many is compared with its run without faults; 0 = none. @defaultValue 4 */
  readonly reference?: number;
}

/** Drawn only where they are named: those of drawn workloads that they concern are few, or none. */
const UNUSUAL: readonly FaultVerb[] = ['partition', 'breakAttachment', 'failPool'];

/** The bounds where nothing else is said. */
export const DEFAULT_BOUNDS: Required<PlanBounds> = {
  nodes: [3, 8],
  faults: [1, 8],
  changes: [2, 10],
  minutes: [10, 30],
  kinds: FAULT_VERBS.filter((verb) => !UNUSUAL.includes(verb)),
  lastSeconds: [5, 600],
  lagSeconds: [1, 60],
  skewSeconds: [-600, 600],
  shares: [0.1, 1],
  writes: [1, 10],
  reference: 4,
};

const FAULTY: readonly string[] = [...FAULT_VERBS, 'heal'];

/** Whether an action breaks something, or mends it. */
export function isFault(action: PlannedAction): boolean {
  return FAULTY.some((verb) => verb in action);
}

/** The same plan with what users do alone. */
export function withoutFaults(plan: PlanDocument): PlanDocument {
  return { ...plan, actions: plan.actions.filter((action) => !isFault(action)) };
}
