import { PassThrough } from 'node:stream';
import test from 'ava';
import { createCluster } from '../../../src/index.js';
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
