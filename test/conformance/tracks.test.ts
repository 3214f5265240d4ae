import test from 'ava';
import { compareSteps, compareTrack, type Track } from '../../bench/conformance/stories/compare-tracks.js';

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
  t.is(compareTrack(READY, recorded, ours, true), undefined);
  t.is(compareTrack(READY, recorded, ours, false), ' differs');
});

test('tracks › a number that stayed must have been there on both sides', (t) => {
  const recorded = track([undefined, 500], ['6', 200], ['8', 0]);
  t.is(compareTrack(READY, recorded, track([undefined, 500], ['8', 0]), true), ' differs for a while');
});

test('tracks › a number turns back only where the recorded one did', (t) => {
  const recorded = track(['8', 500], ['4', 20], ['0', 0]);
  t.is(compareTrack(READY, recorded, track(['8', 500], ['4', 20], ['6', 20], ['0', 0]), true), ' turns back');
});

test('tracks › what a number comes to must be the same', (t) => {
  t.is(compareTrack(READY, track(['8', 500], ['4', 0]), track(['8', 500], ['3', 0]), true), ' differs at rest');
});

test('tracks › a condition that did not last may be merged, unless the next one is the former again', (t) => {
  const merged = track(['new', 500], ['done', 0]);
  t.is(compareTrack(CONDITION, track(['new', 500], ['going', 50], ['done', 0]), merged, true), undefined);
  t.is(compareTrack(CONDITION, track(['new', 500], ['going', 150], ['done', 0]), merged, true), ' differs');
  const back = track(['new', 500], ['odd', 50], ['new', 50], ['done', 0]);
  t.is(compareTrack(CONDITION, back, merged, true), ' differs');
});

test('tracks › a rolling update may take other steps, but no other turns', (t) => {
  const recorded = track(['8', 100], ['6', 100], ['4', 100], ['0', 0]);
  t.is(compareSteps(recorded, track(['8', 100], ['5', 100], ['0', 0])), undefined);
  t.is(compareSteps(recorded, track(['8', 100], ['4', 100], ['6', 100], ['0', 0])), ' differs');
  t.is(compareSteps(recorded, track(['8', 100], ['4', 100], ['1', 0])), ' differs');
});
