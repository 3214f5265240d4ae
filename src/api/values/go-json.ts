/** JSON as Go's encoder writes it: without the letters that HTML has a use for (encoding/json, SetEscapeHTML). */

/** A value as Go writes it. */
export function goJson(value: unknown): string {
  return escapedForHtml(JSON.stringify(value));
}

/** A text of JSON without `<`, `>` and `&`, and the two line breaks that end a line of JavaScript. */
export function escapedForHtml(json: string): string {
  return json.replaceAll(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
