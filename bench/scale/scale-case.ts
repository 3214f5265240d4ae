/** A case of `npm run bench -- scale`: what is measured, of which build, and what comes of it. */
import type * as library from '../../src/index.js';

/** The public door of the build that is measured, which need not be this one. */
export type Library = typeof library;

/** The build that is measured. */
export interface Build {
  /** Its repository, compiled. */
  readonly folder: string;
  readonly load: () => Promise<Library>;
}

/** One stage of a case. */
export interface Stage {
  readonly stage: string;
  /** Processor time of the process, all of its threads. */
  readonly cpuSeconds: number;
  readonly seconds: number;
  /** What it did so often: pods, for most. */
  readonly units: number;
}

/** What one run came to. */
export interface ScaleResult {
  readonly stages: readonly Stage[];
  readonly peakRssBytes: number;
  /** Absent where nothing is simulated. */
  readonly traceHash?: string | undefined;
}

/** A case in one size. */
export interface ScaleCase {
  /** As it is named on the command line. */
  readonly name: string;
  /** Small sizes run in the tests alone, and where they are named. */
  readonly isSmoke?: true;
  /** @returns the trace hash, where there is one */
  readonly run: (build: Build, laps: Laps) => Promise<string | undefined>;
}

/** Takes the times of stages. */
export class Laps {
  readonly stages: Stage[] = [];
  #cpuSeconds = cpuSeconds();
  #seconds = performance.now() / 1000;

  /** A stage begins now: what came before counts for none. */
  restart(): void {
    this.#cpuSeconds = cpuSeconds();
    this.#seconds = performance.now() / 1000;
  }

  /** A stage ends now, and the next one begins. */
  end(stage: string, units: number): void {
    const taken = { cpuSeconds: cpuSeconds() - this.#cpuSeconds, seconds: performance.now() / 1000 - this.#seconds };
    this.stages.push({ stage, units, ...taken });
    this.restart();
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
