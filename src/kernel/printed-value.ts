const LONGEST = 200;

/** A value as it appears in messages: on one line, cut to size, whatever it is. */
export function printedValue(value: unknown, longest = LONGEST): string {
  if (value === undefined || typeof value === 'number' || typeof value === 'symbol') return String(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  const text = json(value);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

function json(value: unknown): string {
  // Long texts are cut before they are put into quotes, so that no copy of them is made.
  if (typeof value === 'string')
    return JSON.stringify(value.length > 2 * LONGEST ? value.slice(0, 2 * LONGEST) : value);
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return `${isList(value) ? 'a list' : 'an object'} that is no plain data`;
  }
}

/** A proxy that was revoked cannot even be asked that. */
function isList(value: unknown): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}
