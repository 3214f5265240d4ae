/**
 * Instants that do not end. Where answers take no simulated time, what follows from an entry is due at the same
 * millisecond, and what goes round in a circle keeps the clock where it is for good. Entries of one millisecond
 * are counted in rounds (event-heap.ts): however many objects change at once, the rounds are few, as what
 * concerns each is done side by side, while a circle has one after the other without end.
 */

/** The run has ended because simulated time does not go on: something happens over and over at one millisecond. */
export class StandstillError extends Error {
  override readonly name = 'StandstillError';
  /** Simulated milliseconds at which time stands still. */
  readonly atMs: number;

  /** @param circle - what goes round */
  constructor(atMs: number, rounds: number, circle: string) {
    super(
      `simulated time stands still at ${atMs} ms: ${rounds} rounds of work that followed from each other took no time; ${circle}`,
    );
    this.atMs = atMs;
  }
}

/** Knows what is done in an instant, which the clock does not. */
export interface InstantObserver {
  /** An instant has had many rounds: what is done in the rest of it counts. @returns how many objects there are */
  begin(): number;
  /** What goes round, once it is clear that something does; asked every so many rounds. */
  circle(): string | undefined;
  /** What was done over and over in this instant, as well as can be said: there have been too many rounds. */
  summary(): string;
  /** Time goes on. */
  end(): void;
}

/** Rounds after which an instant is observed. 2,000 pods created, bound and started at once take 69. */
const LONG_ROUNDS = 64;
/** Rounds between two questions to the observer. */
const LOOK_ROUNDS = 16;
/** Rounds that are too many whatever is done in them. */
const MOST_ROUNDS = 300_000;
/** Further ones for each object: one worker that does something with one after the other takes two or three a thing. */
const ROUNDS_PER_OBJECT = 20;

/** Sees to it that an instant ends. */
export class InstantGuard {
  #observer: InstantObserver | undefined;
  #nextLook = LONG_ROUNDS;
  #mostRounds = MOST_ROUNDS;

  observe(observer: InstantObserver): void {
    this.#observer = observer;
  }

  /** Time goes on, or the program has taken a hand: whatever comes now is no circle yet. */
  restart(): void {
    if (this.#nextLook > LONG_ROUNDS) this.#observer?.end();
    this.#nextLook = LONG_ROUNDS;
  }

  /** @throws StandstillError when the instant goes round in a circle */
  check(atMs: number, rounds: number): void {
    if (rounds < this.#nextLook) return;
    const isFirst = this.#nextLook === LONG_ROUNDS;
    this.#nextLook = rounds + LOOK_ROUNDS;
    if (isFirst) this.#mostRounds = MOST_ROUNDS + ROUNDS_PER_OBJECT * (this.#observer?.begin() ?? 0);
    const circle = isFirst ? undefined : this.#circle(rounds);
    if (circle === undefined) return;
    this.restart();
    throw new StandstillError(atMs, rounds, circle);
  }

  #circle(rounds: number): string | undefined {
    const circle = this.#observer?.circle();
    if (circle !== undefined || rounds <= this.#mostRounds) return circle;
    return this.#observer?.summary() ?? 'nobody knows of what';
  }
}
