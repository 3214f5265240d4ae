/**
 * The kernel: everything that makes a run reproducible, in one place per cluster. It owns time,
 * randomness, identifiers and the trace hash; it never knows what a Pod is, and imports nothing
 * of the rest of the house.
 */
import type { EngineClock } from './clock.js';
import { createIdSource, type IdSource } from './ids.js';
import { randomStream, type RandomStream } from './random.js';
import { RealClock } from './real-clock.js';
import { createTimestamps, type Timestamps } from './timestamps.js';
import { TraceHash } from './trace-hash.js';
import { VirtualClock } from './virtual-clock.js';

/** One per cluster; handed to every component. */
export interface Kernel {
  readonly seed: string;
  readonly clock: EngineClock;
  readonly ids: IdSource;
  readonly timestamps: Timestamps;
  readonly trace: TraceHash;
  /** Opens the random stream of that name anew: each name has exactly one owner, who keeps it. */
  random(name: string): RandomStream;
}

/** What a kernel is made of. */
export interface KernelOptions {
  readonly seed: string;
  /** Seconds of simulated time per real second; absent = virtual time. */
  readonly speed?: number | undefined;
  /** Timestamp of simulated time 0. @defaultValue 2030-01-01T00:00:00Z */
  readonly epoch?: string | undefined;
}

/** Builds a kernel; equal options give equal streams, identifiers and timestamps. */
export function createKernel({ seed, speed, epoch = '2030-01-01T00:00:00Z' }: KernelOptions): Kernel {
  const random = (name: string): RandomStream => randomStream(seed, name);
  return {
    seed,
    clock: speed === undefined ? new VirtualClock() : new RealClock(speed),
    ids: createIdSource(random('ids/uid'), random('ids/name-suffix')),
    timestamps: createTimestamps(epoch),
    trace: new TraceHash(),
    random,
  };
}
