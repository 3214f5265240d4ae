/** Times in rules: the language takes them as Node's dates, which here say what a text says and never what time it is. */
/* oxlint-disable no-restricted-globals */

/** The time of a text; undefined for what is none. */
export function celTime(text: string): Date | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** Whether two values of the language are one. */
export function isSameCel(a: unknown, b: unknown): boolean {
  return a === b || (a instanceof Date && b instanceof Date && a.getTime() === b.getTime());
}
