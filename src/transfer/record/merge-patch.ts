/** The JSON merge patch (RFC 7386) that leads from what users had written to what they have written now. Pure. */
import { isFields } from '../history/history.js';

type Mapping = Readonly<Record<string, unknown>>;

/**
 * `undefined` = nothing has changed.
 *
 * @param whole - the object as it is now: lists are replaced as a whole, so those of them that others write into, too,
 * are taken from there
 */
export function mergePatch(before: Mapping, after: Mapping, whole: Mapping): Mapping | undefined {
  const patch: Record<string, unknown> = {};
  for (const field of Object.keys(before)) if (after[field] === undefined) patch[field] = null;
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
