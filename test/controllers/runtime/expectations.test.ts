import test from 'ava';
import { EXPECTATIONS_TIMEOUT_MS, Expectations } from '../../../src/controllers/runtime/expectations.js';
import { VirtualClock } from '../../../src/kernel/engine/virtual-clock.js';

test('Expectations › are met when nothing was expected', (t) => {
  t.true(new Expectations(new VirtualClock()).isSatisfied('a'));
});

test('Expectations › of creations are met by as many observations and not by one fewer', (t) => {
  const expectations = new Expectations(new VirtualClock());
  expectations.expectCreations('a', 3);
  expectations.creationObserved('a');
  expectations.creationObserved('a');
  t.false(expectations.isSatisfied('a'));
  expectations.creationObserved('b');
  t.false(expectations.isSatisfied('a'));
  expectations.creationObserved('a');
  t.true(expectations.isSatisfied('a'));
});

test('Expectations › count the deletion of one object once', (t) => {
  const expectations = new Expectations(new VirtualClock());
  expectations.expectDeletions('a', ['x', 'y']);
  expectations.deletionObserved('a', 'x');
  expectations.deletionObserved('a', 'x');
  expectations.deletionObserved('a', 'z');
  t.false(expectations.isSatisfied('a'));
  expectations.deletionObserved('a', 'y');
  t.true(expectations.isSatisfied('a'));
});

test('7.1.2 › expectations hold a sync up for no longer than five minutes', async (t) => {
  const clock = new VirtualClock();
  const expectations = new Expectations(clock);
  expectations.expectCreations('a', 1);
  clock.schedule(EXPECTATIONS_TIMEOUT_MS, () => undefined);
  clock.schedule(EXPECTATIONS_TIMEOUT_MS + 1, () => undefined);
  await clock.step();
  t.false(expectations.isSatisfied('a'));
  await clock.step();
  t.true(expectations.isSatisfied('a'));
});
