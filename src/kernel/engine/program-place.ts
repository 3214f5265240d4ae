/**
 * Where in the user's program the code that runs now stands, as the host carries it along through every
 * `await` and callback: in which strand it is, and which hold it was that the program asked for last.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Of any cluster: code that reads a field checks whether the value belongs to its own cluster. */
export interface ProgramPlace {
  readonly hold: object | undefined;
  readonly strand: object | undefined;
}

const NOWHERE: ProgramPlace = { hold: undefined, strand: undefined };

const places = new AsyncLocalStorage<ProgramPlace>();

/** The place of the code that runs now. */
export function placeOfNow(): ProgramPlace {
  return places.getStore() ?? NOWHERE;
}

/** From here on the program has asked for that hold: its code that runs now, and all that follows from it. */
export function enterHold(hold: object): void {
  places.enterWith({ hold, strand: placeOfNow().strand });
}

/** Runs `task`, and all that follows from it, in a strand. */
export function runInStrand(strand: object, task: () => void): void {
  places.run({ hold: placeOfNow().hold, strand }, task);
}
