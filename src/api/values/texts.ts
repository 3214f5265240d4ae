/** Texts in values that users send, which may be of any type. */

/** The value, if it is a text; empty otherwise: what is no text names nothing. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
