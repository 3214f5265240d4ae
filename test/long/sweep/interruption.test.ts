import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { MAIN } from '../../cli/main-file.js';
import { sweepFolder } from '../../sweep/sweep-files.js';

const TIMEOUT_MS = 300_000;

test('a sweep of runs that take no turn of the host is ended by a signal all the same, and tells where its rows are', async (t) => {
  t.timeout(TIMEOUT_MS);
  const plan = join(sweepFolder({ 'plan.yaml': 'variants: [base.yaml]\nseeds: 100000\n' }), 'plan.yaml');
  const child = spawn(process.execPath, [MAIN, 'sweep', plan], { stdio: ['ignore', 'ignore', 'pipe'] });
  const stderr = text(child.stderr);
  child.stderr.once('data', () => child.kill('SIGINT'));
  t.deepEqual((await once(child, 'exit'))[0], 130);
  t.regex(
    await stderr,
    /kubeloom: interrupted after \d+ runs; their rows are in .*plan\.sweep, and the same command goes on\n$/,
  );
});
