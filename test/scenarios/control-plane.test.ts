import { readFileSync } from 'node:fs';
import test from 'ava';
import { parseScenario, runScenario } from '../../src/index.js';

const FILE = 'examples/scenarios/control-plane-failover.yaml';

for (const seed of ['1', '2', '3', '4']) {
  test(`examples/control-plane-failover › whichever replica leads, the others take over in time, seed ${seed}`, async (t) => {
    const scenario = parseScenario(readFileSync(FILE, 'utf8'), FILE, (path) => readFileSync(path, 'utf8'));
    const { refusals, expectations } = await runScenario(scenario, { seed });
    const unmet = expectations.filter(({ isMet }) => !isMet).map(({ title }) => title);
    t.deepEqual({ refusals, unmet }, { refusals: [], unmet: [] });
  });
}
