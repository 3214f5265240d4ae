import test from 'ava';
import type { InputPlace } from '../../src/kernel/engine/external-inputs.js';
import { RealClock } from '../../src/kernel/engine/real-clock.js';
import { VirtualClock } from '../../src/kernel/engine/virtual-clock.js';

test('an input runs while no run is under way, at the time that it is', async (t) => {
  const clock = new VirtualClock();
  clock.schedule(5, () => undefined);
  await clock.run({ untilMs: 7 });
  const place = await new Promise<InputPlace>((resolve) => clock.admit(resolve));
  t.deepEqual(place, { ticks: 1, atMs: 7 });
});

test('an input wakes a clock that waits for an entry', async (t) => {
  const clock = new RealClock(1);
  clock.schedule(3_600_000, () => t.fail());
  let isDone = false;
  const run = clock.run({ isDone: () => isDone });
  setImmediate(() => {
    clock.admit(() => {
      isDone = true;
    });
  });
  t.is(await run, 'done');
  clock.dispose();
});

test('an input waits until nothing follows from the tick before', async (t) => {
  const clock = new VirtualClock();
  const told: string[] = [];
  clock.schedule(1, () => {
    clock.admit(() => told.push('input'));
    clock.settle();
    void Promise.resolve()
      .then(() => undefined)
      .then(() => told.push('what followed'));
  });
  clock.schedule(1, () => told.push('the next tick'));
  await clock.run();
  t.deepEqual(told, ['what followed', 'input', 'the next tick']);
});

const play = async (
  inputs: (clock: VirtualClock, told: string[], places: InputPlace[]) => void,
): Promise<{ told: string[]; places: InputPlace[] }> => {
  const clock = new VirtualClock();
  const told: string[] = [];
  const places: InputPlace[] = [];
  for (const atMs of [1, 2, 2, 9]) clock.schedule(atMs, () => told.push(`tick at ${atMs}`));
  inputs(clock, told, places);
  await clock.run();
  return { told, places };
};

const take = (clock: VirtualClock, told: string[], places: InputPlace[]) => (place: InputPlace) => {
  places.push(place);
  told.push(`input at ${clock.now()}`);
  clock.schedule(0, () => told.push(`what it scheduled, at ${clock.now()}`));
};

test('inputs of an earlier run enter where they did there', async (t) => {
  const first = await play((clock, told, places) => {
    clock.schedule(2, () => clock.admit(take(clock, told, places)));
  });
  const second = await play((clock, told, places) => {
    clock.schedule(2, () => undefined);
    clock.plan(first.places.map((place) => ({ ...place, input: take(clock, told, places) })));
  });
  t.deepEqual(first.places, [{ ticks: 4, atMs: 2 }]);
  t.deepEqual(second, first);
});

for (const [name, create] of [
  ['virtual', () => new VirtualClock()],
  ['real', () => new RealClock(1000)],
] as const) {
  test(`inputs that never end › what is due in ${name} time goes on beside them`, async (t) => {
    const clock = create();
    const endsMs = performance.now() + 30_000;
    let inputs = 0;
    let isDone = false;
    const again = (): void => {
      inputs += 1;
      if (!isDone && performance.now() < endsMs) clock.admit(again);
    };
    for (const atMs of [1, 2, 3]) clock.schedule(atMs, () => (isDone = atMs === 3));
    const run = clock.run({ isDone: () => isDone });
    clock.admit(again);
    t.is(await run, 'done');
    t.true(inputs > 0);
    t.true(performance.now() < endsMs);
    clock.dispose();
  });
}
