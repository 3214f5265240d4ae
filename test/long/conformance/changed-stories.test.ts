import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Difference } from '../../../bench/conformance/stories/difference.js';
import { replayStory, type StoryReport } from '../../../bench/conformance/stories/replay-story.js';
import { readStories } from '../../../bench/conformance/stories/story.js';
import { SCENES } from '../../conformance/scenes.js';
import { textOf, type Line } from '../../conformance/story-lines.js';
import { tellStory, type TimedLine } from '../../conformance/story-teller.js';

const PACE = { seed: 'even', schedulerLatency: 2, controllersLatency: 4 };

type Told = TimedLine & {
  readonly res?: string;
  readonly event?: { readonly type: string; readonly object: object };
};

function told(name: string): Promise<readonly Told[]> {
  const scene = SCENES[name];
  return scene === undefined ? Promise.resolve([]) : tellStory(scene, PACE);
}

async function reportsOf(lines: readonly Line[]): Promise<readonly StoryReport[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'story-'));
  try {
    const file = path.join(folder, 'watch-told.jsonl');
    writeFileSync(file, textOf(lines));
    return await Promise.all(readStories(file).map(replayStory));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function differencesOf(lines: readonly Line[]): Promise<readonly Difference[]> {
  return (await reportsOf(lines)).flatMap(({ differences }) => differences);
}

/** Places of the lines that tell of a change of a type, of one resource or of any. */
function places(lines: readonly Told[], type: string, res?: string): readonly number[] {
  return lines.flatMap(({ event, res: of }, index) =>
    event?.type === type && (res === undefined || of === res) ? [index] : [],
  );
}

function everyFourth<T>(list: readonly T[]): readonly T[] {
  return list.filter((_, index) => index % 4 === 0);
}

function replaced(lines: readonly Told[], index: number, text: string | RegExp, by: string): readonly Line[] {
  return lines.with(index, JSON.parse(JSON.stringify(lines[index]).replace(text, by)) as Told);
}

async function eachIsSeen(t: ExecutionContext, changed: readonly (readonly Line[])[]): Promise<void> {
  t.true(changed.length > 2);
  for (const lines of changed) t.not((await differencesOf(lines)).length, 0, JSON.stringify(lines.length));
}

test('changed stories › a coming or a going that is left out is seen', async (t) => {
  const lines = await told('garbage');
  const turns = [...places(lines, 'ADDED'), ...places(lines, 'DELETED')];
  await eachIsSeen(
    t,
    everyFourth(turns).map((index) => lines.toSpliced(index, 1)),
  );
});

test('changed stories › a write of a pod that is left out is seen', async (t) => {
  const lines = await told('garbage');
  const writes = places(lines, 'MODIFIED', 'pods');
  await eachIsSeen(
    t,
    everyFourth(writes).map((index) => lines.toSpliced(index, 1)),
  );
});

test('changed stories › a reason that is another one is seen, in Events and conditions', async (t) => {
  const lines = await told('budget and evictions');
  const reason = /"reason":"[^"]*"/;
  const withReason = lines.flatMap((line, index) => (reason.test(JSON.stringify(line.event ?? {})) ? [index] : []));
  const some = withReason.filter((_, index) => index % 9 === 0);
  await eachIsSeen(
    t,
    some.map((index) => replaced(lines, index, reason, '"reason":"Odd"')),
  );
});

test('changed stories › a status that is another one is seen', async (t) => {
  const lines = await told('budget and evictions');
  const budgets = places(lines, 'MODIFIED', 'poddisruptionbudgets');
  const truth = /"status":"True"/;
  const some = budgets.filter((index) => truth.test(JSON.stringify(lines[index])));
  await eachIsSeen(
    t,
    some.map((index) => replaced(lines, index, truth, '"status":"Unknown"')),
  );
});

/** Whether it tells of a pod of the stopped job that is not going, and that lost the job's finalizer. */
function isReleasedPod(line: Told | undefined): boolean {
  const text = JSON.stringify(line);
  return text.includes('"name":"stopped-') && !/job-tracking|deletionTimestamp/.test(text);
}

test('changed stories › when a pod loses the finalizer of its job is seen, and left to chance as the job goes', async (t) => {
  const lines = await told('jobs');
  const released = places(lines, 'MODIFIED', 'pods').filter((index) => isReleasedPod(lines[index]));
  const held = released.map((index) =>
    replaced(lines, index, '"ownerReferences"', '"finalizers":["batch.kubernetes.io/job-tracking"],"ownerReferences"'),
  );
  t.is(held.length, 5, 'two as it is suspended, three as it goes');
  const counts = await Promise.all(held.map(differencesOf));
  t.deepEqual(
    counts.map(({ length }) => length > 0),
    [true, true, false, false, false],
  );
});

test('changed stories › pods of a stateful set that came in another order are seen', async (t) => {
  const lines = await told('stateful set variants');
  const pods = places(lines, 'ADDED', 'pods').slice(0, 4);
  const swapped = pods.slice(1).map((later, index) => {
    const earlier = pods[index] ?? 0;
    const [first, second] = [lines[earlier], lines[later]];
    return first?.event === undefined || second?.event === undefined
      ? lines
      : lines.with(earlier, withObject(first, second)).with(later, withObject(second, first));
  });
  await eachIsSeen(t, swapped);
});

interface Versioned {
  readonly metadata: { readonly resourceVersion: string };
}

/** The line with another's object, at the version that the watch had come to. */
function withObject(line: Told, other: Told): Told {
  const [own, object] = [line, other].map(({ event }) => event?.object as Versioned | undefined);
  const resourceVersion = own?.metadata.resourceVersion;
  return {
    ...line,
    event: { type: 'ADDED', object: { ...object, metadata: { ...object?.metadata, resourceVersion } } },
  };
}

test('changed stories › changes that one watch told out of order are seen', async (t) => {
  const lines = await told('garbage');
  const [first = 0, second = 0] = places(lines, 'ADDED', 'pods');
  const [earlier, later] = [lines[first], lines[second]];
  if (earlier === undefined || later === undefined) return t.fail('there must be two pods');
  const swapped = lines.with(first, { ...later, ms: earlier.ms }).with(second, { ...earlier, ms: later.ms });
  const [difference] = (await differencesOf(swapped)).filter(({ ours }) => ours === 'they rise');
  t.regex(difference?.what ?? '', /^Pod r-.*: version$/);
});

test('changed stories › an owner that came well after what it owns is seen', async (t) => {
  const lines = await told('garbage');
  const [set = 0] = places(lines, 'ADDED', 'replicasets');
  const place = lines.findIndex(({ ms }) => ms > (lines[set]?.ms ?? 0) + 100);
  const owner = lines[set];
  if (owner === undefined) return t.fail('there must be a replica set');
  const late = lines.toSpliced(set, 1).toSpliced(place - 1, 0, { ...owner, ms: owner.ms + 100 });
  const seen = (await differencesOf(late)).filter(({ ours }) => ours === 'owners come first');
  t.deepEqual(
    seen.map(({ what, recorded }) => [what, recorded]),
    [['ReplicaSet r', 'came after what it owns']],
  );
});

test('changed stories › numbers of a status that contradict each other are seen', async (t) => {
  const lines = await told('garbage');
  const number = /"readyReplicas":\d+/;
  const index = lines.findIndex(({ event }) => number.test(JSON.stringify(event ?? {})));
  const seen = await differencesOf(replaced(lines, index, number, '"readyReplicas":9'));
  t.true(seen.some(({ ours }) => ours === 'no more readyReplicas than replicas'));
});

test('stories › what is not simulated is named, and not compared', async (t) => {
  const lines = await told('claims and volumes');
  const [first, ...rest] = lines;
  const widget = { kind: 'Widget', apiVersion: 'example.com/v1', metadata: { name: 'r', namespace: 'told' } };
  const request = { method: 'POST', path: '/apis/example.com/v1/namespaces/told/widgets', body: widget };
  const wider: readonly Line[] = [
    first ?? {},
    { ms: 41, action: 'widget', request, status: 201, response: widget },
    { ms: 41, res: 'widgets', event: { type: 'ADDED', object: widget } },
    { ms: 41, res: 'widgets', event: { type: 'MODIFIED', object: widget } },
    { ms: 41, res: 'pods', event: { type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion: '9' } } } },
    ...rest,
  ];
  t.deepEqual(
    (await reportsOf(wider)).map(({ differences, ignored }) => [differences, ignored]),
    [[[], ['Widget (2)', `POST ${request.path} (1)`]]],
  );
});

test('stories › a file may hold several, one after the other', async (t) => {
  const [claims, garbage] = [await told('claims and volumes'), await told('garbage')];
  t.deepEqual(
    (await reportsOf([...claims, ...garbage])).map(({ actions, differences }) => [actions, differences]),
    [claims, garbage].map((lines) => [lines.filter((line) => 'action' in line).length, []]),
  );
});
