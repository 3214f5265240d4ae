/** The Events of a story: of whom, by whom, what, and how often. */
import type { Difference } from './difference.js';
import { isStepEvent } from './rollout-steps.js';
import type { Change } from './telling.js';

/** Tries of the scheduler: their number says nothing. */
export const TRIES = / Warning FailedScheduling of /;

/**
 * That a daemon's pod is told to go: it goes once. The controller counts what it has deleted and knows no names, so
 * that another pod's going may let it delete one again before its cache shows that it has.
 */
const DAEMON_DELETIONS = /^Event daemonset-controller: Normal SuccessfulDelete of /;

/** Events that one side has and the other has not, or not as often. */
export function compareEvents(recorded: readonly Change[], ours: readonly Change[]): readonly Difference[] {
  const theirs = eventsByKey(recorded);
  const mine = eventsByKey(ours);
  return [...new Set([...theirs.keys(), ...mine.keys()])].flatMap((key) => {
    const [known, told] = [shown(theirs.get(key)), shown(mine.get(key))];
    if (known === told) return [];
    const at = theirs.get(key)?.first ?? mine.get(key)?.first;
    return [{ step: at?.sent ?? 0, line: at?.line, what: key, recorded: known, ours: told }];
  });
}

interface Occurrences {
  readonly first: Change;
  count: number;
  isGone: boolean;
}

/** Counts of a series, and of objects that say the same, add up. */
function eventsByKey(changes: readonly Change[]): ReadonlyMap<string, Occurrences> {
  const events = new Map<string, Occurrences>();
  const note = (key: string, first: Change): void => {
    const isGone = first.type === 'DELETED';
    const count = isGone ? 0 : first.type === 'ADDED' ? first.count : 1;
    const known = events.get(key);
    if (known === undefined) events.set(key, { first, count, isGone });
    else {
      known.count += count;
      known.isGone = isGone;
    }
  };
  for (const change of changes) {
    if (change.kind !== 'Event') continue;
    note(change.key, change);
    if (change.isCombined && !isStepEvent(change))
      note(`${change.key.slice(0, change.key.lastIndexOf(': '))}, combined from similar events`, change);
  }
  for (const [key, event] of events)
    if (TRIES.test(key) || DAEMON_DELETIONS.test(key)) event.count = Math.min(event.count, 1);
  return events;
}

function shown(event: Occurrences | undefined): string {
  if (event === undefined) return 'absent';
  return `${event.count} time${event.count === 1 ? '' : 's'}${event.isGone ? ', then deleted' : ''}`;
}
