/** Base64 as Go's encoding/base64 reads it, with its errors. */

const ALPHABET = /[A-Za-z0-9+/]/;

/** Index of the byte at which Go refuses a text as base64; undefined when it is fine. */
export function illegalBase64At(text: string): number | undefined {
  let inQuantum = 0;
  let at = 0;
  for (; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === '\n' || letter === '\r') continue;
    if (letter === '=') return illegalPaddingAt(text, at, inQuantum);
    if (!ALPHABET.test(letter)) return at;
    inQuantum = (inQuantum + 1) % 4;
  }
  return inQuantum === 0 ? undefined : at - inQuantum;
}

/** @param at - where the first `=` stands, after `inQuantum` letters of its group of four */
function illegalPaddingAt(text: string, at: number, inQuantum: number): number | undefined {
  if (inQuantum < 2) return at;
  let next = skipBreaks(text, at + 1);
  if (inQuantum === 2) {
    if (text.charAt(next) !== '=') return next;
    next = skipBreaks(text, next + 1);
  }
  return next < text.length ? next : undefined;
}

function skipBreaks(text: string, from: number): number {
  let at = from;
  while (text.charAt(at) === '\n' || text.charAt(at) === '\r') at += 1;
  return at;
}

/** Number of bytes that a legal base64 text stands for. */
export function base64Size(text: string): number {
  return Buffer.byteLength(text, 'base64');
}

/** A text as base64 of its UTF-8 bytes. */
export function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
