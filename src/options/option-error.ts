import { printedValue } from '../kernel/printed-value.js';
import { findUnreadable } from '../kernel/unreadable.js';

/** An option that is not what it must be: a user's mistake, reported before anything has happened. */
export class OptionError extends Error {
  override readonly name = 'OptionError';

  /** The mistake that a part of the house found in its own settings. */
  static of(field: string, { message }: Error): OptionError {
    const error = new OptionError(field, '', undefined);
    error.message = message;
    return error;
  }

  constructor(
    /** Path of the option, such as `scheduler.percentageOfNodesToScore`. */
    readonly field: string,
    /** What is allowed there, such as `an integer in 1..100000`. */
    readonly allowed: string,
    got: unknown,
  ) {
    super(`${field} must be ${allowed}, got ${printedValue(got)}`);
  }
}

/** Returns a flag, or what it is when nothing is said; throws {@link OptionError} for anything else. */
export function flagOption(field: string, value: unknown, fallback = false): boolean {
  if (value === undefined) return fallback;
  if (typeof value === 'boolean') return value;
  throw new OptionError(field, 'true or false', value);
}

/** Throws {@link OptionError} for what cannot be read, be it deep within: proxies and getters may throw where they please. */
export function checkReadable(field: string, given: unknown, depth?: number): void {
  const path = findUnreadable(given, depth);
  if (path !== undefined) throw new OptionError(field + path, 'readable', given);
}

/** Throws {@link OptionError} for options that are no object, and for a name among them that is not known. */
export function refuseUnknown(path: string, given: unknown, known: readonly string[]): void {
  const field = path === '' ? 'options' : path.replace(/\.$/, '');
  checkReadable(field, given, 1);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new OptionError(field, 'an object', given);
  }
  for (const key of Object.keys(given)) {
    if (!known.includes(key)) throw new OptionError(`option ${path}${key}`, `one of ${known.join(', ')}`, key);
  }
}

/** Returns an integer option or its default; throws {@link OptionError} outside of `min..max`. */
export function integerOption(field: string, value: unknown, fallback: number, min: number, max: number): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new OptionError(field, `an integer in ${min}..${max}`, value);
}
