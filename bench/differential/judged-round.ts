/**
 * One sequence of requests, recorded until it can be judged: differences on a machine that stood still prove nothing,
 * nor do those that come of a cache that was behind where upstream waits a second or more until it tries again, nor
 * those that are gone when the same requests are sent once more: of two of upstream's controllers that race, either is
 * first.
 */

/** What came of recording a sequence once. */
export interface Recording {
  /** The longest time for which the machine stood still meanwhile, ms. */
  readonly standstillMs: number;
  /** Why what differs in it would prove nothing, besides; `undefined` when it would. */
  readonly chance?: string | undefined;
  replay(): Promise<Replayed>;
}

/** What came of replaying a recording. */
export interface Replayed {
  /** What differs, each under a name that it has in every recording of the sequence. */
  readonly differences: readonly string[];
  readonly text: string;
  /** As that of the {@link Recording}, where only the replay tells. */
  readonly chance?: string | undefined;
}

/** How a round is judged. */
export interface Patience {
  /** A machine that stands still for longer counts as disturbed, ms. */
  readonly mostStandstillMs: number;
  /** Recordings of one sequence at most. */
  readonly tries: number;
}

/** What a round came to. */
export interface RoundResult {
  /** 0 when it could not be judged. */
  readonly differences: number;
  /** Recordings that were needed. */
  readonly recordings: number;
  /** False when no recording that differed proves anything. */
  readonly isJudged: boolean;
  /** Whether what differed once did not differ when the same requests were sent again. */
  readonly isByChance: boolean;
}

/**
 * Records and replays a sequence. Without differences it holds, whatever the machine did; what differs is played
 * again. Of requests that a real control plane answers now in this way and now in that, ours has to come to one: what
 * differs counts when the same does so in every recording that proves something.
 */
export async function judgeRound(
  record: () => Promise<Recording>,
  { mostStandstillMs, tries }: Patience,
  say: (text: string) => void,
): Promise<RoundResult> {
  let common: readonly string[] | undefined;
  for (let recordings = 1; ; recordings += 1) {
    const recording = await record();
    const { differences, text, chance } = await recording.replay();
    const { standstillMs } = recording;
    const isDisturbed = standstillMs > mostStandstillMs;
    const why = isDisturbed
      ? `the machine stood still for ${standstillMs} ms (more than ${mostStandstillMs})`
      : (recording.chance ?? chance);
    const isProof = differences.length === 0 || why === undefined;
    if (isProof) {
      say(text);
      const isFirst = common === undefined;
      common = common?.filter((name) => differences.includes(name)) ?? differences;
      if (common.length === 0) return { differences: 0, recordings, isJudged: true, isByChance: !isFirst };
    }
    const isLast = recordings === tries;
    const next = isLast ? 'and no try is left' : 'played again';
    const count = `${differences.length} differences`;
    say(isProof ? `${count}, ${next}\n` : `${why}: ${count} prove nothing, ${next}\n`);
    if (isLast)
      return { differences: common?.length ?? 0, recordings, isJudged: common !== undefined, isByChance: false };
  }
}
