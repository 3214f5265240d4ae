import { durationMs } from '../../index.js';
import { UsageError } from './usage-error.js';

/** Reads a whole number of an option; the message names the option, what it got and what is allowed. */
export function integerFlag(flag: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= min && value <= max) return value;
    throw new UsageError(`${flag} must be an integer in ${min}..${max}, got ${JSON.stringify(text)}`);
  };
}

/** Looks at a duration of an option before anything runs, and leaves it as it is. @throws OptionError that names the option */
export function durationFlag(flag: string): (text: string) => string {
  return (text) => {
    durationMs(flag, text);
    return text;
  };
}

/** Reads a number > 0 of an option. */
export function positiveFlag(flag: string, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value > 0 && value <= max) return value;
    throw new UsageError(`${flag} must be a number > 0 and <= ${max}, got ${JSON.stringify(text)}`);
  };
}
