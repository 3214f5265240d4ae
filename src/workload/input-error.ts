import { printedValue } from '../kernel/printed-value.js';

/** Where in a user's input something is, as users read it: `pods.yaml:12`. */
export type SourcePosition = string;

/**
 * An input that cannot be used: a user's mistake, reported in one line before anything has happened.
 * The message names the place, the field, what it got and what is allowed.
 */
export class InputError extends Error {
  override readonly name: string = 'InputError';

  constructor(
    /** Where it is. */
    readonly source: SourcePosition,
    /** Path of the field, such as `metadata.name`; empty when the text itself is broken. */
    readonly field: string,
    problem: string,
  ) {
    super(`${source}: ${field === '' ? '' : `${field} `}${problem}`);
  }
}

const LONGEST = 60;

/** A value as it appears in messages: short, on one line. */
export function printed(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'a mapping';
  return typeof value === 'bigint' ? String(value) : printedValue(value, LONGEST);
}
