/**
 * The one door to the host's event loop: lets every pending promise reaction, and input such as
 * signals and messages of other threads, run before the next tick.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
