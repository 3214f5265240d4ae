/**
 * The kernel: everything that makes a run reproducible, in one place per cluster. It owns time,
 * randomness, identifiers and the trace hash; it never knows what a Pod is, and imports nothing
 * of the rest of the house.
 */
import type { EngineClock } from './clock.js';
import { createIdSource, type IdSource } from '../ids.js';
import { randomStream, type RandomStream } from '../random.js';
import { RealClock } from './real-clock.js';
import { createTimestamps, type Timestamps } from '../timestamps.js';
import { TraceHash } from '../trace-hash.js';
import { VirtualClock } from './virtual-clock.js';
import { WallClock } from './wall-clock.js';

/** One per cluster; handed to every component. */
export interface Kernel {
  readonly seed: string;
  readonly clock: EngineClock;
  readonly ids: IdSource;
  readonly timestamps: Timestamps;
  readonly trace: TraceHash;
  /** Opens the random stream of that name anew: each name has exactly one owner, which keeps it. */
  random(name: string): RandomStream;
  /**
   * The kernel as a party sees it: timestamps are those of its own clock, which {@link skew} may put wrong.
   *
   * @param party - such as `kubelet/node-0`; a part of a party that has a clock of its own adds its name to it
   */
  at(party: string): Kernel;
  /**
   * Puts the clock of a party forward of the right time, or back where it is less than 0; ms, from now on.
   *
   * @param onUsed - told each time that the party stamps or reads something by it
   */
  skew(party: string, skewMs: number, onUsed: () => void): void;
  /** Since when the clock of a party has been right, ms; absent = it is not. */
  clockRightSinceMs(party: string): number | undefined;
}

/** What a kernel is made of. */
export interface KernelOptions {
  readonly seed: string;
  /** Seconds of simulated time per real second; absent = virtual time. */
  readonly speed?: number | undefined;
  /** Timestamp of simulated time 0. @defaultValue 2030-01-01T00:00:00Z */
  readonly epoch?: string | undefined;
  /** Sets the streams apart from those of another run of the seed, which this one goes on from. @defaultValue none */
  readonly salt?: string | undefined;
}

/** Builds a kernel; equal options give equal streams, identifiers and timestamps. */
export function createKernel({ seed, speed, epoch = '2030-01-01T00:00:00Z', salt }: KernelOptions): Kernel {
  const origin = salt === undefined ? seed : `${seed}/${salt}`;
  const random = (name: string): RandomStream => randomStream(origin, name);
  const common = {
    seed,
    clock: speed === undefined ? new VirtualClock() : new RealClock(speed),
    ids: createIdSource(random('ids/uid'), random('ids/name-suffix')),
    trace: new TraceHash(),
    random,
  };
  return kernelAt(common, createTimestamps(epoch), new Map(), undefined);
}

type Common = Omit<Kernel, 'timestamps' | 'at' | 'skew' | 'clockRightSinceMs'>;

interface PartyKernel {
  readonly kernel: Kernel;
  readonly wallClock: WallClock;
}

/** @param machine - its wall clock, shared by all parties on it that have none of their own */
function kernelAt(
  common: Common,
  right: Timestamps,
  parties: Map<string, PartyKernel>,
  machine: WallClock | undefined,
): Kernel {
  const partyOf = (party: string): PartyKernel => {
    let known = parties.get(party);
    if (known === undefined) {
      const wallClock = new WallClock(common.clock, right, machine);
      known = { kernel: kernelAt(common, right, parties, wallClock), wallClock };
      parties.set(party, known);
    }
    return known;
  };
  return {
    seed: common.seed,
    clock: common.clock,
    ids: common.ids,
    trace: common.trace,
    random: common.random,
    timestamps: machine ?? right,
    at: (party) => partyOf(party).kernel,
    skew: (party, skewMs, onUsed) => partyOf(party).wallClock.set(skewMs, onUsed),
    clockRightSinceMs: (party) => {
      const known = parties.get(party) ?? parties.get(party.replace(/\/.*$/, ''));
      return known === undefined ? 0 : known.wallClock.rightSinceMs;
    },
  };
}
