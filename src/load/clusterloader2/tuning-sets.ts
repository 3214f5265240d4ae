/** The tuning sets of a test (pkg/tuningset), by name; limiters of `globalQPSLoad` are shared by all phases. */
import { assert } from '../../kernel/assert.js';
import type { RandomStream } from '../../kernel/random.js';
import { TokenBucket } from '../../kernel/token-bucket.js';
import {
  limited,
  parallel,
  poissonDistanceMs,
  scattered,
  spaced,
  type Action,
  type PaceClock,
} from '../player/pacing.js';
import type { TuningSet } from './load-config.js';

/** See the file header. */
export class TuningSets {
  readonly #clock: PaceClock;
  readonly #random: RandomStream;
  readonly #sets: ReadonlyMap<string, TuningSet>;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: PaceClock, random: RandomStream, sets: readonly TuningSet[]) {
    this.#clock = clock;
    this.#random = random;
    this.#sets = new Map(sets.map((set) => [set.name, set]));
  }

  /** Carries out the actions of a phase at the pace of a set. */
  async execute(name: string, actions: readonly Action[]): Promise<void> {
    const set = this.#sets.get(name);
    assert(set !== undefined, `tuning set ${name} was checked when the test was read`);
    if (set.initialDelayMs > 0) await this.#clock.sleep(set.initialDelayMs);
    await this.#paced(set, actions);
  }

  #paced(set: TuningSet, actions: readonly Action[]): Promise<void> {
    const clock = this.#clock;
    const random = this.#random;
    switch (set.type) {
      case 'qpsLoad':
        return spaced(clock, actions, () => 1000 / set.qps);
      case 'randomizedLoad':
        return spaced(clock, actions, () => (2 * random.unit() * 1000) / set.averageQps);
      case 'steppedLoad':
        return spaced(clock, actions, (index) => ((index + 1) % set.burstSize === 0 ? set.stepDelayMs : 0));
      case 'timeLimitedLoad':
        return spaced(clock, actions, () => set.timeLimitMs / actions.length);
      case 'randomizedTimeLimitedLoad':
        return scattered(clock, actions, set.timeLimitMs, random);
      case 'parallelismLimitedLoad':
        return parallel(clock, actions, set.parallelismLimit);
      case 'globalQPSLoad':
        return limited(clock, actions, this.#bucketOf(set.name, set));
      case 'poissonLoad':
        return spaced(clock, actions, () => poissonDistanceMs(set.expectedActionsPerSecond, random));
    }
  }

  #bucketOf(name: string, limit: { readonly qps: number; readonly burst: number }): TokenBucket {
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) this.#buckets.set(name, (bucket = new TokenBucket(limit)));
    return bucket;
  }
}
