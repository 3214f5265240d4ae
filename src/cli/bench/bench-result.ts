/** What is run in one child process, and what it answers. */

/** How a workload is run: the decisions by themselves, or through API server, bus, queue and binding. */
export type BenchMode = 'algorithm' | 'full';

/** One workload under one setting. */
export interface BenchCase {
  /** The file that describes the workload. */
  readonly file: string;
  /** Where its templates are; absent = beside the file. */
  readonly templates?: string | undefined;
  /** Test case and size. */
  readonly workload: string;
  readonly mode: BenchMode;
  /** 1..100; 0 = fewer the more nodes there are. */
  readonly percentageOfNodesToScore: number;
  readonly workers: number;
  readonly seed: string;
  /** Measured pods instead of those of the workload. */
  readonly pods?: number | undefined;
  /** How often the whole workload is played in the process, each time from nothing. */
  readonly rounds: number;
}

/** The rounds after the engine has compiled its code: the median of the last half of them by its rate. */
export interface WarmFigures {
  readonly podsPerSecond: number;
  readonly p50Us: number | null;
  readonly p99Us: number | null;
  /** podsPerSecond over the anchor's. */
  readonly ratio: number | null;
}

/** What the real scheduler did with the same. */
export interface AnchorFigures {
  /** Name of the measurement. */
  readonly anchor: string;
  readonly podsPerSecond: number;
  readonly p50Us: number | null;
  readonly p99Us: number | null;
}

/** What one run measured; in the first round where nothing else is said. */
export interface BenchResult {
  readonly workload: string;
  readonly mode: BenchMode;
  readonly percentageOfNodesToScore: number;
  readonly workers: number;
  /** Pods that were decided (algorithm) or scheduled (full) while it was measured. */
  readonly pods: number;
  /** Decisions of that time by what came of them; attempts that were repeated count again. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Real time that was measured. */
  readonly seconds: number;
  /** Processor time of all threads in it. */
  readonly cpuSeconds: number;
  /** `pods` per measured second, from a cold start of the process: nothing is run beforehand. */
  readonly podsPerSecond: number;
  /** `null` with a single round. */
  readonly warm: WarmFigures | null;
  /** podsPerSecond of every round, in order. */
  readonly roundsPodsPerSecond: readonly number[];
  /** Real time of one attempt, microseconds; `null` when there was none. */
  readonly p50Us: number | null;
  readonly p99Us: number | null;
  /** Real time from the start of the process to its end: objects that are made first included. */
  readonly wallSeconds: number;
  readonly peakRssBytes: number;
  /** Digest of every pod with its node, or the node that it is nominated to. */
  readonly placementHash: string;
  /** Digest of all watch events; full mode only. */
  readonly traceHash: string | null;
  /** What upstream expects, pods per second. */
  readonly threshold: number | null;
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly anchor: AnchorFigures | null;
  /** podsPerSecond over the anchor's. */
  readonly ratio: number | null;
}
