/** One object from its coming to its going, segment by segment: recorded, and ours. See compare-tellings.ts. */
import { compareSteps, compareTrack, type Track, type TrackValue } from './compare-tracks.js';
import type { Difference } from '../difference.js';
import type { Chance } from '../left-to-chance.js';
import type { Haste } from '../story-times.js';
import type { PlainObject } from '../plain-object.js';
import { trackOf, valueOf, type ConditionWords } from '../conditions.js';
import { isStepped, OWNER_KIND } from '../rollout-steps.js';
import type { Change } from '../telling.js';

/** All changes of one object from its coming to its going. */
export type Life = readonly Change[];

/** A kubelet may need this long to say that a pod runs. */
const START_MS = 30;

/** Timers that are set in whole seconds, and times that are told in those. */
const PHASE_MS = 1000;

/** The job controller looks at a job again a second after a change. */
const JOB_MERGED_MS = 1100;

/** Before it came. */
const NOTHING: PlainObject = new Map();

/** What there is to know of a story besides the life of one object. */
export interface Telling {
  /** How many actions had been sent at each rest. */
  readonly ends: readonly number[];
  /** What conditions say in ours. */
  readonly words: ConditionWords;
  readonly haste: Haste;
  readonly isChance: Chance;
}

/** Lives that do not come and go alike. */
export function livesDiffer(key: string, known: readonly Life[], told: readonly Life[]): Difference {
  const shown = (lives: readonly Life[]): string =>
    lives.length === 0 ? 'absent' : lives.map((life) => life.map(({ type }) => type).join(' ')).join(', then ');
  const at = (known[told.length] ?? told[known.length] ?? known[0] ?? [])[0];
  return { step: at?.sent ?? 0, line: at?.line, what: key, recorded: shown(known), ours: shown(told) };
}

/** What differs in one life. */
export function compareLives(key: string, known: Life, told: Life, telling: Telling): readonly Difference[] {
  const { ends } = telling;
  const isAlike = (type: string): boolean =>
    (known[0]?.type === type) === (told[0]?.type === type) &&
    (known.at(-1)?.type === type) === (told.at(-1)?.type === type);
  if (!isAlike('ADDED') || !isAlike('DELETED')) return [livesDiffer(key, [known], [told])];
  const ours = inStepWith(known, told);
  const isShort = isStoppedAtOnce(key, known) || isStoppedAtOnce(key, told);
  const differences: Difference[] = [];
  let start = -1;
  let before: readonly [PlainObject, PlainObject] = [NOTHING, NOTHING];
  for (const end of ends) {
    const within = (life: Life): Life => life.filter(({ sent }) => sent > start && sent <= end);
    const [theirs, mine] = [within(known), within(ours)];
    start = end;
    differences.push(...compareSegment(key, before, theirs, mine, { ...telling, isShort }));
    before = [theirs.at(-1)?.object ?? before[0], mine.at(-1)?.object ?? before[1]];
  }
  return differences;
}

/**
 * Our changes, with those that came just before or after a request that they came on the other side of in the
 * recording moved across it: timers of a second, such as the delay until a ready pod is available, have no phase that
 * a story tells.
 */
function inStepWith(known: Life, told: Life): Life {
  let next = 0;
  return told.map((change) => {
    const isSame = ({ type, object, storyMs }: Change): boolean =>
      type === change.type && Math.abs(storyMs - change.storyMs) <= PHASE_MS && isSameObject(object, change.object);
    const place = known.findIndex((each, index) => index >= next && isSame(each));
    if (place < 0) return change;
    next = place + 1;
    const { sent } = known[place] as Change;
    return sent === change.sent ? change : { ...change, sent };
  });
}

function isSameObject(left: PlainObject, right: PlainObject): boolean {
  return left.size === right.size && [...left].every(([path, value]) => right.get(path) === value);
}

function compareSegment(
  key: string,
  [before, ourBefore]: readonly [PlainObject, PlainObject],
  known: Life,
  told: Life,
  { isShort, words, haste, isChance }: Telling & { readonly isShort: boolean },
): readonly Difference[] {
  const isExact = key.startsWith('Pod ') || key.startsWith('Node ');
  const [kind = ''] = key.split(' ');
  const isContested = isContestedDaemon(known, told);
  const isAhead = lacksClaim(known) !== lacksClaim(told);
  const mergedMs = key.startsWith('Job ') ? JOB_MERGED_MS : haste.mergedMs;
  const size = greatestSize([before, ourBefore, ...[...known, ...told].map(({ object }) => object)]);
  // A Deployment sums up what its replica sets said last: one that has let a pod go may not have said so yet.
  const most = size !== undefined && kind === 'Deployment' ? size + 1 : size;
  const compareValues = (path: string, theirs: Track, mine: Track): string | undefined => {
    if (theirs.some(({ value }) => !words.knows(kind, path, value))) return ' differs';
    if (path === 'spec.replicas' && known.some(isStepped)) return compareSteps(theirs, mine);
    return compareTrack(path, theirs, mine, !isExact && isSummary(key, path) ? { most, mergedMs } : undefined);
  };
  const differences = [...pathsOf(before, ourBefore, known, told)].flatMap((path) => {
    const theirs = track(path, before, known);
    const mine = track(path, ourBefore, told);
    // What was not equal at the last rest has been told.
    if (theirs[0]?.value !== mine[0]?.value || isUnknown(key, path, before, known)) return [];
    if ((isShort && path.startsWith('status.')) || isChance(key, path)) return [];
    if (path.endsWith(TRIGGER_TIME) && isToggledAlike(theirs, mine)) return [];
    if ((isContested && path === DISRUPTION) || (isAhead && path === SCHEDULED)) return [];
    const verdict = compareValues(path, theirs, mine);
    if (verdict === undefined) return [];
    const at = known.find(({ object }) => valueOf(object, path) !== valueOf(before, path)) ?? known[0] ?? told[0];
    const [recorded, ours] = [theirs, mine].map((values) => values.map(({ value }) => value ?? null));
    return [{ step: at?.sent ?? 0, line: at?.line, what: `${key}: ${path}${verdict}`, recorded, ours }];
  });
  if (differences.length > 0) return differences;
  if ([...pathsOf(before, ourBefore, known, told)].some((path) => isChance(key, path))) return [];
  return compareWrites(key, [before, ourBefore], known, told, isExact && !isShort && !isContested && !isAhead);
}

const DISRUPTION = 'status.conditions[DisruptionTarget]';
const SCHEDULED = 'status.conditions[PodScheduled]';
const NO_CLAIM = /^0\/\d+ nodes are available: persistentvolumeclaim "[^"]+" not found\./;

/** Whether the scheduler was at a pod before it had heard of its claim: two watches raced. */
function lacksClaim(life: Life): boolean {
  return life.some(({ object }) => NO_CLAIM.test(object.get(`${SCHEDULED}.message`) ?? ''));
}

/** A daemon that a taint sends away: whether the taint manager or the controller of its set came first, raced. */
function isContestedDaemon(known: Life, told: Life): boolean {
  const marks = [known, told].map((life) => life.at(-1)?.object);
  const isDaemon = [...(marks[0] ?? [])].some(([path, value]) => OWNER_KIND.test(path) && value === 'DaemonSet');
  const by = marks.map((object) => object?.get(`${DISRUPTION}.reason`));
  return isDaemon && by[0] !== by[1] && by.includes('DeletionByTaintManager') && by.includes(undefined);
}

/** How many pods a workload may have at most, surge included; `undefined` of other objects. */
function greatestSize(objects: readonly PlainObject[]): number | undefined {
  const sizes = objects.flatMap((object) => {
    const replicas = object.get('spec.replicas');
    if (replicas === undefined) return [];
    const surge = object.get('spec.strategy.rollingUpdate.maxSurge') ?? '0';
    const share = surge.endsWith('%') ? Number(replicas) / 100 : 1;
    return [Number(replicas) + Math.ceil(Number.parseInt(surge, 10) * share)];
  });
  return sizes.length === 0 ? undefined : Math.max(...sizes);
}

/** Kinds that are nothing but what a controller sums up. */
const SUMMARIES = /^(?:EndpointSlice|Endpoints) /;

/** A Deployment takes over the revision of its newest replica set. */
export const REVISION = 'metadata.annotations.deployment.kubernetes.io/revision';

/** When the first of the changes came that a sync took in; none where that is not known of a pod or service. */
const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

/** How often it comes and goes depends on what the syncs took in. */
function isToggledAlike(theirs: Track, mine: Track): boolean {
  return [theirs, mine].every((values) => values.some(({ value }) => value !== undefined));
}

function isSummary(key: string, path: string): boolean {
  return path.startsWith('status.') || path === REVISION || (SUMMARIES.test(key) && !path.startsWith('metadata.'));
}

/** A pod that is told to go when it has hardly been bound: whether its kubelet came to it first, raced. */
function isStoppedAtOnce(key: string, life: Life): boolean {
  const boundMs = life.find(({ object }) => object.has('spec.nodeName'))?.ms ?? Infinity;
  const goingMs = life.find(({ isTerminating }) => isTerminating)?.ms ?? Infinity;
  const isNew = life[0]?.type === 'ADDED';
  return isNew && key.startsWith('Pod ') && boundMs <= goingMs && goingMs - boundMs < START_MS;
}

/**
 * Of an object that was there before the story how often it had been changed, of a node what it is made of; of
 * others how often a summary was written.
 */
function isUnknown(key: string, path: string, before: PlainObject, known: Life): boolean {
  if (path === 'metadata.generation' && SUMMARIES.test(key)) return true;
  const isOlder = before === NOTHING && known[0]?.type !== 'ADDED';
  if (isOlder && (path === 'metadata.generation' || path === 'status.observedGeneration')) return true;
  return key.startsWith('Node ') && isOlder && !path.startsWith('spec.');
}

function pathsOf(before: PlainObject, ourBefore: PlainObject, known: Life, told: Life): ReadonlySet<string> {
  const paths = new Set<string>();
  const objects = [before, ourBefore, ...known.map(({ object }) => object), ...told.map(({ object }) => object)];
  for (const object of objects) for (const path of object.keys()) paths.add(trackOf(path));
  return paths;
}

/** The same writes, in whatever order; of a summary those that write more than its status. */
function compareWrites(
  key: string,
  [before, ourBefore]: readonly [PlainObject, PlainObject],
  known: Life,
  told: Life,
  isExact: boolean,
): readonly Difference[] {
  if (SUMMARIES.test(key) || (before === NOTHING && known[0]?.type !== 'ADDED')) return [];
  if (before.size !== ourBefore.size || [...before].some(([path, value]) => ourBefore.get(path) !== value)) return [];
  const [theirs, mine] = [writesOf(before, known, isExact), writesOf(ourBefore, told, isExact)];
  const missing = withoutAll(theirs, mine);
  const added = withoutAll(mine, theirs);
  if (missing.length === 0 && added.length === 0) return [];
  const at = known[0] ?? told[0];
  return [{ step: at?.sent ?? 0, line: at?.line, what: `${key}: writes`, recorded: missing, ours: added }];
}

/** What each change did, without those that show nothing. A Deployment's revision is written with its status. */
function writesOf(before: PlainObject, life: Life, isExact: boolean): readonly string[] {
  let present = before;
  return life.flatMap((change) => {
    const { type, object } = change;
    const previous = present;
    present = object;
    const paths = new Set([...previous.keys(), ...object.keys()]);
    const written = [...paths].filter((path) => previous.get(path) !== object.get(path)).sort();
    const counted = isExact ? written : written.filter((path) => !isSummary(change.key, path));
    const main = isStepped(change) ? counted.filter((path) => path !== 'spec.replicas') : counted;
    if (main.length === 0 && (type === 'MODIFIED' || !isExact)) return [];
    const texts = main.map((path) => `${path} = ${object.get(path) ?? 'none'}`);
    const isStatusTold = counted.length < written.length && change.kind !== 'Deployment';
    return [[type, ...texts, ...(isStatusTold ? ['status'] : [])].join('; ')];
  });
}

function withoutAll(texts: readonly string[], others: readonly string[]): readonly string[] {
  const rest = [...others];
  return texts.filter((text) => {
    const index = rest.indexOf(text);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
}

/** The values that a field takes one after the other, and how long it keeps each. */
function track(path: string, before: PlainObject, life: Life): Track {
  const first = { value: valueOf(before, path), sinceMs: -Infinity, untilMs: Infinity, isTerminating: false };
  const values: { -readonly [field in keyof TrackValue]: TrackValue[field] }[] = [first];
  for (const { object, ms, isTerminating, type } of life) {
    const value = valueOf(object, path);
    const last = values.at(-1);
    if (last !== undefined && last.value !== value) {
      last.untilMs = ms;
      values.push({ value, sinceMs: ms, untilMs: Infinity, isTerminating, isFirst: type === 'ADDED' });
    }
  }
  return values;
}
