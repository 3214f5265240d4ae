import { printedValue } from '../../kernel/printed-value.js';

/** Where in a user's script something is: a name for the whole, and the keys and indexes from there. */
export interface ScriptPlace {
  readonly path: string;
  readonly keys: readonly (string | number)[];
}

/** A script that cannot be used: a user's mistake. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
  /** Such as `scripts[0].script.runs[1].exitCode`; empty = the whole of a nameless script. */
  readonly field: string;
  /** The keys and indexes to that field. */
  readonly keys: ScriptPlace['keys'];
  /** The value that was found, as it is printed. */
  readonly got: string;

  constructor(
    place: ScriptPlace,
    /** What is allowed there, such as `an integer in 0..255`. */
    readonly allowed: string,
    value: unknown,
  ) {
    const field = fieldOf(place);
    super(`${field === '' ? 'a script' : field} must be ${allowed}, got ${printed(value)}`);
    this.field = field;
    this.keys = place.keys;
    this.got = printed(value);
  }
}

/** The place of a field or an item inside another. */
export function placeOf({ path, keys }: ScriptPlace, key: string | number): ScriptPlace {
  return { path, keys: [...keys, key] };
}

function fieldOf({ path, keys }: ScriptPlace): string {
  return keys.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? key : `${text}.${key}`;
  }, path);
}

const LONGEST_PRINT = 80;

/** A value as it appears in messages: short, on one line. */
function printed(value: unknown): string {
  return value === undefined || value === null ? 'nothing' : printedValue(value, LONGEST_PRINT);
}
