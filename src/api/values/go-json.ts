/** JSON as Go's encoder writes it: without the letters that HTML has a use for (encoding/json, SetEscapeHTML). */

/** A value as Go writes it. */
export function goJson(value: unknown): string {
  return escapedForHtml(JSON.stringify(value));
}

/** A text of JSON without `<`, `>` and `&`. */
export function escapedForHtml(json: string): string {
  return json.replaceAll(/[<>&]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
}
