import { createHash } from 'node:crypto';

/** Bytes are handed to the digest in pieces of about this many. */
const CHUNK_BYTES = 1 << 16;
/** Pieces up to this length are written letter by letter: cheaper than the way through the host. */
const SHORT_PIECE = 48;
/** UTF-8 takes no more for one unit of a string. */
const MAX_BYTES_PER_UNIT = 3;
const LAST_ASCII = 0x7f;
/** Letters below this are escaped in JSON, and these two. */
const FIRST_PLAIN = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Messages of events are of this length. */
const LONGEST_QUOTED = 160;

/** A running SHA-256 over everything that was recorded, in order. Records go in whole or piece by piece. */
export class TraceHash {
  readonly #hash = createHash('sha256');
  /** Written in place: a text would have to be joined from its pieces first. */
  #bytes: Buffer | undefined;
  #length = 0;
  #records = 0;

  /** How many records went in. */
  get records(): number {
    return this.#records;
  }

  /** Adds one record; records are separated, so that their borders count. */
  add(record: string): void {
    this.write(record);
    this.end();
  }

  /** Adds a piece of the record that {@link end} ends. A piece holds whole characters. */
  write(piece: string): void {
    const { length } = piece;
    const bytes = this.#bytes;
    const start = this.#length;
    if (bytes === undefined || length > SHORT_PIECE || start + length > CHUNK_BYTES) return this.#writeLong(piece);
    for (let index = 0; index < length; index += 1) {
      const unit = piece.charCodeAt(index);
      if (unit > LAST_ASCII) return this.#writeLong(piece);
      bytes[start + index] = unit;
    }
    this.#length = start + length;
  }

  /** Adds a text as JSON writes it, in quotes. */
  writeQuoted(text: string): void {
    const { length } = text;
    const bytes = this.#bytes;
    const start = this.#length + 1;
    if (bytes === undefined || length > LONGEST_QUOTED || start + length >= CHUNK_BYTES)
      return this.#writeLong(JSON.stringify(text));
    for (let index = 0; index < length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit > LAST_ASCII || unit < FIRST_PLAIN || unit === QUOTE || unit === BACKSLASH)
        return this.#writeLong(JSON.stringify(text));
      bytes[start + index] = unit;
    }
    bytes[start - 1] = QUOTE;
    bytes[start + length] = QUOTE;
    this.#length = start + length + 1;
  }

  /** Ends a record. */
  end(): void {
    this.#records += 1;
    this.write('\n');
  }

  /** The digest so far, as 64 hex digits; recording may go on. */
  digest(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }

  /** A piece that may not fit, or not be ASCII. */
  #writeLong(piece: string): void {
    this.#bytes ??= Buffer.allocUnsafe(CHUNK_BYTES);
    const most = piece.length * MAX_BYTES_PER_UNIT;
    if (this.#length + most > CHUNK_BYTES) this.#flush();
    if (most > CHUNK_BYTES) this.#hash.update(piece);
    else this.#length += this.#bytes.write(piece, this.#length);
  }

  #flush(): void {
    if (this.#bytes === undefined || this.#length === 0) return;
    this.#hash.update(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
  }
}
