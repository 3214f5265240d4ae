import type { WatchFrame } from '../requests/api-request.js';

/** Texts that are remembered: those of the changes that several watches are telling at the moment. */
const REMEMBERED = 2048;

/** The lines of watches. Many watches tell of the same change: its object is written once. */
export class FrameTexts {
  #recent = new Map<object, string>();
  #older = new Map<object, string>();

  /** The line of a frame, with its line break. */
  of({ type, object }: WatchFrame): string {
    return `{"type":"${type}","object":${this.#textOf(object)}}\n`;
  }

  #textOf(object: object): string {
    const known = this.#recent.get(object) ?? this.#older.get(object);
    if (known !== undefined) return known;
    const text = JSON.stringify(object);
    if (this.#recent.size >= REMEMBERED) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(object, text);
    return text;
  }
}
