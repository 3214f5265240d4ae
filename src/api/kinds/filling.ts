/**
 * Building blocks of server-side defaults: they copy only what they change, so an object without gaps
 * comes back as itself, and remember results by reference, so whatever shares parts goes on sharing.
 */

/** `object` with the fields of `defaults` that it lacks; itself when it lacks none. */
export function filled<T extends object>(object: T, defaults: Partial<T>): T {
  let result: T | undefined;
  for (const key in defaults) {
    if (object[key] !== undefined) continue;
    result ??= { ...object };
    Object.assign(result, { [key]: defaults[key] });
  }
  return result ?? object;
}

/** `object` with one field passed through `change`, if it is there. */
export function changedField<T extends object, K extends keyof T>(
  object: T,
  key: K,
  change: (value: NonNullable<T[K]>) => NonNullable<T[K]>,
): T {
  const before = object[key];
  if (before === undefined || before === null) return object;
  const after = change(before);
  return after === before ? object : { ...object, [key]: after };
}

/** `object` without those of the fields that say `false` or 0: Go's encoding leaves them out (`omitempty`). */
export function withoutZeros<T extends object>(object: T, fields: readonly (keyof T)[]): T {
  const zeros = fields.filter((field) => object[field] === false || object[field] === 0);
  if (zeros.length === 0) return object;
  const result = { ...object };
  for (const field of zeros) delete result[field];
  return result;
}

/** The list with each item passed through `change`; itself when no item changes. */
export function mapShared<T>(list: readonly T[], change: (item: T) => T): T[] {
  let result: T[] | undefined;
  for (const [index, item] of list.entries()) {
    const next = change(item);
    if (next === item) continue;
    result ??= [...list];
    result[index] = next;
  }
  return result ?? (list as T[]);
}

/** A function of an object that remembers its answers by reference; an answer is its own answer. */
export function rememberedFilling<T extends object>(fill: (object: T) => T): (object: T) => T {
  const answers = new WeakMap<T, T>();
  return (object) => {
    let answer = answers.get(object);
    if (answer === undefined) {
      answer = fill(object);
      answers.set(object, answer);
      answers.set(answer, answer);
    }
    return answer;
  };
}
