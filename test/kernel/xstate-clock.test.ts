import test from 'ava';
import { createActor, setup } from 'xstate';
import { VirtualClock } from '../../src/kernel/engine/virtual-clock.js';
import { createActorClock } from '../../src/kernel/engine/xstate-clock.js';

test('delayed transitions of an actor happen in simulated time, and leaving the state cancels them', async (t) => {
  const clock = new VirtualClock();
  const machine = setup({ types: { events: {} as { type: 'stop' } } }).createMachine({
    initial: 'starting',
    states: {
      starting: { after: { 3_600_000: 'running' } },
      running: { after: { 5000: 'failed' }, on: { stop: 'stopped' } },
      failed: {},
      stopped: { type: 'final' },
    },
  });
  const seen: string[] = [];
  const actor = createActor(machine, { clock: createActorClock(clock), id: 'actor' });
  actor.subscribe((snapshot) => seen.push(`${snapshot.value}@${clock.now()}`));
  actor.start();
  clock.schedule(3_604_000, () => actor.send({ type: 'stop' }));
  t.is(await clock.run(), 'idle');
  t.deepEqual(seen, ['starting@0', 'running@3600000', 'stopped@3604000']);
  t.is(clock.pending, 0);
});

test('clearing a timer that was never set is harmless', (t) => {
  t.notThrows(() => createActorClock(new VirtualClock()).clearTimeout(undefined));
});
