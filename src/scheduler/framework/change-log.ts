/** Changes that are kept; who is further behind asks for everything anew. A power of two. */
const LOG_SIZE = 1024;

/** To what something has happened, by name, one entry per change: who keeps results by name reads what is new. */
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
