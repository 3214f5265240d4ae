/**
 * Whether worker threads pay, found out by measuring: real time is read, and what is chosen by it is which
 * thread computes, never what is computed. Batches of pods are treated in one of four ways. At first the engine
 * judges all shapes by itself (`own`). Then it rehearses: it judges a few beforehand as a worker would,
 * which shows how long a decision takes when that has been done (`rehearsal`). If much less, it hands over
 * a few to get the threads going (`warm-up`), and then shares all of them with the workers (`pool`).
 *
 * That stays so only if batches then cost the engine less than before: handing over costs time, too, and
 * busy workers may slow the engine down. The way not taken is looked at again now and then, and when what
 * batches cost has risen by half: what a decision takes changes with the cluster.
 */
import {
  CHANGED,
  LEFTOVERS,
  MAX_OWN_PERIOD,
  MAX_WARM_UP,
  MIN_SHAPES,
  PERIOD,
  PROMISING,
  REHEARSALS,
  SAMPLE,
  START_AFTER_MS,
  WARM_UP_SHAPES,
  WORTHWHILE,
} from './tuning.js';

/** Real time, milliseconds, from any start. */
export type HostTime = () => number;

/** How a batch is treated. */
export type Way = 'own' | 'rehearsal' | 'warm-up' | 'pool';

/** See the file header. */
export class BreakEven {
  readonly #hostTime: HostTime;
  /** Time per new shape, by batch. */
  readonly #ownBatches = new RecentTimes(SAMPLE);
  readonly #poolBatches = new RecentTimes(SAMPLE);
  /** Time from one new shape to the next, where the decision has judged it, and where that was done before. */
  readonly #ownShapes = new RecentTimes(4 * SAMPLE);
  readonly #takenShapes = new RecentTimes(2 * SAMPLE);
  #way: Way = 'own';
  /** Batches until the next decision, and those of them that do not count. */
  #left = 1;
  #skipped = 0;
  /** The way in use is there to be measured only. */
  #isProbe = false;
  #ownPeriod = PERIOD;
  /** What a shape cost in the way that was chosen last; 0 = nothing was chosen yet. */
  #chosenMs = 0;
  /** Time spent on new shapes before the threads were started. */
  #ownMs = 0;
  #warmUpLeft = WARM_UP_SHAPES;
  #patienceMs = 0;
  /** Of the batch: new shapes so far, and when the first and the last of them came. */
  #shapes = 0;
  #firstMs = 0;
  #lastMs = 0;
  #isLastTaken = false;
  #handOverMs = 0;

  constructor(hostTime: HostTime) {
    this.#hostTime = hostTime;
  }

  /** Milliseconds after which the engine had better judge a shape itself than wait for it. */
  get patienceMs(): number {
    return this.#patienceMs;
  }

  /** A batch of decisions begins; returns how it is treated. */
  next(): Way {
    const shapes = this.#shapes;
    if (shapes >= MIN_SHAPES) this.#endBatch();
    this.#shapes = 0;
    this.#handOverMs = 0;
    return shapes >= MIN_SHAPES ? this.#way : 'own';
  }

  /** Does what hands shapes over. */
  handOver(work: () => void): void {
    const begunMs = this.#hostTime();
    work();
    this.#handOverMs = this.#hostTime() - begunMs;
  }

  /** The decisions come to a new shape. */
  beginShape(): void {
    const nowMs = this.#hostTime();
    if (this.#shapes === 0) this.#firstMs = nowMs;
    else (this.#isLastTaken ? this.#takenShapes : this.#ownShapes).note(nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    this.#shapes += 1;
    this.#isLastTaken = false;
  }

  /** The shape had been judged ahead. */
  noteTaken(): void {
    this.#isLastTaken = true;
    if (this.#way === 'warm-up') this.#warmUpLeft -= 1;
  }

  #endBatch(): void {
    const spentMs = this.#lastMs - this.#firstMs;
    if (this.#skipped > 0) this.#skipped -= 1;
    else {
      const timeMs = spentMs / (this.#shapes - 1) + this.#handOverMs / this.#shapes;
      // With a few shapes handed over a batch costs the engine about what it costs without.
      const batches = this.#way === 'pool' ? this.#poolBatches : this.#ownBatches;
      batches.note(timeMs);
      if (this.#isChosen && this.#chosenMs > 0 && batches.median > CHANGED * this.#chosenMs) this.#left = 0;
    }
    if (this.#ownMs < START_AFTER_MS) this.#ownMs += spentMs;
    this.#left -= 1;
    if (this.#left <= 0 || (this.#way === 'warm-up' && this.#warmUpLeft <= 0)) this.#decide();
  }

  #decide(): void {
    switch (this.#way) {
      case 'own':
        if (this.#isProbe) this.#compare();
        else if (this.#ownMs >= START_AFTER_MS) this.#turn('rehearsal', 0, REHEARSALS);
        break;
      case 'rehearsal':
        if (!this.#isPromising()) this.#stayOwn();
        else if (this.#warmUpLeft > 0) this.#turn('warm-up', 0, MAX_WARM_UP);
        else this.#probe('pool');
        break;
      case 'warm-up':
        if (this.#warmUpLeft > 0) this.#stayOwn();
        else this.#probe('pool');
        break;
      case 'pool':
        if (this.#isProbe) this.#compare();
        else this.#probe('own');
        break;
    }
  }

  /** Nothing is being tried. */
  get #isChosen(): boolean {
    return !this.#isProbe && (this.#way === 'own' || this.#way === 'pool');
  }

  #isPromising(): boolean {
    return this.#takenShapes.count > 0 && this.#takenShapes.median <= PROMISING * this.#ownShapes.median;
  }

  #compare(): void {
    if (this.#poolBatches.median > WORTHWHILE * this.#ownBatches.median) {
      this.#stayOwn();
      return;
    }
    this.#ownPeriod = PERIOD;
    this.#chosenMs = this.#poolBatches.median;
    this.#turn('pool', this.#way === 'pool' ? 0 : LEFTOVERS, PERIOD);
  }

  #stayOwn(): void {
    this.#chosenMs = this.#ownBatches.median;
    this.#turn('own', LEFTOVERS, this.#ownPeriod);
    this.#ownPeriod = Math.min(MAX_OWN_PERIOD, 2 * this.#ownPeriod);
  }

  #probe(way: Way): void {
    this.#turn(way, LEFTOVERS, SAMPLE);
    this.#isProbe = true;
  }

  #turn(way: Way, skipped: number, counted: number): void {
    this.#patienceMs = 2 * this.#ownShapes.median;
    if (way === 'rehearsal') this.#takenShapes.clear();
    this.#way = way;
    this.#skipped = skipped;
    this.#left = skipped + counted;
    this.#isProbe = false;
  }
}

/** The last so many durations, and the one in their middle, which a pause of the host does not move. */
class RecentTimes {
  readonly #times: number[] = [];
  #next = 0;

  constructor(private readonly size: number) {}

  note(time: number): void {
    this.#times[this.#next] = time;
    this.#next = (this.#next + 1) % this.size;
  }

  clear(): void {
    this.#times.length = 0;
    this.#next = 0;
  }

  get count(): number {
    return this.#times.length;
  }

  /** 0 when there are none. */
  get median(): number {
    const sorted = this.#times.toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  }
}
