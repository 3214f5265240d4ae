/**
 * The one door to the host's event loop.
 */

/** Lets input of the host in, such as signals and messages of other threads, before the next tick. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Lets every pending promise reaction run, and those that follow from them, before the next tick: far cheaper
 * than a turn of the event loop, since the host runs its own queue of ticks once no reaction is left.
 */
export function drained(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
