/**
 * What comes into the engine from outside, such as the requests of clients over the network. An input runs between
 * two ticks, when nothing more follows from the one before: its place is the number of ticks before it, and the
 * simulated time then. That is all that a later run needs to take it at the same place, so that what came from
 * outside can be replayed; inputs that change nothing, such as reads, can be left out of it.
 */
import { assert } from '../assert.js';

/** Where an input has entered. */
export interface InputPlace {
  /** Ticks that had run before it. */
  readonly ticks: number;
  /** Simulated milliseconds. */
  readonly atMs: number;
}

/** Work that came from outside; told where it has entered. */
export type ExternalInput = (place: InputPlace) => void;

/** An input of an earlier run, and its place there. */
export interface PlannedInput extends InputPlace {
  readonly input: ExternalInput;
}

/** The inputs that wait for their place; see the file header. */
export class ExternalInputs {
  #waiting: ExternalInput[] = [];
  #next = 0;
  #planned: readonly PlannedInput[] = [];
  #nextPlanned = 0;

  /** Takes an input that may run at the next opportunity. */
  add(input: ExternalInput): void {
    this.#waiting.push(input);
  }

  /** Inputs of an earlier run, in their order; none must be left of the plan before. */
  plan(inputs: readonly PlannedInput[]): void {
    assert(this.planned === undefined, 'a plan of inputs must be over before the next one');
    this.#planned = inputs;
    this.#nextPlanned = 0;
  }

  /** Whether an input waits for the next opportunity. */
  get isWaiting(): boolean {
    return this.#next < this.#waiting.length;
  }

  /** Whether an input waits, now or in the plan. */
  get isAny(): boolean {
    return this.#next < this.#waiting.length || this.#nextPlanned < this.#planned.length;
  }

  /** The next one of the plan. */
  get planned(): PlannedInput | undefined {
    return this.#planned[this.#nextPlanned];
  }

  /** Takes out the next input: that of the plan if its place is here, else the one that came first. */
  take(ticks: number): ExternalInput | undefined {
    const { planned } = this;
    if (planned?.ticks === ticks) {
      this.#nextPlanned += 1;
      return planned.input;
    }
    if (!this.isWaiting) return undefined;
    const input = this.#waiting[this.#next];
    this.#next += 1;
    if (!this.isWaiting) {
      this.#waiting = [];
      this.#next = 0;
    }
    return input;
  }

  clear(): void {
    this.#waiting = [];
    this.#next = 0;
    this.#planned = [];
  }
}
