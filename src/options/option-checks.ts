/** Options as tables: what each of them may be. An options object is checked whole, unknown names first. */
import { DURATION_TEXT, durationOf } from './durations.js';
import { OptionError, refuseUnknown } from './option-error.js';

/** What an option may be, in words and as a question. */
export type Check = readonly [allowed: string, isAllowed: (value: unknown) => boolean];

/** A check for each option of `T`; what is `undefined` counts as absent and is not asked. */
export type Checks<T> = { readonly [Name in keyof Required<T>]: Check };

export const TEXT: Check = ['a text', (value) => typeof value === 'string'];
export const COUNT: Check = ['an integer >= 0', (value) => Number.isSafeInteger(value) && Number(value) >= 0];
export const WHOLE: Check = ['an integer', Number.isSafeInteger];
export const MAPPING: Check = ['an object', isMapping];
export const FLAG: Check = ['true or false', (value) => typeof value === 'boolean'];
export const FUNCTION: Check = ['a function', (value) => typeof value === 'function'];
export const SIGNAL: Check = ['an AbortSignal', (value) => value instanceof AbortSignal];
export const LIST: Check = ['a list', (value) => Array.isArray(value)];
export const DURATION: Check = [DURATION_TEXT, (value) => durationOf(value) !== undefined];
export const MAPPINGS: Check = ['a list of objects', (value) => isListOf(value, isMapping)];
export const TEXTS: Check = ['a list of texts', (value) => isListOf(value, (each) => typeof each === 'string')];

/** One of these words. */
export function wordOf(...words: readonly string[]): Check {
  return [`one of ${words.join(', ')}`, (value) => words.some((word) => word === value)];
}

/** An object with fields of these forms, and perhaps others. */
export function withFields(allowed: string, fields: Readonly<Record<string, Check>>): Check {
  const each = Object.entries(fields);
  return [allowed, (value) => isMapping(value) && each.every(([name, [, isAllowed]]) => isAllowed(value[name]))];
}

/** A pod, as far as its containers go. */
export const POD: Check = withFields('a pod', { metadata: MAPPING, spec: withFields('', { containers: MAPPINGS }) });

/** The same, or nothing. */
export function orAbsent([allowed, isAllowed]: Check): Check {
  return [allowed, (value) => value === undefined || isAllowed(value)];
}

/** A whole number within bounds. */
export function integerIn(min: number, max: number): Check {
  return [`an integer in ${min}..${max}`, (value) => isIntegerIn(value, min, max)];
}

/**
 * Checks the options of a call.
 *
 * @param path - what stands before their names in messages, such as `preconditions.`; empty for the call's own
 * @param needed - those that must be there
 * @throws OptionError
 */
export function checkedOptions<T extends object>(
  path: string,
  options: T,
  checks: Readonly<Record<string, Check>>,
  needed: readonly (keyof T & string)[] = [],
): T {
  refuseUnknown(path, options, Object.keys(checks));
  for (const [name, value] of Object.entries(options) as readonly (readonly [string, unknown])[]) {
    const check = checks[name];
    if (value !== undefined && check !== undefined) checkValue(path + name, value, check);
  }
  for (const name of needed) {
    const check = checks[name];
    if (options[name] === undefined && check !== undefined) checkValue(path + name, undefined, check);
  }
  return options;
}

/** Checks one argument. @throws OptionError */
export function checkValue(field: string, value: unknown, [allowed, isAllowed]: Check): void {
  if (!holds(isAllowed, value)) throw new OptionError(field, allowed, value);
}

/** What throws while it is looked at, as proxies and getters may, is nothing that is allowed. */
function holds(isAllowed: Check[1], value: unknown): boolean {
  try {
    return isAllowed(value);
  } catch {
    return false;
  }
}

/**
 * A function for callers without types: what it cannot work with is refused by its name, as options are.
 *
 * @param checks - of the first arguments, in their order, by their names
 */
export function guarded<A extends readonly unknown[], R>(
  call: (...args: A) => R,
  checks: Readonly<Record<string, Check>>,
): (...args: A) => R {
  const each = Object.entries(checks);
  return (...args) => {
    each.forEach(([name, check], index) => checkValue(name, args[index], check));
    return call(...args);
  };
}

function isIntegerIn(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

/** Whether a value is an object with names. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every((item: unknown) => isItem(item));
}
