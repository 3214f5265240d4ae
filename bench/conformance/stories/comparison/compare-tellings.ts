/**
 * Compares what the watches told of a story with what they tell of ours. It is the same story when:
 *
 * 1. The same objects come and go equally often, under the same names, and come with the same fields.
 * 2. What is the cause of the other, or well before it, comes, goes or is told to go before it here, too
 *    (compare-order.ts).
 * 3. Whenever the story is at rest (story-times.ts), every object is equal in every field (plain-object.ts).
 * 4. Between two rests every field of every object takes the same values in the same order, by as many writes.
 *    When different components write an object only the order of their writes may differ. Statuses other than
 *    those of pods and nodes sum up, and so do EndpointSlices, of which writes are not counted, and the revision
 *    that a Deployment takes over: real controllers merge what comes in close succession, and what that is depends on
 *    milliseconds. Of those
 *    - a number may pass through other values for less than 250 ms (500 ms on a busy machine, story-times.ts), of
 *      which none is more than the workload may have with its surge, or else out of the bounds of the other side by
 *      more than 1;
 *    - another value may be missing on one side when it was replaced within as long on the other; one from which
 *      that turned back must be known on both, and a condition must say what some object of its kind says here;
 *    - what is written after the object was told to go may be missing on one side;
 *    - what a controller makes anew while its owner is being collected, and is collected too, is left out.
 *    A Job is looked at a second after a change, so that these are 1,100 ms for it. In how many steps a rolling
 *    update takes a replica set from one size to another is not compared (rollout-steps.ts). The status of a pod
 *    that is told to go within 30 ms of its binding is not compared: its kubelet may have come to it, or not.
 *    Whether the taint manager marks a daemon's pod before the controller of its set deletes it raced, and so
 *    did what the set tells of its pods from then on. What else is left to chance is listed in
 *    left-to-chance.ts.
 * 5. The same Events are told, as often: object, component, type, reason and text. Which Event of many similar
 *    ones is the first that stands for all of them raced. How often the scheduler tried a pod in vain with the
 *    same result depends on what else happens in a cluster.
 */
import { compareEvents, racedEvents } from './compare-events.js';
import { compareLives, livesDiffer, type Life } from './compare-lives.js';
import { compareOrder } from './compare-order.js';
import { futileNames, withoutFutile, withoutUid } from './futile.js';
import { ConditionWords } from '../conditions.js';
import { leftToChance } from '../left-to-chance.js';
import { hasteOf, segmentEnds } from '../story-times.js';
import { withoutSteps } from '../rollout-steps.js';
import type { Story } from '../story.js';
import type { Change } from '../telling.js';
import type { Difference } from '../difference.js';

/**
 * What differs, object by object.
 *
 * @param words - what conditions have said in other tellings of ours, to which this one is added
 */
export function compareTellings(
  allRecorded: readonly Change[],
  allOurs: readonly Change[],
  story: Story,
  words = new ConditionWords(),
): readonly Difference[] {
  const [recorded, ours] = [allRecorded, allOurs].map((changes) => withoutSteps(withoutFutile(changes))) as [
    readonly Change[],
    readonly Change[],
  ];
  const names = new Set([...futileNames(allRecorded), ...futileNames(allOurs)]);
  const [theirs, mine] = [livesByKey(recorded, names), livesByKey(ours, names)];
  words.hear(allOurs);
  const telling = {
    ends: segmentEnds(story),
    words,
    haste: hasteOf(story),
    isChance: leftToChance(story),
  };
  const differences: Difference[] = [];
  for (const key of new Set([...theirs.keys(), ...mine.keys()])) {
    const [known = [], told = []] = [theirs.get(key), mine.get(key)];
    if (known.length === told.length) {
      for (const [index, life] of known.entries())
        differences.push(...compareLives(key, life, told[index] ?? [], telling));
    } else differences.push(livesDiffer(key, known, told));
  }
  const raced = racedEvents(recorded, ours, telling.haste);
  const isJudged = ({ kind, key }: Change): boolean => kind !== 'Event' || !raced.has(key);
  const [known, told] = [recorded.filter(isJudged), ours.filter(isJudged)];
  return [...differences, ...compareOrder(known, told, telling.haste), ...compareEvents(known, told)];
}

/** @param dealtByChance - names of which an object may have any of the recorded uids */
function livesByKey(
  changes: readonly Change[],
  dealtByChance: ReadonlySet<string>,
): ReadonlyMap<string, readonly Life[]> {
  const lives = new Map<string, Change[][]>();
  for (const each of changes) {
    if (each.kind === 'Event') continue;
    const change = dealtByChance.has(each.key) ? withoutUid(each) : each;
    const known = lives.get(change.key);
    if (known === undefined) lives.set(change.key, [[change]]);
    else if (change.type === 'ADDED') known.push([change]);
    else known.at(-1)?.push(change);
  }
  return lives;
}
