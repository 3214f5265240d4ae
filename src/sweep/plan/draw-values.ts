/** The values of a sweep's variants: every combination of them, or so many that are drawn. Pure. */
import { naturalLog, powerOfE } from '../../kernel/elementary-functions.js';
import { randomStream } from '../../kernel/random.js';

/** What one field may be: some values, or numbers between two. */
export type Choice =
  | { readonly values: readonly unknown[] }
  | { readonly from: number; readonly to: number; readonly isWhole: boolean; readonly isLogarithmic: boolean };

/** Values by the paths of fields. */
export type FieldValues = Readonly<Record<string, unknown>>;

/** How often one looks for a combination that was not drawn before. */
const TRIES = 1000;
const DRAWN_DIGITS = 6;

/** How many combinations there are; infinite where numbers are drawn. */
export function combinationCount(choices: Readonly<Record<string, Choice>>): number {
  return Object.values(choices).reduce(
    (product, choice) => product * ('values' in choice ? choice.values.length : Number.POSITIVE_INFINITY),
    1,
  );
}

/** Every combination; the last field changes first. Only of values. */
export function everyCombination(choices: Readonly<Record<string, Choice>>): readonly FieldValues[] {
  return Object.entries(choices).reduce<readonly FieldValues[]>(
    (before, [path, choice]) =>
      before.flatMap((each) => ('values' in choice ? choice.values : []).map((value) => ({ ...each, [path]: value }))),
    [{}],
  );
}

/** As many as can be found, at most `count`, all different; they follow from the seed and the choices. */
export function drawCombinations(
  choices: Readonly<Record<string, Choice>>,
  count: number,
  seed: string,
): readonly FieldValues[] {
  const streams = Object.entries(choices).map(
    ([path, choice]) => [path, choice, randomStream(seed, `sweep/${path}`)] as const,
  );
  const found = new Map<string, FieldValues>();
  for (let tries = 0; found.size < count && tries < TRIES * count; tries += 1) {
    const values = Object.fromEntries(
      streams.map(([path, choice, random]): readonly [string, unknown] => {
        if ('values' in choice) return [path, choice.values[random.int(0, choice.values.length - 1)]];
        return [path, between(choice, random.unit())];
      }),
    );
    found.set(JSON.stringify(values), values);
  }
  return [...found.values()];
}

/** @param unit - in [0, 1) */
function between({ from, to, isWhole, isLogarithmic }: Exclude<Choice, { readonly values: unknown }>, unit: number) {
  if (isWhole && !isLogarithmic) return from + Math.floor(unit * (to - from + 1));
  const drawn = isLogarithmic
    ? powerOfE(naturalLog(from) + unit * (naturalLog(to) - naturalLog(from)))
    : from + unit * (to - from);
  const near = isWhole ? Math.round(drawn) : Number(drawn.toPrecision(DRAWN_DIGITS));
  return Math.min(to, Math.max(from, near));
}
