/** The JSON merge patch (RFC 7386) that leads from what users had written to what they have written now. Pure. */
import { isFields } from '../history/history.js';

type Mapping = Readonly<Record<string, unknown>>;

/**
 * `undefined` = nothing has changed.
 *
 * @param whole - the object as it is now: lists are replaced as a whole, so those of them that others write into, too,
 * are taken from there; what users no longer have and is still there has been written by others meanwhile
 */
export function mergePatch(before: Mapping, after: Mapping, whole: Mapping): Mapping | undefined {
  const patch: Record<string, unknown> = {};
  for (const [field, known] of Object.entries(before)) {
    if (after[field] !== undefined) continue;
    const change = withdrawn(known, whole[field]);
    if (change !== undefined) patch[field] = change;
  }
  for (const [field, value] of Object.entries(after)) {
    const known = before[field];
    const present = whole[field];
    if (isFields(value) && isFields(known)) {
      const below = mergePatch(known, value, isFields(present) ? present : {});
      if (below !== undefined) patch[field] = below;
    } else if (JSON.stringify(value) !== JSON.stringify(known)) {
      patch[field] = Array.isArray(value) ? (present ?? value) : value;
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** What users have taken back of a value; `undefined` = nothing. */
function withdrawn(known: unknown, present: unknown): unknown {
  if (present === undefined || present === null) return null;
  if (isFields(known) && isFields(present)) return mergePatch(known, {}, present);
  if (!Array.isArray(known) || !Array.isArray(present)) return undefined;
  const left = new Set(present.map((item) => JSON.stringify(item)));
  return known.every((item) => left.has(JSON.stringify(item))) ? undefined : present;
}
