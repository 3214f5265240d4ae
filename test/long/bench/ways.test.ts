import path from 'node:path';
import test from 'ava';
import { measuredPlan } from '../../../bench/measured-plan.js';
import { measureWays, type WayCosts } from '../../../bench/ways/way-costs.js';
import { WORKLOAD_FOLDER } from '../../../src/cli/bench/bench-files.js';
import { WAYS } from '../../../src/scheduler/cycle/attempt/way.js';

function measured(file: string, workload: string, percentage: number): Promise<WayCosts> {
  const plan = measuredPlan({
    file: path.join(WORKLOAD_FOLDER, file),
    workload,
    mode: 'algorithm',
    percentageOfNodesToScore: percentage,
    workers: 0,
    seed: '1',
    rounds: 1,
  });
  return measureWays(plan, { percentage, rounds: 2, seed: '1' });
}

test('ways › pods that are alike are decided by totals, and the same without them', async (t) => {
  const { shares, attemptUs, without } = await measured('anchor.yaml', 'anchor/basic/50Nodes', 0);
  t.true((shares.get(WAYS.knownTotals) ?? 0) > 0.9);
  t.true(attemptUs > 0);
  t.true(without.has('totals'));
});

test('ways › each way that takes part is turned off by itself, and the pods go where they went', async (t) => {
  const spread = await measured('anchor.yaml', 'anchor/spread/50Nodes', 100);
  t.deepEqual([...spread.without.keys()], ['groups']);
  const different = await measured('scheduler.yaml', 'DifferentPods/50Nodes_100Pods', 0);
  t.true(different.without.has('walks'));
});
