import { goJson } from '../api/values/go-json.js';
import type { WatchFrame } from '../requests/api-request.js';

/** Texts that are remembered: those of the changes that several watches are telling at the moment. */
const REMEMBERED = 2048;

/** Texts of one object by the form in which it is shown. */
type Texts = Map<object, string>;

/** The lines of watches. Many watches tell of the same change: its object is shaped and written once. */
export class FrameTexts {
  #recent = new Map<object, Texts>();
  #older = new Map<object, Texts>();

  /** The line of a frame, with its line break. */
  of(frame: WatchFrame): string {
    return `{"type":"${frame.type}","object":${this.#textOf(frame)}}\n`;
  }

  #textOf(frame: WatchFrame): string {
    const { shared } = frame;
    if (shared === undefined) return goJson(frame.object);
    const texts = this.#textsOf(shared.stored);
    let text = texts.get(shared.form);
    if (text === undefined) {
      text = goJson(frame.object);
      texts.set(shared.form, text);
    }
    return text;
  }

  #textsOf(stored: object): Texts {
    const known = this.#recent.get(stored) ?? this.#older.get(stored);
    if (known !== undefined) return known;
    const texts: Texts = new Map();
    if (this.#recent.size >= REMEMBERED) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(stored, texts);
    return texts;
  }
}
