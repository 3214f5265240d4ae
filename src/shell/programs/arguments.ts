/** Options of a program, as getopt takes them apart. */

/** See {@link readOptions}. */
export interface Options {
  readonly has: (letter: string) => boolean;
  /** The last value of an option that has one. */
  readonly value: (letter: string) => string | undefined;
  /** All of them. */
  readonly values: (letter: string) => readonly string[];
  readonly operands: readonly string[];
  /** An option that the program does not have. */
  readonly unknown: string | undefined;
}

/**
 * @param letters - as getopt has them: a colon follows an option with a value
 * @param long - long options with the letter that they stand for
 */
export function readOptions(
  args: readonly string[],
  letters: string,
  long: Readonly<Record<string, string>> = {},
  stopsAtOperand = false,
): Options {
  const found = new Map<string, string[]>();
  const operands: string[] = [];
  let unknown: string | undefined;
  const note = (letter: string, value = ''): void => {
    const values = found.get(letter);
    if (values === undefined) found.set(letter, [value]);
    else values.push(value);
  };
  const takesValue = (letter: string): boolean => letters.charAt(letters.indexOf(letter) + 1) === ':';
  for (let index = 1; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '--') {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (arg.startsWith('--')) {
      const [name = '', value] = arg.slice(2).split(/=([^]*)/, 2);
      const letter = long[name];
      if (letter === undefined) unknown ??= arg;
      else if (takesValue(letter) && value === undefined) note(letter, args[(index += 1)]);
      else note(letter, value);
      continue;
    }
    if (!/^-./.test(arg) || (/^-\d/.test(arg) && !letters.includes(arg.charAt(1)))) {
      operands.push(arg);
      if (!stopsAtOperand) continue;
      operands.push(...args.slice(index + 1));
      break;
    }
    for (let at = 1; at < arg.length; at += 1) {
      const letter = arg.charAt(at);
      if (letter === ':' || !letters.includes(letter)) {
        unknown ??= `-${letter}`;
        break;
      }
      if (!takesValue(letter)) {
        note(letter);
        continue;
      }
      note(letter, at + 1 < arg.length ? arg.slice(at + 1) : args[(index += 1)]);
      break;
    }
  }
  return {
    has: (letter) => found.has(letter),
    value: (letter) => found.get(letter)?.at(-1),
    values: (letter) => found.get(letter) ?? [],
    operands,
    unknown,
  };
}

/** Ends with what is said of a wrong option. */
export function usageProblem(name: string, unknown: string): string {
  return unknown.startsWith('--')
    ? `${name}: unrecognized option '${unknown}'\n`
    : `${name}: invalid option -- '${unknown.slice(1)}'\n`;
}
