/** Changes that are kept; a reader further behind has to read everything anew. A power of two. */
const LOG_SIZE = 1024;

/** Names of things that have changed, one entry per change: a holder of results by name reads the new entries. */
export class ChangeLog {
  /** Number of changes so far: the position of the next one. */
  end = 0;
  readonly #names: string[] = [];

  /** Position of the oldest change that is kept. */
  get begin(): number {
    return Math.max(0, this.end - LOG_SIZE);
  }

  /** The name in a change from `begin` on. */
  at(position: number): string {
    return this.#names[position & (LOG_SIZE - 1)] as string;
  }

  note(name: string): void {
    this.#names[this.end & (LOG_SIZE - 1)] = name;
    this.end += 1;
  }
}
