import test from 'ava';
import fc from 'fast-check';
import { Lane } from '../../src/bus/lane.js';
import { VirtualClock } from '../../src/kernel/engine/virtual-clock.js';

interface Item {
  dueMs: number;
  readonly name: string;
}

const item = (name: string): Item => ({ name, dueMs: 0 });

test('items never overtake each other and never come early, whatever their due times', async (t) => {
  const sends = fc.array(fc.record({ waitMs: fc.nat({ max: 5 }), latencyMs: fc.nat({ max: 9 }) }), { maxLength: 150 });
  await fc.assert(
    fc.asyncProperty(sends, async (plan) => {
      const clock = new VirtualClock();
      const out: { name: string; atMs: number }[] = [];
      const lane = new Lane<Item>(clock, ({ name }) => out.push({ name, atMs: clock.now() }));
      const expected: { name: string; atMs: number }[] = [];
      let sendMs = 0;
      let lastMs = 0;
      for (const [index, { waitMs, latencyMs }] of plan.entries()) {
        sendMs += waitMs;
        lastMs = Math.max(lastMs, sendMs + latencyMs);
        expected.push({ name: `${index}`, atMs: lastMs });
        clock.schedule(sendMs, () => lane.push(item(`${index}`), clock.now() + latencyMs));
      }
      await clock.run();
      t.deepEqual(out, expected);
      t.is(lane.size, 0);
      t.is(clock.pending, 0);
    }),
  );
});

test('one entry of the clock hands out all that is due, and waits for what is not', async (t) => {
  const clock = new VirtualClock();
  const out: string[] = [];
  const lane = new Lane<Item>(clock, ({ name }) => out.push(`${name}@${clock.now()}`));
  for (let index = 0; index < 1000; index += 1) lane.push(item('x'), 3);
  lane.push(item('y'), 4);
  t.is(clock.pending, 1);
  t.true(await clock.step());
  t.is(out.length, 1000);
  t.is(clock.pending, 1);
  await clock.run();
  t.is(out.at(-1), 'y@4');
  t.is(clock.ticks, 2);
});

test('an item pushed during a hand-out comes behind all that is due already', async (t) => {
  const clock = new VirtualClock();
  const out: string[] = [];
  const lane = new Lane<Item>(clock, ({ name }) => {
    out.push(name);
    if (name === 'a') lane.push(item('c'), clock.now());
  });
  lane.push(item('a'), 1);
  clock.schedule(1, () => out.push('other'));
  lane.push(item('b'), 1);
  await clock.run();
  t.deepEqual(out, ['a', 'b', 'other', 'c']);
});

test('a drained lane hands out nothing, even when drained during a hand-out, and can be used again', async (t) => {
  const clock = new VirtualClock();
  const out: string[] = [];
  const drained: string[][] = [];
  const lane = new Lane<Item>(clock, ({ name }) => {
    out.push(name);
    if (name === 'b') drained.push(lane.drain().map((waiting) => waiting.name));
  });
  for (const name of ['a', 'b', 'c']) lane.push(item(name), 1);
  lane.push(item('d'), 9);
  await clock.step();
  t.deepEqual(out, ['a', 'b']);
  t.deepEqual(drained, [['c', 'd']]);
  t.is(clock.pending, 0);
  lane.push(item('e'), 2);
  await clock.run();
  t.deepEqual(out, ['a', 'b', 'e']);
  t.is(clock.now(), 2);
});

test('an item that throws surfaces, and those behind it still come', async (t) => {
  const clock = new VirtualClock();
  const out: string[] = [];
  const lane = new Lane<Item>(clock, ({ name }) => {
    if (name === 'bad') throw new Error('boom');
    out.push(name);
  });
  for (const name of ['a', 'bad', 'b']) lane.push(item(name), 1);
  await t.throwsAsync(clock.run(), { message: 'boom' });
  await clock.run();
  t.deepEqual(out, ['a', 'b']);
});
