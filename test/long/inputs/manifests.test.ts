import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import test from 'ava';
import { liveManifest } from '../../inputs/manifest-life.js';

/** Manifests of well-known applications. */
const FOLDER = resolve(process.cwd(), '../shared/inputs/manifests');
const FILES = existsSync(FOLDER) ? readdirSync(FOLDER).filter((file) => file.endsWith('.yaml')) : [];

if (FILES.length === 0) test.skip(`manifests › ${FOLDER} is not there`, () => undefined);
for (const file of FILES) {
  test(`manifests › ${file} comes up, scales, rolls out and is drained node by node under load, and no budget is broken`, async (t) => {
    const text = readFileSync(resolve(FOLDER, file), 'utf8');
    const life = await liveManifest(text, file);
    const { missing, broken, violations, nodesDrained, ignored } = life;
    t.deepEqual(
      { missing, broken, violations, nodesDrained, ignored },
      { missing: [], broken: [], violations: [], nodesDrained: 6, ignored: [] },
    );
    t.true(life.workloads.length > 0);
    t.true(life.evicted > 0);
    t.deepEqual(await liveManifest(text, file), life);
  });
}
