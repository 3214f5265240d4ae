/** Types that are reached from some, by their fields. */
import type { GoType } from './go-types.js';

/** The keys of those types and of all that they hold. @throws Error for one that is not there */
export function reachableTypes(types: ReadonlyMap<string, GoType>, from: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [...from];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (reached.has(key)) continue;
    const type = types.get(key);
    if (type === undefined) throw new Error(`there is no type ${key}`);
    reached.add(key);
    waiting.push(...type.uses);
  }
  return reached;
}
