/** Upstream's workloads, where they are there. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import test from 'ava';
import { runBurner } from '../../../src/index.js';

const FOLDER = resolve(process.cwd(), '../shared/inputs/kube-burner');
const isThere = existsSync(FOLDER);
const run = isThere ? test : test.skip;

if (!isThere) test.skip(`upstream's workloads: ${FOLDER} is not there`, () => undefined);

for (const [workload, pods] of [
  ['kubelet-density', 25],
  ['kubelet-density-heavy', 20],
] as const) {
  run(`upstream's ${workload} passes`, async (t) => {
    const result = await runBurner({
      config: `${FOLDER}/${workload}/${workload}.yml`,
      readFile: (path) => readFileSync(path, 'utf8'),
    });
    t.deepEqual(result.errors, []);
    t.is(result.exitCode, 0);
    t.is(result.pods, pods);
    const documents = result.files.find(({ name }) => name === `podLatencyMeasurement-${workload}.json`)?.text ?? '[]';
    t.is((JSON.parse(documents) as unknown[]).length, pods);
  });
}
