/**
 * Objects as maps: keys come from users and may be anything that Kubernetes allows in a config map, such as
 * `constructor`, which every object inherits, and `__proto__`, which an assignment would take for its prototype.
 */

const PLAIN_FIELD = { writable: true, enumerable: true, configurable: true };

/** What an object itself has under a key; `undefined` if that is nothing, or inherited. */
export function ownField<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Gives an object a field of its own, whatever its name is. */
export function setOwnField<T>(object: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, ...PLAIN_FIELD });
  else object[key] = value;
}
