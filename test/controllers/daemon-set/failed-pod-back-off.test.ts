import test from 'ava';
import { FailedPodBackOff } from '../../../src/controllers/daemon-set/failed-pod-back-off.js';
import { MINUTE_MS } from '../../../src/kernel/time-units.js';

test('7.4.3 › the back-off of failed pods begins with a second and doubles to a quarter of an hour', (t) => {
  const backOff = new FailedPodBackOff();
  const delays: (number | undefined)[] = [];
  let nowMs = 0;
  for (let round = 0; round < 12; round += 1) {
    t.is(backOff.delayOf('k', nowMs), undefined);
    backOff.next('k', nowMs);
    const delayMs = backOff.delayOf('k', nowMs) ?? 0;
    delays.push(delayMs / 1000);
    t.is(backOff.delayOf('k', nowMs + delayMs - 1), delayMs);
    nowMs += delayMs;
  }
  t.deepEqual(delays, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
});

test('7.4.3 › a node whose pods were well for half an hour begins anew, and others have a back-off of their own', (t) => {
  const backOff = new FailedPodBackOff();
  for (const nowMs of [0, 1000, 3000]) backOff.next('k', nowMs);
  t.is(backOff.delayOf('other', 3000), undefined);
  backOff.next('k', 3000 + 30 * MINUTE_MS);
  t.is(backOff.delayOf('k', 3000 + 30 * MINUTE_MS), 8000);
  backOff.next('k', 3000 + 61 * MINUTE_MS);
  t.is(backOff.delayOf('k', 3000 + 61 * MINUTE_MS), 1000);
});
