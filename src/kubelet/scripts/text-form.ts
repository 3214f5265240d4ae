/** Reading short texts of words: `5s fail 2: connection refused`, where `uniform(1s, 3s)` is one word. */

/** One form of text. */
export interface TextForm<T> {
  /** What comes after `must be` in messages. */
  readonly allowed: string;
  /** What the text says; `undefined` when it is not of this form. */
  parse(text: string): T | undefined;
}

/** Thrown and caught in here only. */
class NotOfThisForm extends Error {}

/**
 * A form out of a function that reads the words one after the other.
 *
 * @param read - throws by {@link refuse}, {@link need} or its words when the text is of another form
 */
export function textForm<T>(allowed: string, read: (text: string) => T): TextForm<T> {
  return {
    allowed,
    parse(text) {
      try {
        return read(text);
      } catch (error) {
        if (error instanceof NotOfThisForm) return undefined;
        throw error;
      }
    },
  };
}

/** The text is not of the form that is being read. */
export function refuse(): never {
  throw new NotOfThisForm('not of this form');
}

/** Reads a part of a text by its own form. */
export function need<T>(form: Pick<TextForm<T>, 'parse'>, text: string | undefined): T {
  return (text === undefined ? undefined : form.parse(text)) ?? refuse();
}

/** The words of a text, taken from the left; what stands in parentheses belongs to the word before. */
export class Words {
  readonly #words: readonly string[];
  #taken = 0;

  constructor(text: string) {
    this.#words = text.match(/[a-z]+\s*\([^()]*\)|\S+/g) ?? [];
  }

  get isEmpty(): boolean {
    return this.#taken >= this.#words.length;
  }

  take(): string | undefined {
    const word = this.#words[this.#taken];
    this.#taken += 1;
    return word;
  }

  /** Takes the next word if it is this one. */
  takeIf(word: string): boolean {
    if (this.#words[this.#taken] !== word) return false;
    this.#taken += 1;
    return true;
  }

  /** Takes the next word, by its form, unless there is none or it is one of the keywords. */
  takeUnless<T>(form: TextForm<T>, ...keywords: readonly string[]): T | undefined {
    const next = this.#words[this.#taken];
    if (next === undefined || keywords.includes(next)) return undefined;
    return need(form, this.take());
  }

  /** Nothing may come after what was taken. */
  end(): void {
    if (!this.isEmpty) refuse();
  }
}

/** The parts between commas, except those in parentheses: with a closing one next to come. */
export function splitList(text: string): readonly string[] {
  const parts: string[] = [];
  let end = text.length;
  let isInside = false;
  // From the end, so that what comes next is known, and each letter is looked at once.
  for (let index = text.length - 1; index >= 0; index -= 1) {
    const letter = text[index];
    if (letter === ')') isInside = true;
    else if (letter === '(') isInside = false;
    else if (letter === ',' && !isInside) {
      parts.push(text.slice(index + 1, end));
      end = index;
    }
  }
  parts.push(text.slice(0, end));
  return parts.reverse();
}

/** What stands before the first colon, and what it says after it. */
export function splitRemark(text: string): { readonly head: string; readonly remark: string | undefined } {
  const colon = text.indexOf(':');
  if (colon === -1) return { head: text, remark: undefined };
  const remark = text.slice(colon + 1).trim();
  return remark === '' ? refuse() : { head: text.slice(0, colon), remark };
}

/** The object without the fields that are `undefined`. */
export function definedOf<T extends object>(fields: { readonly [F in keyof T]: T[F] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
