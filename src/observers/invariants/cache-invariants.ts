/** What components have in their caches against what is stored. */
import { keyOf, type AnyObject } from '../../api/objects/objects.js';
import type { Finding, Invariant } from './invariant.js';

/** A cache that no event is missing in. */
const cachesAtRest: Invariant = {
  name: 'caches-at-rest',
  promise: 'a cache whose watch has told everything shows what is stored',
  *atRest(world) {
    for (const { party, kind, selection, isCurrent, objects } of world.caches()) {
      if (!isCurrent) continue;
      const stored = new Map<string, AnyObject>();
      for (const object of world.list(kind, selection)) stored.set(keyOf(object), object);
      for (const object of objects.list()) {
        const key = keyOf(object);
        const text = difference(object, stored.get(key));
        stored.delete(key);
        if (text !== undefined) yield finding(kind, key, `${party} ${text}`);
      }
      for (const key of stored.keys()) yield finding(kind, key, `${party} has never heard of it`);
    }
  },
};

/** Every invariant of caches. */
export const CACHE_INVARIANTS: readonly Invariant[] = [cachesAtRest];

function difference(shown: AnyObject, stored: AnyObject | undefined): string | undefined {
  if (stored === undefined) return 'still shows it, though it is gone';
  const { uid, resourceVersion } = shown.metadata;
  if (stored.metadata.uid !== uid) return `shows the one of uid ${uid}, and ${stored.metadata.uid} is stored`;
  if (stored.metadata.resourceVersion === resourceVersion) return undefined;
  return `shows version ${resourceVersion}, and ${stored.metadata.resourceVersion} is stored`;
}

function finding(kind: string, key: string, text: string): Finding {
  return { object: `${kind} ${key}`, text };
}
