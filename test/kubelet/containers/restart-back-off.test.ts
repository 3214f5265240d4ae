import test from 'ava';
import { backOffEndMs, nextBackOff, type BackOffEntry } from '../../../src/kubelet/containers/restart-back-off.js';

test('waits are 0, 10, 20, 40, 80, 160, 300, 300 seconds from the end of the container', (t) => {
  let entry: BackOffEntry | undefined;
  let nowMs = 0;
  const waits: number[] = [];
  for (let restart = 0; restart < 8; restart += 1) {
    const endMs = backOffEndMs(entry, nowMs);
    waits.push((endMs - nowMs) / 1000);
    entry = nextBackOff(entry, endMs);
    nowMs = endMs;
  }
  t.deepEqual(waits, [0, 10, 20, 40, 80, 160, 300, 300]);
});

test('a container that ran for more than 600 s since its restart begins anew', (t) => {
  const entry = { delayMs: 300_000, updatedMs: 0 };
  t.is(backOffEndMs(entry, 600_001), 600_001);
  t.deepEqual(nextBackOff(entry, 600_001), { delayMs: 10_000, updatedMs: 600_001 });
});

test('an entry that was raised 600 s ago is forgotten before its delay is over', (t) => {
  const entry = { delayMs: 300_000, updatedMs: 0 };
  t.is(backOffEndMs(entry, 400_000), 600_000);
  t.deepEqual(nextBackOff(entry, 600_000), { delayMs: 10_000, updatedMs: 600_000 });
  t.deepEqual(nextBackOff(entry, 599_999), { delayMs: 300_000, updatedMs: 599_999 });
});
