/** The Events of a story: about which object, by which component, what, and how often. */
import type { Difference } from '../difference.js';
import type { Haste } from '../story-times.js';
import { isStepEvent } from '../rollout-steps.js';
import type { Change } from '../telling.js';

/** Tries of the scheduler: their number says nothing. */
export const TRIES = / Warning FailedScheduling of /;

/**
 * That a daemon's pod is told to go: it goes once. The controller counts what it has deleted and knows no names, so
 * that another pod's going may let it delete one again before its cache shows that it has.
 */
const DAEMON_DELETIONS = /^Event daemonset-controller: Normal SuccessfulDelete of /;

/** That the taint manager sends a pod away. */
const SENT_AWAY = /^Event taint-eviction-controller: Normal TaintManagerEviction of Pod ([^/]+)\/(\S+): Marking /;
/** What a daemon set tells of its pods. */
const OF_DAEMONS =
  /^Event daemonset-controller: Normal Successful(?:Create|Delete) of (DaemonSet [^:]+): (?:Created|Deleted) pod(?:: (\S+))?/;

/**
 * Told at each sync, of which there are as many as changes are seen apart: of a budget that has no pods, or some
 * without a controller, or that no number can be found for; of a service one of whose pods has lost its node; of a claim
 * that nothing provisions. What is told once is compared.
 */
const SYNCS =
  / (?:(?:Warning CalculateExpectedPodCountFailed|Warning UnmanagedPods|Normal NoPods) of PodDisruptionBudget|Warning FailedToUpdateEndpointSlices of Service|Warning ProvisioningFailed of PersistentVolumeClaim) /;

/**
 * What is told where a cache was behind: a write of a version that was not the newest any more, and is tried again; a
 * pod that is marked or gone while it is being scheduled or bound; one with a claim that the scheduler had not seen.
 */
const BEHIND =
  /: the object has been modified; please apply your changes |: skip schedule deleting pod: |is being deleted, cannot be assigned to a host|: pod does not exist any more: |: 0\/\d+ nodes are available: persistentvolumeclaim "([^"]+)" not found\./;

/** Of a budget's pods: which kind of owners without a scale is met first is the order of a map. */
const NO_SCALE = /: [a-z.]+ does not implement the scale subresource$/;
/** Of which pod without a controller a budget tells is left to the order of a map. */
const NO_CONTROLLERS = /: found no controllers for pod "[^"]+"$/;

const STALE_CLAIM = / Warning FailedUpdate of (StatefulSet \S+): update Pod (\S+) .*: the object has been modified/;
const CREATED_POD = / Normal SuccessfulCreate of (StatefulSet \S+): create Pod (\S+) /;

/** What a claim waits for: whether the pod that comes with it is known at that moment raced. */
const CLAIM_WAITS = / Normal WaitFor(?:FirstConsumer|PodScheduled) of PersistentVolumeClaim ([^:]+): /;

/** A budget without pods is told of; when its only pod is replaced, whether it is seen without any raced. */
const NO_PODS = / Normal NoPods of PodDisruptionBudget /;

/** Keys of Events that tell of what either side saw for a moment: they are not compared. */
export function racedEvents(
  recorded: readonly Change[],
  ours: readonly Change[],
  { raceMs }: Haste,
): ReadonlySet<string> {
  const sides = [recorded, ours].map((changes) => ({ changes, events: eventsByKey(changes) }));
  const keys = sides.flatMap(({ events }) => [...events.keys()]);
  // A set tells that it failed to update the claims of its new pod instead of having created it.
  const halfway = new Set(keys.flatMap((key) => STALE_CLAIM.exec(key)?.slice(1).join(' ') ?? []));
  const isUntold = (key: string): boolean => halfway.has(CREATED_POD.exec(key)?.slice(1).join(' ') ?? 'none');
  const moments = sides.flatMap(({ changes, events }) => momentsOf(events, changes, raceMs));
  return new Set([...moments, ...keys.filter(isUntold)]);
}

/** Events that one side has and the other has not, or not as often. */
export function compareEvents(recorded: readonly Change[], ours: readonly Change[]): readonly Difference[] {
  const [known, told] = [eventsByKey(recorded), eventsByKey(ours)];
  const contested = new Set([...contestedSets(known), ...contestedSets(told)]);
  return [...new Set([...known.keys(), ...told.keys()])].flatMap((key) => {
    const [there, here] = [shown(known.get(key)), shown(told.get(key))];
    if (there === here || contested.has(OF_DAEMONS.exec(key)?.[1] ?? '')) return [];
    const at = known.get(key)?.first ?? told.get(key)?.first;
    return [{ step: at?.sent ?? 0, line: at?.line, what: key, recorded: there, ours: here }];
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
    const toldCount = first.type === 'ADDED' ? first.count : 1;
    const count = isGone ? 0 : toldCount;
    const known = events.get(key);
    if (known === undefined) events.set(key, { first, count, isGone });
    else {
      known.count += count;
      known.isGone = isGone;
    }
  };
  for (const change of changes) {
    if (change.kind !== 'Event') continue;
    const key = change.key.replace(NO_SCALE, ': its owner does not implement the scale subresource');
    note(key.replace(NO_CONTROLLERS, ': found no controllers for a pod'), change);
    if (change.isCombined && !isStepEvent(change))
      note(`${change.key.slice(0, change.key.lastIndexOf(': '))}, combined from similar events`, change);
  }
  for (const [key, event] of events)
    if ([TRIES, SYNCS, DAEMON_DELETIONS].some((each) => each.test(key))) event.count = Math.min(event.count, 1);
  return events;
}

/**
 * Daemon sets of which the controller told that it deleted a pod that the taint manager sent away: which of them came
 * first raced. One Event more moves the tenth, from which on one stands for all, and the twenty-sixth, that is not sent.
 */
function contestedSets(events: ReadonlyMap<string, Occurrences>): readonly string[] {
  const sent = new Set([...events.keys()].flatMap((key) => SENT_AWAY.exec(key)?.[2] ?? []));
  return [...events.keys()].flatMap((key) => {
    const [, set = '', pod = ''] = OF_DAEMONS.exec(key) ?? [];
    return DAEMON_DELETIONS.test(key) && sent.has(pod) ? [set] : [];
  });
}

/** Keys of Events of what was seen for a moment. */
function momentsOf(
  events: ReadonlyMap<string, Occurrences>,
  changes: readonly Change[],
  raceMs: number,
): readonly string[] {
  const came = changes.filter(({ type }) => type === 'ADDED');
  const isMoment = ([key, { first }]: readonly [string, Occurrences]): boolean => {
    const isNear = ({ ms }: Change): boolean => ms >= first.ms - raceMs && ms <= first.ms + raceMs;
    if (NO_PODS.test(key)) return came.some((change) => change.kind === 'Pod' && isNear(change));
    const [, waiting] = CLAIM_WAITS.exec(key) ?? [];
    if (waiting !== undefined) {
      const claims = came.filter((change) => change.key === `PersistentVolumeClaim ${waiting}`);
      const isWithIt = ({ ms }: Change): boolean => claims.some((each) => Math.abs(each.ms - ms) <= raceMs);
      return came.some((change) => change.kind === 'Pod' && isWithIt(change));
    }
    const [, claim] = BEHIND.exec(key) ?? [undefined, undefined];
    if (claim === undefined) return BEHIND.test(key);
    return came.some((change) => isClaim(change, claim) && isNear(change));
  };
  return [...events].filter(isMoment).map(([key]) => key);
}

function shown(event: Occurrences | undefined): string {
  if (event === undefined) return 'absent';
  return `${event.count} time${event.count === 1 ? '' : 's'}${event.isGone ? ', then deleted' : ''}`;
}

function isClaim({ kind, key }: Change, name: string): boolean {
  return kind === 'PersistentVolumeClaim' && key.endsWith(`/${name}`);
}
