import test from 'ava';
import { maskedText } from '../../bench/conformance/stories/plain-object.js';
import { compareSteps, compareTrack, type Track } from '../../bench/conformance/stories/comparison/compare-tracks.js';

/** Values that last for so many milliseconds each; the last one stays. */
function track(...values: readonly (readonly [value: string | undefined, lastsMs: number])[]): Track {
  let atMs = 0;
  return values.map(([value, lastsMs], index) => {
    const sinceMs = atMs;
    atMs += lastsMs;
    return { value, sinceMs, untilMs: index === values.length - 1 ? Infinity : atMs, isTerminating: false };
  });
}

const READY = 'status.readyReplicas';
const CONDITION = 'status.conditions[Progressing]';

test('tracks › a number may pass through other values for a moment', (t) => {
  const recorded = track([undefined, 500], ['6', 20], ['8', 0]);
  const ours = track([undefined, 500], ['3', 20], ['5', 20], ['8', 0]);
  t.is(compareTrack(READY, recorded, ours, {}), undefined);
  t.is(compareTrack(READY, recorded, ours, undefined), ' differs');
});

test('tracks › a number that stayed must have been there on both sides', (t) => {
  const recorded = track([undefined, 500], ['6', 300], ['8', 0]);
  t.is(compareTrack(READY, recorded, track([undefined, 500], ['8', 0]), {}), ' differs for a while');
});

test('tracks › a number turns back for longer than a moment only where the recorded one did', (t) => {
  const recorded = track(['8', 500], ['6', 20], ['4', 20], ['0', 0]);
  t.is(compareTrack(READY, recorded, track(['8', 500], ['4', 20], ['6', 20], ['0', 0]), {}), undefined);
  t.is(compareTrack(READY, recorded, track(['8', 500], ['4', 300], ['6', 300], ['0', 0]), {}), ' turns back');
});

test('tracks › a number passes through no more than there may be', (t) => {
  const recorded = track(['8', 500], ['6', 20], ['8', 0]);
  t.is(compareTrack(READY, recorded, track(['8', 500], ['10', 20], ['8', 0]), { most: 10 }), undefined);
  t.is(compareTrack(READY, recorded, track(['8', 500], ['11', 20], ['8', 0]), { most: 10 }), ' is out of its bounds');
  t.is(compareTrack(READY, recorded, track(['8', 500], ['10', 20], ['8', 0]), {}), ' is out of its bounds');
});

test('tracks › what is looked at only now and then may be merged with what comes later', (t) => {
  const recorded = track(['0', 500], ['1', 900], ['0', 0]);
  t.is(compareTrack(READY, recorded, track(['0', 0]), { mergedMs: 1100 }), undefined);
  t.is(compareTrack(READY, recorded, track(['0', 0]), {}), ' differs for a while');
});

test('tracks › a condition that turned back for a moment may do so more often on one side', (t) => {
  const often = track(['up', 500], ['down', 20], ['up', 30], ['down', 20], ['up', 0]);
  t.is(compareTrack(CONDITION, often, track(['up', 500], ['down', 20], ['up', 0]), {}), undefined);
  t.is(compareTrack(CONDITION, often, track(['up', 500]), {}), ' differs');
});

test('tracks › what a number comes to must be the same', (t) => {
  t.is(compareTrack(READY, track(['8', 500], ['4', 0]), track(['8', 500], ['3', 0]), {}), ' differs at rest');
});

test('tracks › a condition that did not last may be merged, unless the next one is the former again', (t) => {
  const merged = track(['new', 500], ['done', 0]);
  t.is(compareTrack(CONDITION, track(['new', 500], ['going', 50], ['done', 0]), merged, {}), undefined);
  t.is(compareTrack(CONDITION, track(['new', 500], ['going', 300], ['done', 0]), merged, {}), ' differs');
  const back = track(['new', 500], ['odd', 50], ['new', 50], ['done', 0]);
  t.is(compareTrack(CONDITION, back, merged, {}), ' differs');
});

test('tracks › a rolling update may take other steps, but no other turns', (t) => {
  const recorded = track(['8', 100], ['6', 100], ['4', 100], ['0', 0]);
  t.is(compareSteps(recorded, track(['8', 100], ['5', 100], ['0', 0])), undefined);
  t.is(compareSteps(recorded, track(['8', 100], ['4', 100], ['6', 100], ['0', 0])), ' differs');
  t.is(compareSteps(recorded, track(['8', 100], ['4', 100], ['1', 0])), ' differs');
});

test('tracks › a replica set may come with fewer and be raised at once, but not stay so', (t) => {
  const [none] = track([undefined, 100]);
  const came = (...values: readonly (readonly [string, number])[]): Track => {
    const [first, ...rest] = track(['', 100], ...values).slice(1);
    return none === undefined || first === undefined ? [] : [none, { ...first, isFirst: true }, ...rest];
  };
  t.is(compareSteps(came(['4', 0]), came(['3', 50], ['4', 0])), undefined);
  t.is(compareSteps(came(['4', 0]), came(['3', 300], ['4', 0])), ' differs');
  t.is(compareSteps(came(['4', 50], ['0', 0]), came(['3', 50], ['0', 0])), ' differs');
});

test('texts › nodes with taints are counted together, whether a scheduler names the taints or not', (t) => {
  const rest =
    "3 node(s) didn't match Pod's node affinity/selector. preemption: 0/7 nodes are available: 7 Preemption.";
  const named = '1 node(s) had untolerated taint {a: b}, 1 node(s) had untolerated taint {c: }, ';
  const text = maskedText(`0/7 nodes are available: ${named}${rest}`);
  t.is(text, maskedText(`0/7 nodes are available: 2 node(s) had untolerated taint(s), ${rest}`));
  t.is(text, `0/7 nodes are available: 2 node(s) had untolerated taint(s), ${rest}`);
});
