/** The order in which objects come, are told to go, and go. */
import type { Difference } from './difference.js';
import type { Change } from './telling.js';

/** What is closer than this raced. */
const RACE_MS = 100;

interface Turn {
  readonly key: string;
  readonly change: Change;
}

/** What came too early here: well after something in the recording, and before it in ours. */
export function compareOrder(recorded: readonly Change[], ours: readonly Change[]): readonly Difference[] {
  const places = new Map(turns(ours).map(({ key }, index) => [key, index]));
  const turnsThere = turns(recorded).filter(({ key }) => places.has(key));
  const differences: Difference[] = [];
  /** What came too late is named once. */
  const named = new Set<string>();
  let settled = 0;
  let latest: (Turn & { readonly place: number }) | undefined;
  for (const { key, change } of turnsThere) {
    for (
      let turn = turnsThere[settled];
      turn !== undefined && turn.change.ms <= change.ms - RACE_MS;
      turn = turnsThere[settled]
    ) {
      const place = places.get(turn.key) ?? 0;
      if (latest === undefined || place > latest.place) latest = { ...turn, place };
      settled += 1;
    }
    if (latest === undefined || (places.get(key) ?? 0) >= latest.place || named.has(latest.key)) continue;
    named.add(latest.key);
    const [earlier, later] = [latest.key, key];
    differences.push({
      step: change.sent,
      line: change.line,
      what: 'order',
      recorded: `${earlier}, then ${later}`,
      ours: `${later}, then ${earlier}`,
    });
  }
  return differences;
}

/** Comings, first marks of deletion, goings; counted, since names come back. */
function turns(changes: readonly Change[]): readonly Turn[] {
  const counts = new Map<string, number>();
  const going = new Set<string>();
  return changes.flatMap((change) => {
    const { type, key, kind, isTerminating } = change;
    if (type === 'ADDED') going.delete(key);
    else if (type === 'MODIFIED' && (!isTerminating || going.has(key) || kind === 'Event')) return [];
    else if (type === 'MODIFIED') going.add(key);
    const turn = `${type === 'MODIFIED' ? 'TERMINATING' : type} ${key}`;
    const count = (counts.get(turn) ?? 0) + 1;
    counts.set(turn, count);
    return [{ key: count === 1 ? turn : `${turn} (${count})`, change }];
  });
}
