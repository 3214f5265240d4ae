import { readFileSync } from 'node:fs';
import test from 'ava';
import { parseScenario, runScenario } from '../../src/index.js';

test('examples/scenarios/cluster-autoscaler.yaml › nodes follow a wave of load, on other machines while some are short', async (t) => {
  const file = 'examples/scenarios/cluster-autoscaler.yaml';
  const scenario = parseScenario(readFileSync(file, 'utf8'), file, () => '');
  const { refusals, expectations } = await runScenario(scenario, { seed: '1' });
  t.deepEqual([refusals, expectations.filter(({ isMet }) => !isMet), expectations.length], [[], [], 5]);
});
