/** Upstream's standard load test, where it is there, on a few nodes. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import test from 'ava';
import { runLoadTests } from '../../../src/index.js';

const FOLDER = resolve(process.cwd(), '../shared/inputs/clusterloader2');
const isThere = existsSync(FOLDER);
const run = isThere ? test : test.skip;

if (!isThere) test.skip(`upstream's workloads: ${FOLDER} is not there`, () => undefined);

run(`upstream's standard load test passes on 3 nodes`, async (t) => {
  const result = await runLoadTests({
    configs: [`${FOLDER}/load/config.yaml`],
    overrides: [`${FOLDER}/overrides/load_throughput.yaml`],
    nodes: 3,
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  t.deepEqual(result.tests[0]?.errors, []);
  t.is(result.tests[0]?.steps.length, 38);
  t.true(result.pods > 90);
  t.deepEqual(
    result.files.map(({ name }) => name.replace(/_2030.*/, '')),
    [
      'junit.xml',
      'generatedConfig_load.yaml',
      'APIResponsivenessPrometheus_load',
      'APIResponsivenessPrometheus_simple_load',
      'PodStartupLatency_CreatePhasePodStartupLatency_load',
      'StatelessPodStartupLatency_CreatePhasePodStartupLatency_load',
      'StatefulPodStartupLatency_CreatePhasePodStartupLatency_load',
    ],
  );
});
