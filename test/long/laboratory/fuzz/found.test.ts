/** What searches have found, as they wrote it down: none of it breaks a promise any more. */
import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { parseFound, playPlan } from '../../../../src/index.js';

const FOLDER = 'test/laboratory/fuzz/found';

for (const file of readdirSync(FOLDER)) {
  test(`found › ${file} is played to its end, and nothing is broken`, async (t) => {
    const { plan } = parseFound(readFileSync(`${FOLDER}/${file}`, 'utf8'), file);
    const { violations, podsCreated } = await playPlan(plan);
    t.deepEqual(violations, []);
    t.true(podsCreated > 0);
  });
}
