import { PassThrough } from 'node:stream';
import test from 'ava';
import { createCluster } from '../../../src/index.js';
import { FollowedProgress, type Standing } from '../../../src/cli/texts/followed-progress.js';
import { standingOf } from '../../../src/cli/texts/load-text.js';
import { createProgress } from '../../../src/cli/texts/progress.js';
import { SearchProgress } from '../../../src/cli/texts/search-progress.js';
import { leftText } from '../../../src/cli/texts/time-left.js';

/** What is written to a stream that is no terminal, or to one. */
function written(isTTY: boolean, write: (stream: NodeJS.WriteStream) => void): string {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, columns: 200, cursorTo: () => true });
  write(stream as unknown as NodeJS.WriteStream);
  return String(stream.read() ?? '');
}

test('the time that is left is told in two units', (t) => {
  t.deepEqual(
    [leftText(0, 5), leftText(2, 0), leftText(2, 9), leftText(1, 65), leftText(0.5, 3600)],
    ['?', '0s', '5s', '1m05s', '2h00m'],
  );
});

test('a run tells how long it still takes, by lines where there is no terminal', (t) => {
  const text = written(false, (stream) => {
    const progress = createProgress(stream);
    progress.begin('pods ready', 10);
    progress.update(0, createCluster({ nodes: 2 }).stats());
    progress.update(10, createCluster({ nodes: 2 }).stats());
    progress.end();
  });
  t.regex(
    text,
    /^pods ready …\npods ready: 0\/10 · 0\.0s simulated · \d nodes · \? left\npods ready: 10\/10 .* · 0s left\n$/,
  );
});

test('a search on a terminal is a bar with the time that is left', (t) => {
  const text = written(true, (stream) => {
    const progress = new SearchProgress(stream, 4);
    for (let seed = 0; seed < 4; seed += 1) progress.done(3_600_000);
    progress.end();
  });
  t.regex(text, /seeds \[/);
  t.regex(text, /4\/4 .* simulated hours · 0s left/);
});

test('what is followed is told by lines with the time that is left, or by a bar that gives way to other lines', (t) => {
  let done = 0;
  const read = (): Standing => ({ title: 'step', total: 4, done, text: '2.0s simulated' });
  const lines = written(false, (stream) => {
    const progress = new FollowedProgress(stream, read);
    progress.show();
    done = 4;
    progress.show();
    progress.end();
  });
  t.is(lines, 'step … · 2.0s simulated · 0/4 · ? left\nstep … · 2.0s simulated · 4/4 · 0s left\n');
  done = 1;
  const bar = written(true, (stream) => {
    const progress = new FollowedProgress(stream, read);
    progress.show();
    progress.aside(() => stream.write('another line\n'));
    progress.end();
  });
  t.regex(bar, /step \[.*1\/4 · 2\.0s simulated · /);
  t.regex(bar, /another line\n/);
});

test('a load tells which of its parts goes on, and how many of its objects have been written', (t) => {
  const cluster = createCluster({ nodes: 2 });
  const standing = { title: 'job pods', part: 2, parts: 3, total: 10, done: 4 };
  t.deepEqual(standingOf(standing, cluster), {
    title: 'job pods',
    total: 10,
    done: 4,
    text: '0.0s simulated · 0 pods · 2 of 3',
  });
});
