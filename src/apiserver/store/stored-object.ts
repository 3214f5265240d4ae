import type { KubeObject } from '../../api/objects/objects.js';
import { ownField } from '../../api/values/own-fields.js';

/** Any stored object as the generic parts of the store see it. */
export interface StoredObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/**
 * Whether two plain values have the same content. The same reference is the cheap answer; a property
 * that is undefined counts as absent.
 */
export function isSameContent(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && isSameArray(a, b);
  if (Array.isArray(b)) return false;
  return isSameRecord(a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>);
}

function isSameArray(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    if (!isSameContent(a[index], b[index])) return false;
  }
  return true;
}

function isSameRecord(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  for (const key in a) {
    if (!isSameContent(a[key], ownField(b, key))) return false;
  }
  for (const key in b) {
    if (b[key] !== undefined && ownField(a, key) === undefined) return false;
  }
  return true;
}
