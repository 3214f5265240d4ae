/** What a controller makes while its owner is being collected, and what is collected with it. */
import type { PlainObject } from '../plain-object.js';
import type { Change } from '../telling.js';

/** The uids of what came while its owner was going, and went. How often that happens raced. */
export function futileUids(changes: readonly Change[]): ReadonlySet<string> {
  const going = new Set<string>();
  const futile = new Set<string>();
  const gone = new Set<string>();
  for (const { type, object, isTerminating } of changes) {
    const uid = object.get('metadata.uid') ?? '';
    if (isTerminating) going.add(uid);
    if (type === 'ADDED' && ownersOf(object).some((owner) => going.has(owner))) futile.add(uid);
    if (type === 'DELETED') gone.add(uid);
  }
  return new Set([...futile].filter((uid) => gone.has(uid)));
}

/** Leaves out what came while its owner was going, and went. */
export function withoutFutile(changes: readonly Change[]): readonly Change[] {
  const isFutile = futileIn(changes);
  return changes.filter((change) => !isFutile(change));
}

/** Names under which something came and went in vain: which uid is dealt to the next of the name depends on how often. */
export function futileNames(changes: readonly Change[]): ReadonlySet<string> {
  return new Set(changes.filter(futileIn(changes)).map(({ key }) => key));
}

/** Without the uid. */
export function withoutUid(change: Change): Change {
  return { ...change, object: new Map([...change.object].filter(([path]) => path !== 'metadata.uid')) };
}

function futileIn(changes: readonly Change[]): (change: Change) => boolean {
  const futile = futileUids(changes);
  return ({ object }) => futile.has(object.get('metadata.uid') ?? '');
}

function ownersOf(object: PlainObject): readonly string[] {
  return [...object].filter(([path]) => /^metadata\.ownerReferences\[[^\]]*\]\.uid$/.test(path)).map(([, uid]) => uid);
}
