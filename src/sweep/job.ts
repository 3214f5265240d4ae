/** What executors take and give back: plain data, the same on every machine. */
import type { VariantPack } from '../experiments/variant-files.js';
import type { PlanBase } from '../laboratory/fuzz/plan-base.js';
import type { PlanBounds } from '../laboratory/fuzz/plan-document.js';
import type { MetricValue } from './plan/sweep-plan.js';

/** A variant, played with each seed of a job: a row for each. */
export interface SweepOrder {
  readonly kind: 'sweep';
  readonly title: string;
  readonly hash: string;
  readonly pack: VariantPack;
  readonly metrics: readonly MetricValue[] | undefined;
}

/** A search over the seeds of a job. */
export interface FuzzOrder {
  readonly kind: 'fuzz';
  readonly bounds: PlanBounds;
  readonly base: PlanBase | undefined;
}

export type Order = SweepOrder | FuzzOrder;

/** See the file header. */
export interface Job {
  /** Of what is played: the same job has the same one, whatever made it. */
  readonly id: string;
  /** The program that may play it. */
  readonly program: string;
  readonly order: Order;
  readonly seeds: readonly number[];
  /** Machines that have played its runs before: others are to, while there are any. */
  readonly avoids?: readonly string[];
}

/** Where a job was played, and how long it took there. */
export interface Execution {
  readonly machine: string;
  /** Version of Node. */
  readonly node: string;
  readonly seconds: number;
}

/** A job that was played. */
export interface JobDone {
  /** Of a sweep: its rows in the order of the seeds, each as a line of JSON. Of a search: one line, its summary. */
  readonly lines: readonly string[];
  readonly execution: Execution;
}

/** Digests of contents that an order needs. */
export function contentsOf(order: Order): readonly string[] {
  if (order.kind === 'fuzz') return [];
  const { texts, clusters } = order.pack;
  const files = Object.values(clusters).flatMap((cluster) => cluster.files.map(([, digest]) => digest));
  return [...new Set([...Object.values(texts), ...files])];
}
