/**
 * Fields that only features read which are off by default: the API server drops them from whatever is created or
 * updated, unless the stored object has them, which it never does here (the strategies of pkg/registry, v1.34).
 */

import { mapShared } from './filling.js';

/** Takes some fields out of an object; what has none of them comes back as itself. */
export type Dropping = <T extends object>(object: T) => T;

/** @param paths - such as `spec.strategy`; `[]` after a name stands for every item of a list */
export function droppingOf(paths: readonly string[]): Dropping {
  const steps = paths.map((path) => path.split('.'));
  return <T extends object>(object: T): T => steps.reduce<object>(without, object) as T;
}

function without(object: object, [step = '', ...below]: readonly string[]): object {
  const name = step.replace(/\[\]$/, '');
  const value: unknown = (object as Readonly<Record<string, unknown>>)[name];
  if (value === undefined) return object;
  if (below.length === 0) {
    const { [name]: _dropped, ...rest } = object as Readonly<Record<string, unknown>>;
    return rest;
  }
  const next = step === name ? inside(value, below) : inEach(value, below);
  return next === value ? object : { ...object, [name]: next };
}

function inside(value: unknown, below: readonly string[]): unknown {
  return typeof value === 'object' && value !== null ? without(value, below) : value;
}

function inEach(list: unknown, below: readonly string[]): unknown {
  return Array.isArray(list) ? mapShared(list as readonly unknown[], (item) => inside(item, below)) : list;
}
