/** Names kept before the oldest are dropped. */
const MOST = 8192;

/** Which machines have changed, for readers that come by from time to time. */
export class MachineLog {
  #names: string[] = [];
  /** The place of the first that is kept; a reader begins at 0, before all. */
  #first = 1;

  note(name: string): void {
    if (this.#names.length === MOST) this.noteAll();
    this.#names.push(name);
  }

  noteAll(): void {
    this.#first += this.#names.length + 1;
    this.#names = [];
  }

  /** @returns the names since a place; `undefined` = any may have changed */
  since(place: number): { readonly place: number; readonly names: readonly string[] | undefined } {
    const end = this.#first + this.#names.length;
    return { place: end, names: place < this.#first ? undefined : this.#names.slice(place - this.#first) };
  }
}
