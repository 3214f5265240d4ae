/**
 * Fields that only features read which are off by default: the API server drops them from whatever is created or
 * updated, unless the stored object has them, which it never does here (the strategies of pkg/registry, v1.34).
 */

import { mapShared } from './filling.js';

/**
 * Takes some fields out of an object; what has none of them comes back as itself. What is the same as in the stored
 * object before is not looked into.
 */
export type Dropping = <T extends object>(object: T, stored?: T) => T;

type Fields = Readonly<Record<string, unknown>>;

const NO_ITEMS: readonly unknown[] = [];

/** A field on the way to fields that are dropped. */
interface Step {
  readonly name: string;
  /** Every item of a list is meant. */
  readonly isList: boolean;
  /** Empty = the field itself is dropped. */
  readonly below: readonly Step[];
}

/** @param paths - such as `spec.strategy`; `[]` after a name stands for every item of a list */
export function droppingOf(paths: readonly string[]): Dropping {
  const steps = stepsOf(paths.map((path) => path.split('.')));
  return <T extends object>(object: T, stored?: T): T =>
    without(object as Fields, steps, stored as Fields | undefined) as T;
}

function stepsOf(paths: readonly (readonly string[])[]): readonly Step[] {
  const byFirst = Object.groupBy(paths, ([first = '']) => first);
  return Object.entries(byFirst).map(([first, those = []]) => ({
    name: first.replace(/\[\]$/, ''),
    isList: first.endsWith('[]'),
    below: stepsOf(those.map((path) => path.slice(1)).filter((path) => path.length > 0)),
  }));
}

function without(object: Fields, steps: readonly Step[], stored: Fields | undefined): Fields {
  let result = object;
  for (const { name, isList, below } of steps) {
    const value = result[name];
    if (value === undefined || value === stored?.[name]) continue;
    if (below.length === 0) {
      const { [name]: _dropped, ...rest } = result;
      result = rest;
      continue;
    }
    const next = isList ? inEach(value, below, stored?.[name]) : inside(value, below, stored?.[name]);
    if (next !== value) result = { ...result, [name]: next };
  }
  return result;
}

function inside(value: unknown, below: readonly Step[], stored: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = typeof stored === 'object' && stored !== null ? (stored as Fields) : undefined;
  return without(value as Fields, below, known);
}

function inEach(list: unknown, below: readonly Step[], stored: unknown): unknown {
  if (!Array.isArray(list)) return list;
  const known: readonly unknown[] = Array.isArray(stored) ? stored : NO_ITEMS;
  return mapShared(list as readonly unknown[], (item, index) =>
    item === known[index] ? item : inside(item, below, undefined),
  );
}
