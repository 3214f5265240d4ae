/**
 * Building blocks of server-side defaults: they copy only what they change, so an object without gaps
 * comes back as itself, and remember results by reference, so whatever shares parts goes on sharing.
 */

/** `object` with the fields of `defaults` that it lacks; itself when it lacks none. */
export function filled<T extends object>(object: T, defaults: Partial<T>): T {
  return new Filling(object).complete(defaults).object;
}

/** `object` with one field passed through `change`, if it is there. */
export function changedField<T extends object, K extends keyof T>(
  object: T,
  key: K,
  change: (value: NonNullable<T[K]>) => NonNullable<T[K]>,
): T {
  return new Filling(object).change(key, change).object;
}

/** An object on its way to its defaults: copied before the first change, and only then. */
export class Filling<T extends object> {
  #object: T;
  #isCopy = false;

  constructor(given: T) {
    this.#object = given;
  }

  /** What has come of the given object; it itself when nothing was changed. Fill no further afterwards. */
  get object(): T {
    return this.#object;
  }

  /** Adds the fields of `defaults` that are lacking. */
  complete(defaults: Partial<T>): this {
    for (const key in defaults) {
      if (this.#object[key] === undefined) this.set(key, defaults[key] as T[typeof key]);
    }
    return this;
  }

  /** Passes a field through `change`, if it is there. */
  change<K extends keyof T>(key: K, change: (value: NonNullable<T[K]>) => NonNullable<T[K]>): this {
    const before = this.#object[key];
    if (before === undefined || before === null) return this;
    const after = change(before);
    if (after !== before) this.set(key, after);
    return this;
  }

  /** Sets a field. */
  set<K extends keyof T>(key: K, value: T[K]): this {
    if (!this.#isCopy) {
      this.#object = { ...this.#object };
      this.#isCopy = true;
    }
    this.#object[key] = value;
    return this;
  }
}

/** The list with each item passed through `change`; itself when no item changes. */
export function mapShared<T>(list: readonly T[], change: (item: T, index: number) => T): T[] {
  let result: T[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index] as T;
    const next = change(item, index);
    if (next === item) continue;
    result ??= [...list];
    result[index] = next;
  }
  return result ?? (list as T[]);
}

/** A function of an object that remembers by reference what it has changed. */
export function rememberedFilling<T extends object>(fill: (object: T) => T): (object: T) => T {
  const answers = new WeakMap<T, T>();
  return (object) => {
    let answer = answers.get(object);
    if (answer === undefined) {
      answer = fill(object);
      // What lacks nothing is seen through as fast as it is remembered.
      if (answer !== object) answers.set(object, answer);
    }
    return answer;
  };
}
