/** One object from its coming to its going, segment by segment: recorded, and ours. See compare-tellings.ts. */
import { compareSteps, compareTrack, type Track, type TrackValue } from './compare-tracks.js';
import type { Difference } from './difference.js';
import type { PlainObject } from './plain-object.js';
import { isStepped } from './rollout-steps.js';
import type { Change } from './telling.js';

/** All changes of one object from its coming to its going. */
export type Life = readonly Change[];

/** A kubelet may need this long to say that a pod runs. */
const START_MS = 30;

/** Before it came. */
const NOTHING: PlainObject = new Map();

/** Lives that do not come and go alike. */
export function livesDiffer(key: string, known: readonly Life[], told: readonly Life[]): Difference {
  const shown = (lives: readonly Life[]): string =>
    lives.length === 0 ? 'absent' : lives.map((life) => life.map(({ type }) => type).join(' ')).join(', then ');
  const at = (known[told.length] ?? told[known.length] ?? known[0] ?? [])[0];
  return { step: at?.sent ?? 0, line: at?.line, what: key, recorded: shown(known), ours: shown(told) };
}

/** What differs in one life. @param ends - how many actions had been sent at each rest */
export function compareLives(key: string, known: Life, told: Life, ends: readonly number[]): readonly Difference[] {
  const isAlike = (type: string): boolean =>
    (known[0]?.type === type) === (told[0]?.type === type) &&
    (known.at(-1)?.type === type) === (told.at(-1)?.type === type);
  if (!isAlike('ADDED') || !isAlike('DELETED')) return [livesDiffer(key, [known], [told])];
  const isShort = isStoppedAtOnce(key, known) || isStoppedAtOnce(key, told);
  const differences: Difference[] = [];
  let start = -1;
  let before: readonly [PlainObject, PlainObject] = [NOTHING, NOTHING];
  for (const end of ends) {
    const within = (life: Life): Life => life.filter(({ sent }) => sent > start && sent <= end);
    const [theirs, mine] = [within(known), within(told)];
    start = end;
    differences.push(...compareSegment(key, before, theirs, mine, isShort));
    before = [theirs.at(-1)?.object ?? before[0], mine.at(-1)?.object ?? before[1]];
  }
  return differences;
}

function compareSegment(
  key: string,
  [before, ourBefore]: readonly [PlainObject, PlainObject],
  known: Life,
  told: Life,
  isShort: boolean,
): readonly Difference[] {
  const isExact = key.startsWith('Pod ') || key.startsWith('Node ');
  const differences = [...pathsOf(before, ourBefore, known, told)].flatMap((path) => {
    const theirs = track(path, before, known);
    const mine = track(path, ourBefore, told);
    // What was not equal at the last rest has been told.
    if (theirs[0]?.value !== mine[0]?.value || isUnknown(key, path, before, known)) return [];
    if (isShort && path.startsWith('status.')) return [];
    const verdict =
      path === 'spec.replicas' && known.some(isStepped)
        ? compareSteps(theirs, mine)
        : compareTrack(path, theirs, mine, !isExact && isSummary(key, path));
    if (verdict === undefined) return [];
    const at = known.find(({ object }) => valueOf(object, path) !== valueOf(before, path)) ?? known[0] ?? told[0];
    const [recorded, ours] = [theirs, mine].map((values) => values.map(({ value }) => value ?? null));
    return [{ step: at?.sent ?? 0, line: at?.line, what: `${key}: ${path}${verdict}`, recorded, ours }];
  });
  if (differences.length > 0) return differences;
  return compareWrites(key, [before, ourBefore], known, told, isExact && !isShort);
}

/** Kinds that are nothing but what a controller sums up. */
const SUMMARIES = /^(?:EndpointSlice|Endpoints) /;

function isSummary(key: string, path: string): boolean {
  return path.startsWith('status.') || (SUMMARIES.test(key) && !path.startsWith('metadata.'));
}

/** A pod that is told to go when it has hardly been bound: whether its kubelet came to it first, raced. */
function isStoppedAtOnce(key: string, life: Life): boolean {
  const boundMs = life.find(({ object }) => object.has('spec.nodeName'))?.ms ?? Infinity;
  const goingMs = life.find(({ isTerminating }) => isTerminating)?.ms ?? Infinity;
  return key.startsWith('Pod ') && boundMs <= goingMs && goingMs - boundMs < START_MS;
}

/** A node that was there before the story: what it is made of is not told. Or how often a summary was written. */
function isUnknown(key: string, path: string, before: PlainObject, known: Life): boolean {
  if (path === 'metadata.generation' && SUMMARIES.test(key)) return true;
  return key.startsWith('Node ') && before === NOTHING && known[0]?.type !== 'ADDED' && !path.startsWith('spec.');
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

/** What each change did, without those that show nothing. */
function writesOf(before: PlainObject, life: Life, isExact: boolean): readonly string[] {
  let present = before;
  return life.flatMap((change) => {
    const { type, object } = change;
    const previous = present;
    present = object;
    const paths = new Set([...previous.keys(), ...object.keys()]);
    const written = [...paths].filter((path) => previous.get(path) !== object.get(path)).sort();
    const counted = isExact ? written : written.filter((path) => !path.startsWith('status.'));
    const main = isStepped(change) ? counted.filter((path) => path !== 'spec.replicas') : counted;
    if (main.length === 0 && (type === 'MODIFIED' || !isExact)) return [];
    const texts = main.map((path) => `${path} = ${object.get(path) ?? 'none'}`);
    return [[type, ...texts, ...(counted.length === written.length ? [] : ['status'])].join('; ')];
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

/** A condition is one value: status, reason and text belong together. */
function trackOf(path: string): string {
  return /^status\.conditions\[[^\]]*\]/.exec(path)?.[0] ?? path;
}

function valueOf(object: PlainObject, path: string): string | undefined {
  if (!path.startsWith('status.conditions[')) return object.get(path);
  const fields = ['status', 'reason', 'message', 'observedGeneration'].map((field) => object.get(`${path}.${field}`));
  return fields.every((field) => field === undefined) ? undefined : fields.map((field) => field ?? '').join(' | ');
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
