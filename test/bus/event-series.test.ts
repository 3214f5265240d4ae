import test from 'ava';
import { EventSeriesBook } from '../../src/bus/event-series.js';
import { VirtualClock } from '../../src/kernel/engine/virtual-clock.js';
import { MINUTE_MS } from '../../src/kernel/time-units.js';

/** A book that starts at 0, and what it wrote as `<count>@<minutes>`. */
function createBook(): { clock: VirtualClock; book: EventSeriesBook; wrote: string[]; happen: (key: string) => void } {
  const clock = new VirtualClock();
  const wrote: string[] = [];
  const book = new EventSeriesBook(clock, ({ name, count }) =>
    wrote.push(`${name}×${count}@${clock.now() / MINUTE_MS}`),
  );
  const happen = (key: string): void => {
    if (!book.count(key)) book.add(key, 'default', key);
  };
  return { clock, book, wrote, happen };
}

test('the second event of a series is written at once, later ones when it has been silent for 6 minutes', async (t) => {
  const { clock, book, wrote, happen } = createBook();
  for (const minute of [1, 2, 3, 4]) clock.schedule(minute * MINUTE_MS, () => happen('a'));
  t.is(await clock.run(), 'idle');
  t.deepEqual(wrote, ['a×2@2', 'a×4@12']);
  t.is(book.size, 0);
});

test('a series that goes on is written every 30 minutes', async (t) => {
  const { clock, wrote, happen } = createBook();
  for (let minute = 1; minute <= 62; minute += 1) clock.schedule((minute - 0.5) * MINUTE_MS, () => happen('a'));
  await clock.run();
  t.deepEqual(wrote, ['a×2@1.5', 'a×30@30', 'a×60@60', 'a×62@72']);
});

test('events that happened once own no timer, and are forgotten when the book is used 6 minutes later', async (t) => {
  const { clock, book, wrote, happen } = createBook();
  for (const key of ['a', 'b', 'c']) happen(key);
  t.is(clock.pending, 0);
  await clock.run({ untilMs: 6 * MINUTE_MS + 1 });
  happen('d');
  t.is(book.size, 1);
  t.deepEqual(wrote, []);
});

test('dispose leaves no timer', (t) => {
  const { clock, book, happen } = createBook();
  for (let index = 0; index < 3; index += 1) happen('a');
  t.is(clock.pending, 1);
  book.dispose();
  t.is(clock.pending, 0);
});
