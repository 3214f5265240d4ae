import { createHash } from 'node:crypto';

/** Text is handed to the digest in pieces of about this many letters; joining them until then costs next to nothing. */
const CHUNK_LENGTH = 1 << 15;

/** A running SHA-256 over everything that was recorded, in order. */
export class TraceHash {
  readonly #hash = createHash('sha256');
  #pending = '';
  #records = 0;

  /** How many records went in. */
  get records(): number {
    return this.#records;
  }

  /** Adds one record; records are separated, so that their borders count. */
  add(record: string): void {
    this.#records += 1;
    this.#pending += `${record}\n`;
    if (this.#pending.length >= CHUNK_LENGTH) this.#flush();
  }

  /** The digest so far, as 64 hex digits; recording may go on. */
  digest(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }

  #flush(): void {
    this.#hash.update(this.#pending);
    this.#pending = '';
  }
}
