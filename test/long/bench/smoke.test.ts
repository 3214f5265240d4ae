import path from 'node:path';
import test from 'ava';
import { runAlgorithm } from '../../../bench/algorithm/algorithm-run.js';
import { measuredPlan } from '../../../bench/measured-plan.js';
import { runCase } from '../../../bench/run-case.js';
import { ownWorkloadFiles, readWorkloads, WORKLOAD_FOLDER } from '../../../src/cli/bench/bench-files.js';
import type { PerfOperation } from '../../../src/workload/scheduler-perf/operations.js';
import type { BenchCase, BenchMode } from '../../../src/cli/bench/bench-result.js';

const smoke = ownWorkloadFiles()
  .flatMap((file) => readWorkloads(file, undefined).map((workload) => ({ file, workload })))
  .filter(({ workload }) => workload.labels.includes('smoke'));

/** Pods that are measured, where not all of them are placed by the algorithm alone: victims must leave first. */
const PREEMPTING: readonly string[] = ['anchor/preempt/50Nodes', 'PreemptionBasic/5Nodes'];

function caseOf(file: string, workload: string, mode: BenchMode, workers: number): BenchCase {
  return { file, workload, mode, percentageOfNodesToScore: 0, workers, seed: '1', rounds: 1 };
}

/** Pods that are made while it is measured. */
function measuredPods(operations: readonly PerfOperation[]): number {
  let namespaces: readonly string[] = [];
  let pods = 0;
  for (const each of operations) {
    if (each.opcode === 'startCollectingMetrics') ({ namespaces } = each);
    if (each.opcode === 'stopCollectingMetrics') namespaces = [];
    if (each.opcode === 'createPods' && (each.collectMetrics || namespaces.includes(each.namespace)))
      pods += each.count;
  }
  return pods;
}

test('smoke sizes › there is one of every test case', (t) => {
  const all = ownWorkloadFiles().flatMap((file) => readWorkloads(file, undefined));
  t.deepEqual(
    [...new Set(all.map(({ testCase }) => testCase))],
    smoke.map(({ workload }) => workload.testCase),
  );
});

for (const { file, workload } of smoke) {
  const { name } = workload;
  const { operations } = workload.plan();
  const measured = measuredPods(operations);

  test(`${name} › every pod is bound on the whole path, on the same node with any number of workers`, async (t) => {
    const { pods, outcomes, placementHash, traceHash } = await runCase(caseOf(file, name, 'full', 0));
    t.deepEqual([pods, outcomes], [measured, { scheduled: measured }]);
    const two = await runCase(caseOf(file, name, 'full', 2));
    t.deepEqual([two.placementHash, two.traceHash], [placementHash, traceHash]);
  });

  // Kubelets have no place in the algorithm.
  if (operations.some((each) => each.opcode === 'createNodes' && each.kubelets)) continue;

  test(`${name} › every pod is placed by the algorithm alone, on the same node with any number of workers`, async (t) => {
    const result = await runCase(caseOf(file, name, 'algorithm', 0));
    const outcome = PREEMPTING.includes(name) ? 'nominated' : 'placed';
    t.deepEqual([result.pods, result.outcomes], [measured, { [outcome]: measured }]);
    t.is(result.traceHash, null);
    const plan = measuredPlan(caseOf(file, name, 'algorithm', 2));
    // The threads are to be used, though that is not worth while at this size.
    const options = { seed: '1', percentageOfNodesToScore: 0, workers: 2, minPrefetchWork: 1 };
    const two = await runAlgorithm(plan.operations, options);
    t.is(two.placementHash, result.placementHash);
  });
}

for (const { file, workload } of smoke.filter(
  ({ workload: { name } }) => name.startsWith('anchor/') && !PREEMPTING.includes(name),
)) {
  test(`${workload.name} › the whole path places pods as the algorithm alone does`, async (t) => {
    const alone = await runCase(caseOf(file, workload.name, 'algorithm', 0));
    const whole = await runCase(caseOf(file, workload.name, 'full', 0));
    t.is(whole.placementHash, alone.placementHash);
  });
}

test('anchor/spread/5000Nodes › is measured over as many pods as kube-scheduler decided', (t) => {
  const file = path.join(WORKLOAD_FOLDER, 'anchor.yaml');
  const count = (mode: BenchMode, percentageOfNodesToScore: number, pods?: number): unknown => {
    const plan = measuredPlan({ ...caseOf(file, 'anchor/spread/5000Nodes', mode, 0), percentageOfNodesToScore, pods });
    return [
      plan.operations.flatMap((each) => (each.opcode === 'createPods' ? [each.count] : [])),
      plan.anchor?.podsPerSecond,
    ];
  };
  t.deepEqual(count('algorithm', 0), [[10_000], 223]);
  t.deepEqual(count('algorithm', 100), [[1014], 50.7]);
  t.deepEqual(count('full', 0), [[7474], 124.6]);
  t.deepEqual(count('full', 100), [[10_000], undefined]);
  t.deepEqual(count('algorithm', 100, 300), [[300], 50.7]);
});
