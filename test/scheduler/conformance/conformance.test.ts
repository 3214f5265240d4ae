import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readRecordings } from './recording.js';
import { replayAll } from './replay.js';

/** Recordings of the real scheduler stand beside the repository where there are any. */
const FOLDER = join(process.cwd(), '..', 'shared', 'conformance');
const FAMILIES = ['fit', 'taints', 'affinity', 'ports-images', 'sampling'];

for (const family of FAMILIES) {
  test(`recordings › ${family}: verdicts, scores and best nodes are those of kube-scheduler`, (t) => {
    const path = join(FOLDER, `${family}.jsonl.gz`);
    if (!existsSync(path)) {
      t.log(`no recordings at ${path}`);
      t.pass();
      return;
    }
    const { decisions, compared, mismatches } = replayAll(readRecordings(path));
    t.log(`${decisions} decisions, compared ${JSON.stringify(compared)}`);
    t.deepEqual(mismatches.slice(0, 3), []);
    t.is(mismatches.length, 0);
  });
}
